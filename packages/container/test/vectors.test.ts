import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeBase64Url } from '../src/base64url.ts';
import { chunkStart, containerSize, decodeHeader, encodeHeader } from '../src/format.ts';
import { hashProof, importKeys, parseKey, proveSecret } from '../src/key.ts';
import { importKeyring, type Keyring, openKeyring, sealKeyring } from '../src/keyring.ts';
import { hashHeader, openLabel, sealLabel, sealName } from '../src/label.ts';
import { openContainer } from '../src/open.ts';
import { checkHeader, proveFile } from '../src/proof.ts';
import { createSealer, sealStream } from '../src/seal.ts';
import { bytesOf, collect, type FileVector, fromHex, toHex, vectors } from './fixtures.ts';
import { containerOf, makeVectors, openedKeyring, openedLabel, openedName, WORKED_EXAMPLE } from './make-vectors.ts';
import { plaintextOf } from './plaintext.ts';

const key = parseKey(vectors.folder_key);
const keys = await importKeys(key);
const keyBuffer = Buffer.from(key);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const written = vectors.files.map((vector) => [vector.about, vector] as const);
const read = [...vectors.files, ...vectors.old_files].map((vector) => [vector.about, vector] as const);

test('the committed vectors are what the independent implementation makes', () => {
  expect(makeVectors()).toEqual(vectors);
  for (const vector of [...vectors.files, ...vectors.old_files, vectors.empty_file.file]) {
    expect(sha256(vector.container ? fromHex(vector.container) : containerOf(vector))).toBe(vector.container_sha256);
  }
});

test('the container that the documentation takes apart is a vector, byte for byte', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'container.md'), 'utf8');
  const [, listing = ''] = /```container\noffset {2}bytes\n(.*?)```/s.exec(page) ?? [];
  let container = Buffer.alloc(0);
  for (const line of listing.trimEnd().split('\n')) {
    const [, offset, json, hex = ''] = /^ *(\d+) +(?:(\{.*\})|((?:[0-9a-f]{2} ?)+))(?: .*)?$/.exec(line) ?? [];
    expect(Number(offset)).toBe(container.length);
    container = Buffer.concat([container, json ? Buffer.from(json) : Buffer.from(hex.replaceAll(' ', ''), 'hex')]);
  }
  const vector = vectors.files.find(({ about }) => about === WORKED_EXAMPLE);
  expect(container.toString('hex')).toBe(vector?.container);
  expect(page).toContain(`\`${vectors.folder_key.slice(0, 64)}\` \`${vectors.folder_key.slice(64)}\``);
});

describe('opening a vector', () => {
  test.each(read)('%s: gives the plaintext', async (_, vector) => {
    const { plaintext } = await openContainer(keys, new Blob([bytesOf(containerOf(vector))]).stream());
    const { plain, error } = await collect(plaintext);
    expect(error).toBeNull();
    expect(plain.equals(plaintextOf(vector.size))).toBe(true);
  });

  test.each(read)('%s: the header is read field by field', (_, vector) => {
    const decoded = decodeHeader(containerOf(vector));
    const fields = JSON.parse(vector.header);
    expect(decoded?.header).toEqual({
      baseCounter: fromHex(vectors.base_counter),
      chunkSize: fields.chunkSize,
      totalChunks: fields.totalChunks,
      originalSize: fields.originalSize ?? null,
      originalName: fields.originalName.replaceAll('\\', '_'),
      originalType: fields.originalType,
      mac: fields.mac ?? null,
    });
    expect(decoded && toHex(decoded.prefix)).toBe(vector.prefix);
  });
});

test('the empty file’s container is its header alone, and opens by its label', async () => {
  const { file, label } = vectors.empty_file;
  expect(containerOf(file)).toEqual(Buffer.from(file.container!, 'hex'));
  expect(file.container).toBe(file.prefix);
  expect(await sealedWithPackage(file)).toEqual(containerOf(file));
  const proof = await proveFile({ keys: [keys] }, { storedName: label.stored_name, sealed: label.sealed });
  expect(proof).toMatchObject({ sizeBytes: 0, label: { name: '__init__.py', type: 'text/x-python' } });
  const stream = new Blob([bytesOf(containerOf(file))]).stream();
  const { plaintext } = await openContainer(keys, stream, { check: (head) => checkHeader(proof, head) });
  expect(await collect(plaintext)).toEqual({ plain: Buffer.alloc(0), error: null });
});

async function sealedWithPackage(vector: FileVector): Promise<Buffer> {
  const fields = JSON.parse(vector.header);
  const header = { ...fields, baseCounter: fromHex(vectors.base_counter) };
  const decoded = encodeHeader(header);
  const sealer = await createSealer(keys, decoded);
  const parts: Uint8Array[] = [decoded.prefix];
  for await (const unit of sealStream(sealer, new Blob([bytesOf(plaintextOf(vector.size))]))) {
    for (const chunk of unit) {
      expect(Buffer.concat(parts).length).toBe(chunkStart(decoded, chunk.index));
      expect(toHex(chunk.tag)).toBe(toHex(chunk.bytes.subarray(-32)));
      parts.push(chunk.bytes);
    }
  }
  const container = Buffer.concat(parts);
  expect(containerSize(decoded)).toBe(container.length);
  expect(sealer.sizeBytes).toBe(container.length);
  return container;
}

