import { type FolderKeys, importKeys, newFolderKey } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { listedForTest, proofForTest, sealForTest } from '../testing/sealed-file.ts';
import { publicFileUrl } from './file-url.ts';
import { blobReader, createRangeReader, plainReader } from './read-range.ts';

const ORIGIN = 'https://satchel.example';
const SIZE = 3 * 1024 ** 2 + 12_345;

let keys: FolderKeys;
let plain: Uint8Array<ArrayBuffer>;
let stored: Uint8Array<ArrayBuffer>;
let storedName: string;
let proof: FileProof;
let answeredBytes: number;
let refusals: number;
let refusal: number;
/** How many requests get no answer. */
let silences: number;

beforeAll(async () => {
  keys = await importKeys(newFolderKey());
  plain = Uint8Array.from({ length: SIZE }, (_, at) => (at * 31 + (at >> 11)) & 0xff);
  const sealed = await sealForTest(keys, plain, { name: 'backup.zip', type: 'application/zip' });
  ({ container: stored, storedName } = sealed);
  proof = await proofForTest(keys, sealed);
});
beforeEach(() => {
  [answeredBytes, refusals, refusal, silences] = [0, 0, 404, 0];
});

const storage: typeof fetch = async (_, init) => {
  if (silences-- > 0)
    return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('given up'))));
  if (refusals-- > 0) return new Response('{}', { status: refusal });
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get('Range') ?? '') ?? [];
  const bytes = stored.slice(Number(from), Number(to) + 1);
  answeredBytes += bytes.length;
  const range = `bytes ${from}-${Number(from) + bytes.length - 1}/${stored.length}`;
  return new Response(bytes, { status: 206, headers: { 'Content-Range': range } });
};
const reader = (retryDelaysMs: readonly number[] = []) => {
  const entry = listedForTest(storedName, stored.length);
  const url = publicFileUrl('unlocked-folders', 'b2f7', storedName);
  return createRangeReader(
    { url, entry, proof },
    { fetch: storage, isThere: async () => true, origin: ORIGIN, retryDelaysMs },
  );
};

test('the end of a sealed file is read without fetching the rest', async () => {
  expect(await reader()(SIZE - 1000, SIZE + 5000)).toEqual(plain.slice(SIZE - 1000));
  expect(answeredBytes).toBeLessThan(SIZE / 2);
});

test('any range has the bytes of the file, and past its end there are none', async () => {
  const read = reader();
  expect(await read(700_000, 1_700_001)).toEqual(plain.slice(700_000, 1_700_001));
  expect(await read(SIZE + 1, SIZE + 10)).toHaveLength(0);
  expect(await blobReader(new Blob([plain]))(5, 9)).toEqual(plain.slice(5, 9));
});

test('a plain file is read by ranges; where no parts are sent, it is not read at all', async () => {
  const file = { url: '/notes.txt', name: 'notes.txt', sizeBytes: stored.length };
  const line = { fetch: storage, isThere: async () => true };
  const read = plainReader(file, line);
  expect(await read(10, 20)).toEqual(stored.slice(10, 20));
  expect(await read(stored.length - 5, stored.length + 5)).toEqual(stored.slice(-5));
  expect(await read(stored.length, stored.length + 5)).toHaveLength(0);
  const whole = plainReader(file, { ...line, fetch: async () => new Response('everything') });
  await expect(whole(0, 3)).rejects.toMatchObject({ code: 'download.file_failed' });
  const shorter = plainReader({ ...file, sizeBytes: stored.length + 9 }, line);
  await expect(shorter(stored.length - 1, stored.length + 9)).rejects.toMatchObject({ code: 'download.file_failed' });
});

test('bytes of a damaged chunk are not handed out, and a header that could not be read is read again', async () => {
  const whole = stored;
  stored = stored.slice();
  stored[stored.length - 2000]! ^= 1;
  await expect(reader()(SIZE - 10_000, SIZE)).rejects.toMatchObject({ code: 'open.bad_hmac' });
  stored = whole;
  refusals = 1;
  const read = reader();
  await expect(read(0, 10)).rejects.toMatchObject({ code: 'download.file_failed' });
  expect(await read(0, 10)).toEqual(plain.slice(0, 10));
});

test('a reader that is given up while it waits for the header leaves others to ask for it themselves', async () => {
  silences = 1;
  const read = reader();
  const control = new AbortController();
  const first = read(0, 9, control.signal);
  const second = read(0, 9);
  control.abort();
  await expect(first).rejects.toThrow();
  expect(await second).toEqual(plain.slice(0, 9));
});

test('the header is requested again when a proxy had no server', async () => {
  [refusals, refusal] = [2, 502];
  expect(await reader([0, 0])(0, 10)).toEqual(plain.slice(0, 10));
});
