/**
 * Makes vectors.json: containers, labels and sealed keys after docs/container.md §1–3, with node:crypto alone. It shares no
 * line with the package, so that a mistake would have to be made twice. `node make-vectors.ts` writes the file again.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { plaintextOf } from './plaintext.ts';

export interface ContainerSpec {
  key: Buffer;
  /** The JSON text of the header, as it stands in the file. */
  json: string;
  /** Eight bytes: what the JSON's baseCounter means. */
  baseCounter: Buffer;
  chunkSize: number;
  plain: Buffer;
  /** 'prefixed': u32 L before the JSON. 'bare': nothing. */
  form: 'prefixed' | 'bare';
  /** Whether tags are made under the key that binds the header. */
  bound: boolean;
}

const u32 = (value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value);
  return out;
};
const hmac = (key: Buffer, ...parts: Buffer[]): Buffer => {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
};

/** One chunk of a container, sealed. */
function chunkOf(spec: ContainerSpec, tagKey: Buffer, index: number): Buffer {
  const plain = spec.plain.subarray(index * spec.chunkSize, (index + 1) * spec.chunkSize);
  const block = (BigInt(index) * BigInt(spec.chunkSize)) / 16n;
  const counter = Buffer.concat([spec.baseCounter, Buffer.alloc(8)]);
  counter.writeBigUInt64BE(block, 8);
  const cipher = createCipheriv('aes-256-ctr', spec.key.subarray(0, 32), counter);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  const offset = Buffer.alloc(8);
  offset.writeBigUInt64LE(block);
  const body = Buffer.concat([u32(index), u32(plain.length), u32(plain.length), offset, ciphertext]);
  return Buffer.concat([body, hmac(tagKey, body)]);
}

/** The parts of a container: what stands before chunk 0, and the chunks. */
export function containerParts(spec: ContainerSpec): { prefix: Buffer; chunks: Buffer[] } {
  const json = Buffer.from(spec.json, 'utf8');
  const macKey = spec.key.subarray(32);
  const tagKey = spec.bound ? hmac(macKey, Buffer.from('satchel v2 header\0'), u32(json.length), json) : macKey;
  const count = Math.ceil(spec.plain.length / spec.chunkSize);
  return {
    prefix: spec.form === 'bare' ? json : Buffer.concat([u32(json.length), json]),
    chunks: Array.from({ length: count }, (_, index) => chunkOf(spec, tagKey, index)),
  };
}

/** Seals with AES-256-GCM: base64url(nonce | ciphertext | tag). */
function sealGcm(key: Buffer, nonce: Buffer, plain: Buffer, aad: Buffer): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(aad);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function openGcm(key: Buffer, sealed: string, aad: Buffer): Buffer {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAAD(aad);
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
}

/** metaKey of both halves of the folder key (docs/container.md §6). */
const metaKeyOf = (key: Buffer): Buffer =>
  hmac(key.subarray(32), Buffer.from('satchel v2 metadata\0'), key.subarray(0, 32));
const labelAad = (storedName: string): Buffer => Buffer.from(`satchel v2 label\0${storedName}`);

/** A label, sealed with a given nonce (docs/container.md §6). */
function labelOf(key: Buffer, nonce: Buffer, label: object, storedName: string): string {
  const json = Buffer.from(JSON.stringify(label), 'utf8');
  const padding = Buffer.alloc((256 - (json.length % 256)) % 256, ' ');
  return `2.${sealGcm(metaKeyOf(key), nonce, Buffer.concat([json, padding]), labelAad(storedName))}`;
}

/** The padded JSON of a label. */
export const openedLabel = (key: Buffer, sealed: string, storedName: string): string =>
  openGcm(metaKeyOf(key), sealed.slice(2), labelAad(storedName)).toString('utf8');

/** The padded JSON of a name that stays on the device. */
export const openedName = (key: Buffer, sealed: string): string =>
  openGcm(metaKeyOf(key), sealed, Buffer.from('satchel v2 name')).toString('utf8');

const kekOf = (secret: Buffer, share: Buffer, passphraseKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.concat([secret, passphraseKey]), share, 'satchel v2 folder key', 32));

