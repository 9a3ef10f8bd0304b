import { CATALOGUE, type ErrorCode } from '@satchel/contract/errors';
import { describe, expect, test } from 'vitest';
import { type FolderKeys, importKeys, parseKey } from '../src/key.ts';
import { openContainer } from '../src/open.ts';
import { bytesOf, collect, expectError, vectors } from './fixtures.ts';
import { type ContainerSpec, containerParts } from './make-vectors.ts';
import { plaintextOf } from './plaintext.ts';

/** One fixture for every error that concerns an encrypted file, made with the independent implementation. */

const key = parseKey(vectors.folder_key);
const keys = await importKeys(key);
const CHUNK = 32;
const SIZE = 100;
const plain = plaintextOf(SIZE);

const fields = (over: object = {}): Record<string, unknown> => ({
  version: 2,
  algorithm: 'AES-CTR+HMAC-SHA256',
  baseCounter: [1, 2, 3, 4, 5, 6, 7, 8],
  chunkSize: CHUNK,
  totalChunks: 4,
  originalSize: SIZE,
  originalName: 'a.bin',
  originalType: 'application/octet-stream',
  mac: 'file',
  ...over,
});

/** The parts of a container of four chunks (32, 32, 32 and 4 bytes) whose header may claim anything. */
function parts(over: object = {}, spec: Partial<ContainerSpec> = {}): { prefix: Buffer; chunks: Buffer[] } {
  const json = JSON.stringify(fields(over));
  const baseCounter = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]);
  const whole = { key: Buffer.from(key), json, baseCounter, chunkSize: CHUNK, plain, form: 'prefixed', bound: true };
  return containerParts({ ...whole, ...spec } as ContainerSpec);
}
const join = ({ prefix, chunks }: { prefix: Buffer; chunks: Buffer[] }): Buffer => Buffer.concat([prefix, ...chunks]);
const container = join(parts());

/** A container with one chunk changed. */
function withChunk(index: number, change: (chunk: Buffer) => Buffer): Buffer {
  const { prefix, chunks } = parts();
  return join({ prefix, chunks: chunks.map((chunk, at) => (at === index ? change(Buffer.from(chunk)) : chunk)) });
}
const edited = (edit: (chunk: Buffer) => unknown) => (chunk: Buffer) => {
  edit(chunk);
  return chunk;
};

/** The old reading without any of the optional fields. */
const old = { version: undefined, algorithm: undefined, originalSize: undefined, mac: undefined };
const oldSpec: Partial<ContainerSpec> = { form: 'bare', bound: false };

interface Fixture {
  about: string;
  code: ErrorCode;
  message: string;
  bytes: Buffer;
  /** Plaintext bytes that come out before the error: whole verified chunks. */
  before?: number;
  keys?: FolderKeys;
}

const unusable = async (part: 'aes' | 'mac'): Promise<FolderKeys> => {
  const algorithm = part === 'aes' ? 'AES-CTR' : { name: 'HMAC', hash: 'SHA-256' };
  const crippled = await crypto.subtle.importKey('raw', key.subarray(0, 32), algorithm, false, [
    part === 'aes' ? 'encrypt' : 'sign',
  ]);
  return { ...keys, [part]: crippled };
};

const CORRUPTED = { code: 'open.corrupted', message: 'File is corrupted or truncated' } as const;
const badHmac = (chunk: number) =>
  ({ code: 'open.bad_hmac', message: `HMAC verification failed for chunk ${chunk}` }) as const;