test.each(written)('sealing a vector: %s: gives the identical bytes', async (_, vector) => {
  const container = await sealedWithPackage(vector);
  expect(container.equals(containerOf(vector))).toBe(true);
  expect(sha256(container)).toBe(vector.container_sha256);
});

describe('labels', () => {
  test.each(vectors.labels)('opens, and names the container of the worked example', async (label) => {
    const { name, type, size: sizeBytes, header, path, modified, key, sealed, stored_name } = label;
    const more = {
      ...(path === undefined ? {} : { directory: path, modifiedMs: modified }),
      ...(key === undefined ? {} : { keyPlace: key }),
    };
    expect(await openLabel(keys, sealed, stored_name)).toEqual({ name, type, sizeBytes, header, ...more });
    const worked = vectors.files.find(({ about }) => about === WORKED_EXAMPLE);
    expect(await hashHeader(fromHex(worked!.prefix))).toBe(header);
  });

  test('names the key of a ring that its container is under, and counts under the newest only', async () => {
    const { keyring } = vectors.sealed_keys[1]!;
    const ring = await importKeyring({
      keys: keyring
        .slice(6)
        .match(/.{128}/g)!
        .map(fromHex),
      hidesNames: false,
    });
    const { sealed, stored_name: storedName } = vectors.labels.find((label) => label.key === 0)!;
    expect((await proveFile(ring, { storedName, sealed })).keys).toBe(ring.keys[1]);
    const older = { keys: ring.keys.slice(1) };
    await expect(proveFile(older, { storedName, sealed })).rejects.toMatchObject({ code: 'open.foreign' });
  });

  test('a label that the package seals opens with the independent implementation, padded', async () => {
    const header = 'h'.repeat(43);
    const label = { name: 'a b.png', type: 'image/png', sizeBytes: 7, header, modifiedMs: 1_563_653_860_123 };
    const json = openedLabel(keyBuffer, await sealLabel(keys, label, 'ä.enc'), 'ä.enc');
    expect(json.length).toBe(256);
    const { modifiedMs: modified } = label;
    expect(JSON.parse(json)).toEqual({ name: 'a b.png', type: 'image/png', size: 7, header, modified });
  });
});

test('a name that the package seals opens with the independent implementation, padded', async () => {
  const json = openedName(keyBuffer, await sealName(keys, { name: 'a b.png', type: 'image/png' }));
  expect(json.length).toBe(256);
  expect(json.trimEnd()).toBe('{"name":"a b.png","type":"image/png"}');
});

describe('sealed keys', () => {
  const secretsOf = (vector: (typeof vectors.sealed_keys)[number]) => ({
    secret: decodeBase64Url(vector.secret),
    share: fromHex(vector.share),
    ...(vector.passphrase_key ? { passphraseKey: fromHex(vector.passphrase_key) } : {}),
  });
  /** The bytes of a keyring, read here once more: flags, and the keys in hex. */
  const readRing = (hex: string) => ({
    flags: Number.parseInt(hex.slice(2, 4), 16),
    keys: hex.slice(6).match(/.{128}/g),
  });
  const shownRing = ({ keys, hidesNames }: Keyring) => ({
    flags: hidesNames ? 1 : 0,
    keys: keys.map(toHex),
  });

  test.each(vectors.sealed_keys)('secret, share and sealed key give the keyring', async (vector) => {
    const opened = await openKeyring({ sealedKey: vector.sealed_key, ...secretsOf(vector) });
    expect(shownRing(opened)).toEqual(readRing(vector.keyring));
    expect(toHex(opened.keys.at(-1)!)).toBe(vectors.folder_key);
  });

  test.each(vectors.sealed_keys)('what the package seals opens with the independent implementation', async (vector) => {
    const secrets = secretsOf(vector);
    const ring = await openKeyring({ sealedKey: vector.sealed_key, ...secrets });
    const sealedKey = await sealKeyring({ ring, ...secrets });
    const passphraseKey = Buffer.from(vector.passphrase_key, 'hex');
    const bytes = openedKeyring(sealedKey, Buffer.from(secrets.secret), Buffer.from(secrets.share), passphraseKey);
    expect(readRing(bytes.toString('hex'))).toEqual(readRing(vector.keyring));
  });
});

test.each(vectors.proofs)('secret and passphrase give the proof, and the proof its hash', async (vector) => {
  const link = { secret: decodeBase64Url(vector.secret), passphraseKey: fromHex(vector.passphrase_key) };
  const proof = await proveSecret(link);
  expect(proof).toBe(vector.proof);
  expect(await hashProof(proof)).toBe(vector.proof_hash);
});