/** What is sealed in a sealed_key: a keyring (docs/container.md §3, §6). */
export const openedKeyring = (
  sealedKey: string,
  secret: Buffer,
  share: Buffer,
  passphraseKey = Buffer.alloc(0),
): Buffer => openGcm(kekOf(secret, share, passphraseKey), sealedKey, Buffer.alloc(0));

/** The proof of link and passphrase (docs/container.md §3). */
const proofOf = (secret: Buffer, passphraseKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.concat([secret, passphraseKey]), Buffer.alloc(0), 'satchel v2 proof', 32));

const KEY = Buffer.concat([createHash('sha256').update('aes').digest(), createHash('sha256').update('mac').digest()]);
const OTHER_KEY = createHash('sha512').update('another').digest();
const sha256Url = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url');
const BASE_COUNTER = Buffer.from('f0e1d2c3b4a59687', 'hex');
/** The vector that docs/container.md takes apart byte by byte. */
export const WORKED_EXAMPLE = 'the worked example of the documentation';
/** Containers up to this size stand in the file whole, larger ones as their SHA-256. */
const WHOLE_BYTES = 4096;

interface FileVector {
  about: string;
  size: number;
  chunk_size: number;
  form: ContainerSpec['form'];
  bound: boolean;
  header: string;
  prefix: string;
  container_sha256: string;
  container?: string;
}

/** The header JSON that the product writes, field by field in its order. */
function headerJson(size: number, chunkSize: number, name = 'notes.txt', type = 'text/plain'): string {
  return JSON.stringify({
    version: 2,
    algorithm: 'AES-CTR+HMAC-SHA256',
    baseCounter: [...BASE_COUNTER],
    chunkSize,
    totalChunks: Math.ceil(size / chunkSize),
    originalSize: size,
    originalName: name,
    originalType: type,
    mac: 'file',
  });
}

/** The spec of a file vector: what its container is made from. */
export const specOf = (vector: FileVector): ContainerSpec => ({
  key: KEY,
  json: vector.header,
  baseCounter: BASE_COUNTER,
  chunkSize: vector.chunk_size,
  plain: plaintextOf(vector.size),
  form: vector.form,
  bound: vector.bound,
});

/** The container of a vector. */
export const containerOf = (vector: FileVector): Buffer => {
  const { prefix, chunks } = containerParts(specOf(vector));
  return Buffer.concat([prefix, ...chunks]);
};

function fileVector(
  about: string,
  size: number,
  chunkSize: number,
  json = headerJson(size, chunkSize),
  form: ContainerSpec['form'] = 'prefixed',
  bound = true,
): FileVector {
  const base = { about, size, chunk_size: chunkSize, form, bound, header: json, prefix: '', container_sha256: '' };
  const { prefix, chunks } = containerParts(specOf(base));
  const container = Buffer.concat([prefix, ...chunks]);
  const vector: FileVector = {
    ...base,
    prefix: prefix.toString('hex'),
    container_sha256: createHash('sha256').update(container).digest('hex'),
  };
  return container.length > WHOLE_BYTES ? vector : { ...vector, container: container.toString('hex') };
}

function oldReadings(): FileVector[] {
  const old = (about: string, fields: object, form: ContainerSpec['form'], bound = false) => {
    const size = 100;
    const common = { originalName: 'old }" {\\ name.bin', originalType: 'application/x-old', chunkSize: 32 };
    return fileVector(about, size, 32, JSON.stringify({ ...common, totalChunks: 4, ...fields }), form, bound);
  };
  const indexKeyed = Object.fromEntries([...BASE_COUNTER].map((octet, index) => [index, octet]));
  const full = { version: 2, algorithm: 'AES-CTR+HMAC-SHA256', originalSize: 100 };
  return [
    old('bare JSON, index-keyed baseCounter, no version, no size', { baseCounter: indexKeyed }, 'bare'),
    old('bare JSON, array baseCounter, all fields', { ...full, baseCounter: [...BASE_COUNTER] }, 'bare'),
    old('bare JSON that binds its tags', { ...full, baseCounter: [...BASE_COUNTER], mac: 'file' }, 'bare', true),
    old('prefixed, hex baseCounter, no mac', { ...full, baseCounter: BASE_COUNTER.toString('hex') }, 'prefixed'),
    old('prefixed, base64 baseCounter', { baseCounter: BASE_COUNTER.toString('base64') }, 'prefixed'),
    old('prefixed, base64url baseCounter', { baseCounter: BASE_COUNTER.toString('base64url') }, 'prefixed'),
  ];
}