const fixtures: Fixture[] = [
  {
    about: 'a key that may not verify',
    code: 'open.failed',
    message: 'Decryption failed',
    bytes: join(parts(old, oldSpec)),
    keys: await unusable('mac'),
  },
  {
    about: 'another version',
    code: 'open.bad_version',
    message: 'Unsupported file format: 3/AES-CTR+HMAC-SHA256',
    bytes: join(parts({ version: 3 })),
  },
  {
    about: 'another algorithm',
    code: 'open.bad_version',
    message: 'Unsupported file format: 2/AES-GCM',
    bytes: join(parts({ algorithm: 'AES-GCM' })),
  },
  {
    about: 'no version although the tags are bound',
    code: 'open.bad_version',
    message: 'Unsupported file format: undefined/AES-CTR+HMAC-SHA256',
    bytes: join(parts({ version: undefined })),
  },
  {
    about: 'a version that is no plain word',
    code: 'open.bad_version',
    message: 'Unsupported file format: ?/AES-CTR+HMAC-SHA256',
    bytes: join(parts({ version: '<b>2</b>' })),
  },
  {
    about: 'a version that can’t even be made text',
    code: 'open.bad_version',
    message: 'Unsupported file format: ?/?',
    bytes: join(parts({ version: { toString: 0 }, algorithm: [2] })),
  },
  {
    about: 'two chunks swapped',
    code: 'open.index_mismatch',
    message: 'Chunk index mismatch: expected 1, got 2',
    bytes: (({ prefix, chunks: [a, b, c, d] }) => Buffer.concat([prefix, a!, c!, b!, d!]))(parts()),
    before: 32,
  },
  {
    about: 'cut inside a chunk header',
    code: 'open.no_chunk_header',
    message: 'File corrupted: incomplete chunk header',
    bytes: withChunk(3, (chunk) => chunk.subarray(0, 19)),
    before: 96,
  },
  {
    about: 'cut inside the ciphertext',
    code: 'open.no_chunk',
    message: 'File corrupted: incomplete encrypted chunk',
    bytes: withChunk(3, (chunk) => chunk.subarray(0, 23)),
    before: 96,
  },
  {
    about: 'cut before the last tag',
    code: 'open.no_hmac',
    message: 'File corrupted: no HMAC data',
    bytes: withChunk(3, (chunk) => chunk.subarray(0, 24)),
    before: 96,
  },
  {
    about: 'cut inside the last tag',
    code: 'open.no_hmac',
    message: 'File corrupted: no HMAC data',
    bytes: container.subarray(0, -1),
    before: 96,
  },
  { about: 'nothing at all', ...CORRUPTED, bytes: Buffer.alloc(0) },
  { about: 'cut inside the header', ...CORRUPTED, bytes: container.subarray(0, 40) },
  { about: 'another kind of file', ...CORRUPTED, bytes: Buffer.from('\x89PNG\r\n\x1a\nand so on') },
  { about: 'a header length of 1', ...CORRUPTED, bytes: Buffer.from([1, 0, 0, 0, 0x7b]) },
  { about: 'a header length of 8,193', ...CORRUPTED, bytes: Buffer.from([1, 0x20, 0, 0, 0x7b]) },
  { about: 'bare JSON without an end', ...CORRUPTED, bytes: Buffer.from(`{"originalName":"${'a'.repeat(9000)}"}`) },
  { about: 'a header that is no object', ...CORRUPTED, bytes: Buffer.from('\x04\0\0\0[{}]') },
  { about: 'a header that is not UTF-8', ...CORRUPTED, bytes: Buffer.from('\x04\0\0\0{"\xff"', 'latin1') },
  { about: 'a chunk size that 16 does not divide', ...CORRUPTED, bytes: join(parts({ chunkSize: 33 })) },
  { about: 'a chunk size over 4 MiB', ...CORRUPTED, bytes: join(parts({ chunkSize: 2 ** 22 + 16, totalChunks: 1 })) },
  { about: 'a chunk size of 0', ...CORRUPTED, bytes: join(parts({ chunkSize: 0 })) },
  { about: 'a chunk count that the size contradicts', ...CORRUPTED, bytes: join(parts({ totalChunks: 3 })) },
  { about: 'a size that the chunk count contradicts', ...CORRUPTED, bytes: join(parts({ originalSize: 96 })) },
  { about: 'a chunk count of 2³²', ...CORRUPTED, bytes: join(parts({ totalChunks: 2 ** 32, originalSize: 2 ** 37 })) },
  { about: 'a chunk count of 1.5', ...CORRUPTED, bytes: join(parts({ totalChunks: 1.5 })) },
  { about: 'a negative size', ...CORRUPTED, bytes: join(parts({ originalSize: -1 })) },
  { about: 'no size although the tags are bound', ...CORRUPTED, bytes: join(parts({ originalSize: undefined })) },
  { about: 'another mac', ...CORRUPTED, bytes: join(parts({ mac: 'chunk' })) },
  { about: 'a name that is no text', ...CORRUPTED, bytes: join(parts({ originalName: ['a'] })) },
  { about: 'no type', ...CORRUPTED, bytes: join(parts({ originalType: undefined })) },
  { about: 'a baseCounter of 7 bytes', ...CORRUPTED, bytes: join(parts({ baseCounter: [1, 2, 3, 4, 5, 6, 7] })) },
  { about: 'a baseCounter with 256', ...CORRUPTED, bytes: join(parts({ baseCounter: [1, 2, 3, 4, 5, 6, 7, 256] })) },
  { about: 'a baseCounter of nonsense', ...CORRUPTED, bytes: join(parts({ baseCounter: 'nonsense' })) },
  {
    about: 'a plaintext length that is not the header’s',
    ...CORRUPTED,
    bytes: withChunk(
      1,
      edited((chunk) => chunk.writeUInt32LE(31, 4)),
    ),
    before: 32,
  },
  {
    about: 'a ciphertext length that is not the plaintext’s',
    ...CORRUPTED,
    bytes: withChunk(
      1,
      edited((chunk) => chunk.writeUInt32LE(2 ** 32 - 1, 8)),
    ),
    before: 32,
  },
  {
    about: 'a short chunk in the middle of a file without a size',
    ...CORRUPTED,
    bytes: join(parts({ ...old, totalChunks: 5 }, oldSpec)),
    before: 96,
  },
  {
    about: 'an empty chunk after the last one of a file without a size',
    ...CORRUPTED,
    bytes: Buffer.concat([
      join(parts({ ...old, totalChunks: 2 }, { ...oldSpec, plain: plain.subarray(0, CHUNK) })),
      await emptyChunk(1),
    ]),
    before: 32,
  },
  {
    about: 'chunks for more than 4 PiB, in a file without a size',
    ...CORRUPTED,
    bytes: join(parts({ ...old, chunkSize: 2 ** 22, totalChunks: 2 ** 30 + 1 }, oldSpec)),
  },
  {
    about: 'a flipped bit of ciphertext',
    ...badHmac(2),
    bytes: withChunk(
      2,
      edited((chunk) => chunk.writeUInt8(chunk.readUInt8(30) ^ 1, 30)),
    ),
    before: 64,
  },
  {
    about: 'a flipped bit of a tag',
    ...badHmac(0),
    bytes: withChunk(
      0,
      edited((chunk) => chunk.writeUInt8(chunk.readUInt8(60) ^ 128, 60)),
    ),
  },
  {
    about: 'a chunk of another file under the same key',
    ...badHmac(1),
    bytes: withChunk(1, () => parts({ originalName: 'b.bin' }).chunks[1]!),
    before: 32,
  },
  { about: 'another folder’s key', ...badHmac(0), bytes: container, keys: await importKeys(new Uint8Array(64)) },
  {
    about: 'a mac field taken off',
    ...badHmac(0),
    bytes: join({ ...parts(), prefix: parts({ mac: undefined }).prefix }),
  },
  {
    about: 'an edited type',
    ...badHmac(0),
    bytes: join({ ...parts(), prefix: parts({ originalType: 'text/html' }).prefix }),
  },
  {
    about: 'a counter offset that is not the index’s',
    code: 'open.chunk_failed',
    message: 'Decryption failed at chunk 1',
    bytes: withChunk(
      1,
      edited((chunk) => chunk.writeBigUInt64LE(3n, 12)),
    ),
    before: 32,
  },
  {
    about: 'a key that may not decrypt',
    code: 'open.chunk_failed',
    message: 'Decryption failed at chunk 0',
    bytes: container,
    keys: await unusable('aes'),
  },
  {
    about: 'cut between two chunks',
    code: 'open.incomplete',
    message: 'Incomplete decryption: processed 2/4 chunks',
    bytes: join({ ...parts(), chunks: parts().chunks.slice(0, 2) }),
    before: 64,
  },
  {
    about: 'no chunk at all',
    code: 'open.incomplete',
    message: 'Incomplete decryption: processed 0/4 chunks',
    bytes: parts().prefix,
  },
  {
    about: 'a byte after the last chunk',
    code: 'open.size_mismatch',
    message: 'Final size mismatch',
    bytes: Buffer.concat([container, Buffer.alloc(1)]),
    before: 96,
  },
  {
    about: 'a second copy after the last chunk',
    code: 'open.size_mismatch',
    message: 'Final size mismatch',
    bytes: Buffer.concat([container, container]),
    before: 96,
  },
  {
    about: 'a byte after a last chunk that says its own length',
    code: 'open.size_mismatch',
    message: 'Final size mismatch',
    bytes: Buffer.concat([join(parts(old, oldSpec)), Buffer.alloc(1)]),
    before: 96,
  },
  {
    about: 'a file of 0 bytes',
    code: 'open.empty',
    message: 'Decrypted file is empty',
    bytes: join(parts({ originalSize: 0, totalChunks: 0 }, { plain: Buffer.alloc(0) })),
  },
  {
    about: 'a single empty chunk of a file without a size',
    code: 'open.empty',
    message: 'Decrypted file is empty',
    bytes: Buffer.concat([parts({ ...old, totalChunks: 1 }, oldSpec).prefix, await emptyChunk(0)]),
  },
];

