import { publicFileUrl } from '@satchel/client/open/file-url';
import { type MediaEntry, readMediaEntry } from '@satchel/client/open/media-entry';
import { listedForTest, proofForTest, sealForTest } from '@satchel/client/testing/sealed-file';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createMediaHandler } from './media-handler.ts';
import { TAKEOVER_MS } from './stream-lock.ts';

/** What the worker that serves the site does while a newer one takes over from it. */

const ORIGIN = 'https://satchel.example';
const STORED = 'q8Zr2mVb4Kp0Ws9x_1772366400000_abcdef12.enc';
const SIZE = 200_000;

let entry: MediaEntry;
let container: Uint8Array<ArrayBuffer>;
let ends: number;
let isTakenOver: boolean;
let waitedMs: number[];

const storage: typeof fetch = async (_, init) => {
  const [start = 0, last = 0] = new Headers(init?.headers).get('Range')?.match(/\d+/g)?.map(Number) ?? [];
  const end = Math.min(last + 1, container.length);
  const headers = { 'Content-Range': `bytes ${start}-${end - 1}/${container.length}` };
  return new Response(container.slice(start, end), { status: 206, headers });
};
const { handle } = createMediaHandler({
  origin: ORIGIN,
  lookup: async () => entry,
  fetch: storage,
  isThere: async () => true,
  begin: async () => (isTakenOver ? null : () => void ends++),
  sleep: async (delayMs) => void waitedMs.push(delayMs),
  onDelivery: () => {},
});
const ask = async (path: string, method = 'GET'): Promise<Response> => {
  const answer = handle(new Request(`${ORIGIN}${path}`, { method }));
  if (answer === null) throw new Error('not handled');
  return answer;
};

beforeAll(async () => {
  const keys = await importKeys(newFolderKey());
  const file = await sealForTest(keys, new Uint8Array(SIZE), {
    name: 'a.webm',
    type: 'video/webm',
    storedName: STORED,
  });
  container = file.container;
  const stored = listedForTest(STORED, container.length);
  const url = publicFileUrl('unlocked-folders', 'b2f7', STORED);
  const proof = await proofForTest(keys, file);
  entry = await readMediaEntry(
    { url, entry: stored, proof },
    { fetch: storage, isThere: async () => true, origin: ORIGIN },
  );
});
beforeEach(() => {
  ends = 0;
  isTakenOver = true;
  waitedMs = [];
});

test('a download is led to the same address after a moment, which the newer one then answers', async () => {
  const response = await ask('/dl/id-1');
  expect([response.status, response.headers.get('Location')]).toEqual([307, `${ORIGIN}/dl/id-1`]);
  expect(waitedMs).toEqual([250]);
  expect((await ask('/dl/id-1', 'HEAD')).status).toBe(200);
});

test('a browser that follows twenty redirects is led to it until a takeover must be over', async () => {
  for (let followed = 0; followed < 20; followed += 1) expect((await ask('/dl/id-1')).status).toBe(307);
  expect(waitedMs.reduce((sum, delayMs) => sum + delayMs)).toBeGreaterThan(TAKEOVER_MS);
});

test('a film continues: a player asks for what it misses', async () => {
  expect((await (await ask('/media/id-1')).arrayBuffer()).byteLength).toBe(SIZE);
});

test('what is handed out ends with its last byte, or when it is given up; what a player never reads did not begin', async () => {
  isTakenOver = false;
  await (await ask('/dl/id-1')).arrayBuffer();
  expect(ends).toBe(1);
  await (await ask('/dl/id-1')).body?.cancel();
  expect(ends).toBe(2);
  await (await ask('/media/id-1')).body?.cancel();
  expect(ends).toBe(2);
  await (await ask('/media/id-1')).arrayBuffer();
  await expect.poll(() => ends).toBe(3);
});