interface MoreOfLabel {
  readonly size?: number;
  readonly header?: string;
  readonly path?: string;
  readonly modified?: number;
  readonly key?: number;
}

/** Everything that vectors.json holds. */
export function makeVectors() {
  const nonce = Buffer.from('000102030405060708090a0b', 'hex');
  const label = (name: string, type: string, stored_name: string, more: MoreOfLabel = {}) => {
    const fields = { name, type, size: 20, header: sha256Url(containerParts(specOf(worked)).prefix), ...more };
    return { ...fields, stored_name, sealed: labelOf(KEY, nonce, fields, stored_name) };
  };
  const worked = fileVector(WORKED_EXAMPLE, 20, 16, headerJson(20, 16, 'a.txt'));
  const empty = fileVector('an empty file', 0, 32 * 1024, headerJson(0, 32 * 1024, '__init__.py', 'text/x-python'));
  const [secret, share, passphraseKey] = ['secret', 'share', 'passphrase'].map((name) =>
    createHash('sha256').update(name).digest(),
  ) as [Buffer, Buffer, Buffer];
  const ring = (flags: number, ...ringKeys: Buffer[]) =>
    Buffer.concat([Buffer.from([1, flags, ringKeys.length]), ...ringKeys]);
  const sealedKey = (p: Buffer, sealed: Buffer) => ({
    secret: secret.toString('base64url'),
    share: share.toString('hex'),
    passphrase_key: p.toString('hex'),
    sealed_key: sealGcm(kekOf(secret, share, p), nonce, sealed, Buffer.alloc(0)),
    keyring: sealed.toString('hex'),
  });
  return {
    about:
      'Made by make-vectors.ts with node:crypto alone. Hex unless named otherwise; see plaintextOf for the plaintexts.',
    folder_key: KEY.toString('hex'),
    base_counter: BASE_COUNTER.toString('hex'),
    files: [
      ...[1, 15, 16, 17].map((size) => fileVector(`${size} bytes`, size, 32 * 1024)),
      ...[32_767, 32_768, 32_769, 100_000].map((size) => fileVector(`${size} bytes`, size, 32 * 1024)),
      worked,
      fileVector('many small chunks', 1000, 48),
      fileVector('64 KiB chunks', 1_100_000, 64 * 1024),
      fileVector('1 MiB chunks', 1_600_000, 1024 * 1024),
      fileVector('4 MiB chunks', 4_194_320, 4 * 1024 * 1024),
      fileVector('hidden names', 40, 32, headerJson(40, 32, 'file', 'application/octet-stream')),
    ],
    old_files: oldReadings(),
    labels: [
      label('Ferien in Köln 🏖.jpg', 'image/jpeg', 'x_1_a.enc'),
      label('a', '', 'ä b_2.enc'),
      // Of the ring of the second sealed key: the container is under its oldest key.
      label('b.txt', 'text/plain', 'b_3.enc', { key: 0 }),
      label('boat.jpg', 'image/jpeg', 'x_3_c.enc', { path: 'Trip/day 1', modified: 1_563_653_860_123 }),
    ],
    empty_file: {
      file: empty,
      label: label('__init__.py', 'text/x-python', '__init___4_d.enc', {
        size: 0,
        header: sha256Url(containerParts(specOf(empty)).prefix),
      }),
    },
    sealed_keys: [sealedKey(Buffer.alloc(0), ring(1, KEY)), sealedKey(passphraseKey, ring(0, OTHER_KEY, KEY))],
    proofs: [[secret, passphraseKey] as const, [share, secret] as const].map(([s, p]) => ({
      secret: s.toString('base64url'),
      passphrase_key: p.toString('hex'),
      proof: proofOf(s, p).toString('base64url'),
      proof_hash: createHash('sha256').update(proofOf(s, p)).digest('base64url'),
    })),
  };
}

/** The file's text. */
const vectorsText = (): string => `${JSON.stringify(makeVectors(), null, 2)}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('vectors.json', import.meta.url), vectorsText());
}