/** header20 of an empty chunk and its tag, as the old reading makes them. */
async function emptyChunk(index: number): Promise<Buffer> {
  const header20 = new Uint8Array(20);
  header20[0] = index;
  header20[12] = (index * CHUNK) / 16;
  return Buffer.concat([header20, new Uint8Array(await crypto.subtle.sign('HMAC', keys.mac, header20))]);
}

/** Opens to the end, wherever it fails. */
async function open({ bytes, keys: used = keys }: Fixture): Promise<{ plain: Buffer; error: unknown }> {
  try {
    const { plaintext } = await openContainer(used, new Blob([bytesOf(bytes)]).stream());
    return await collect(plaintext);
  } catch (error) {
    return { plain: Buffer.alloc(0), error };
  }
}

test('the fixtures below start from a container that opens', async () => {
  const { plain: opened, error } = await open({ about: '', code: 'unexpected', message: '', bytes: container });
  expect(error).toBeNull();
  expect(opened.equals(plain)).toBe(true);
});

describe('a broken container', () => {
  test.each(fixtures.map((fixture) => [fixture.about, fixture] as const))('%s', async (_, fixture) => {
    const { plain: opened, error } = await open(fixture);
    expectError(error, fixture.code, fixture.message);
    expect(opened.equals(plain.subarray(0, fixture.before ?? 0))).toBe(true);
  });

  test('there is a fixture for every open.* row of the catalogue', () => {
    const rows = Object.keys(CATALOGUE).filter((code) => code.startsWith('open.'));
    // Keys that can't be imported, containers of other folders, and files too large for a page have tests of their own.
    const elsewhere = ['open.import_keys', 'open.foreign', 'open.too_large_here'] as const;
    const covered = new Set([...fixtures.map((fixture) => fixture.code), ...elsewhere]);
    expect([...covered].sort()).toEqual(rows.sort());
  });
});
