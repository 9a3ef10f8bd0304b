import { type FolderKeys, importKeys, newFolderKey } from '@satchel/container/key';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { listedForTest, proofForTest, sealForTest } from '../testing/sealed-file.ts';
import { publicFileUrl } from './file-url.ts';
import { type MediaEntry, readMediaEntry } from './media-entry.ts';
import { openRange } from './open-range.ts';

type Bytes = Uint8Array<ArrayBuffer>;
const ORIGIN = 'https://satchel.example';
const SIZE = 3 * 1024 ** 2;
const plain: Bytes = new Uint8Array(SIZE).map((_, at) => (at * 2654435761) >>> 24);
let keys: FolderKeys;
let entry: MediaEntry;
let container: Bytes;
/** Bytes of each answer before the line swallows the rest; none is swallowed once the list is used up. */
let swallowedAfter: number[];
let begins: number[];

/** An answer that stands still after a number of bytes, until it is given up. */
function silentAfter(bytes: Bytes, signal: AbortSignal): ReadableStream<Bytes> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
    },
  });
}

const storage: typeof fetch = async (_input, init) => {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get('Range') ?? '') ?? [];
  const [start, end] = [Number(first), Math.min(Number(last) + 1, container.length)];
  begins.push(start);
  const bytes = container.slice(start, end);
  const most = swallowedAfter.shift();
  const body = most === undefined ? bytes : silentAfter(bytes.slice(0, most), init!.signal!);
  return new Response(body, {
    status: 206,
    headers: { 'Content-Range': `bytes ${start}-${end - 1}/${container.length}` },
  });
};

async function opened(isThere: () => Promise<boolean>): Promise<Bytes> {
  const deps = { fetch: storage, signal: new AbortController().signal, retryDelaysMs: [0, 0], isThere };
  const parts: Bytes[] = [];
  for await (const unit of openRange(entry, 0, SIZE, deps).units) parts.push(...unit.map((part) => part.slice()));
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Lets time pass, and what is computed outside of it. */
async function passUntil(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await vi.advanceTimersByTimeAsync(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

beforeAll(async () => {
  keys = await importKeys(newFolderKey());
  const file = await sealForTest(keys, plain, { name: 'film.webm', type: 'video/webm', storedName: 'a.enc' });
  container = file.container;
  swallowedAfter = [];
  begins = [];
  const proof = await proofForTest(keys, file);
  const listed = listedForTest('a.enc', container.length);
  entry = await readMediaEntry(
    { url: publicFileUrl('unlocked-folders', 'b2f7', 'a.enc'), entry: listed, proof },
    { fetch: storage, isThere: async () => true, origin: ORIGIN },
  );
});
beforeEach(() => {
  begins = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('the rest is asked for again where a line swallows it', async () => {
  swallowedAfter = [1_500_000];
  let content: Bytes | null = null;
  void opened(async () => false).then((bytes) => {
    content = bytes;
  });
  await passUntil(() => content !== null);
  expect(Buffer.compare(content!, plain)).toBe(0);
  expect(begins).toHaveLength(2);
  expect(begins[1]).toBeGreaterThan(0);
});

test('a line that is only slow is waited for', async () => {
  swallowedAfter = [1_500_000];
  let asked = 0;
  let isGone = false;
  let content: Bytes | null = null;
  void opened(async () => {
    asked += 1;
    return !isGone;
  }).then((bytes) => {
    content = bytes;
  });
  await passUntil(() => asked === 30);
  expect(begins).toHaveLength(1);
  isGone = true;
  await passUntil(() => content !== null);
  expect(Buffer.compare(content!, plain)).toBe(0);
});
