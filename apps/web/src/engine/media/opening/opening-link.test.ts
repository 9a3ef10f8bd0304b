import type { Delivery } from '@satchel/client/open/delivery-stream';
import { publicFileUrl } from '@satchel/client/open/file-url';
import { type MediaEntry, readMediaEntry } from '@satchel/client/open/media-entry';
import type { ZipEntry } from '@satchel/client/open/zip-stream';
import { listedForTest, proofForTest, sealForTest } from '@satchel/client/testing/sealed-file';
import { type FolderKeys, importKeys, newFolderKey } from '@satchel/container/key';
import { fromWire } from '@satchel/contract/errors';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createMediaHandler } from '../media-handler.ts';
import { createMediaStore } from '../media-store.ts';
import { CREDITS } from './opening-protocol.ts';
import { serveOffer } from './serve-offer.ts';

/** The line between the service worker and the opening worker, with real ports and without threads. */

type Bytes = Uint8Array<ArrayBuffer>;

const ORIGIN = 'https://satchel.example';
const STORED = 'q8Zr2mVb4Kp0Ws9x_1772366400000_abcdef12.enc';
const SIZE = 12 * 1024 ** 2 + 345;
const FILE_URL = `${ORIGIN}${publicFileUrl('unlocked-folders', 'b2f7', STORED)}`;

let keys: FolderKeys;
let plain: Bytes;
let container: Bytes;
let entry: MediaEntry;
let zip: ZipEntry;
let deliveries: Delivery[];
/** The ranges that the opening worker asked the server for, and the service worker. */
let asked: { there: string[]; here: string[] };
/** Ends the opening worker: no reply comes any more, and its lock is granted to who waits for it. */
let endWorker: () => void;
let openPorts: MessagePort[];

/** Held by a worker until it ends. */
function newLock() {
  const waiting: (() => void)[] = [];
  const request = (async (_name: string, { signal }: LockOptions, act: () => unknown) => {
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
    return act();
  }) as LockManager['request'];
  return { locks: { request }, release: () => waiting.splice(0).map((granted) => granted()) };
}

const storage =
  (ranges: string[]): typeof fetch =>
  async (_input, init) => {
    const range = new Headers(init?.headers).get('Range') ?? 'whole';
    ranges.push(range);
    init?.signal?.throwIfAborted();
    const [, first = '0', last = String(container.length)] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    const [start, end] = [Number(first), Math.min(Number(last) + 1, container.length)];
    const body = new Blob([container.slice(start, end)]).stream();
    if (range === 'whole') return new Response(body);
    const headers = { 'Content-Range': `bytes ${start}-${end - 1}/${container.length}` };
    return new Response(body, { status: 206, headers });
  };

/** A page that made offers, each with a line to its opening worker, and the service worker that answers for them. */
function site({ isSilent = false } = {}) {
  const { locks, release } = newLock();
  const store = createMediaStore({ origin: ORIGIN, askPages: async () => null, locks });
  for (const [id, offer] of [
    ['file', entry],
    ['zip', zip],
  ] as const) {
    const { port1, port2 } = new MessageChannel();
    openPorts.push(port1, port2);
    if (!isSilent) {
      serveOffer(port1, offer);
      port1.postMessage({ lock: 'the worker’s' });
    }
    expect(store.add(id, { entry: offer, port: port2 })).toBe(true);
  }
  endWorker = () => {
    // A thread that has ended asks for nothing and sends nothing.
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    release();
  };
  const handler = createMediaHandler({
    origin: ORIGIN,
    lookup: store.lookup,
    linkOf: store.linkOf,
    fetch: storage(asked.here),
    isThere: async () => true,
    onDelivery: (_id, delivery) => deliveries.push(delivery),
  });
  const get = async (path: string, headers: Record<string, string> = {}) =>
    handler.handle(new Request(`${ORIGIN}${path}`, { headers })) as Promise<Response>;
  return { get, store, cancel: handler.cancel };
}

/** Reads the rest of a stream. */
async function readRest(reader: ReadableStreamDefaultReader<Uint8Array>, first: Uint8Array[] = []): Promise<Buffer> {
  const chunks = [...first];
  for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
  return Buffer.concat(chunks);
}
const readerOf = (response: Response) => response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

beforeAll(async () => {
  keys = await importKeys(newFolderKey());
  plain = new Uint8Array(SIZE).map((_, at) => (at * 2654435761) >>> 24);
  const file = await sealForTest(keys, plain, { name: 'film.webm', type: 'video/webm', storedName: STORED });
  container = file.container;
  const listed = listedForTest(STORED, container.length);
  const proof = await proofForTest(keys, file);
  const request = { url: new URL(FILE_URL).pathname, entry: listed, proof };
  entry = await readMediaEntry(request, { fetch: storage([]), isThere: async () => true, origin: ORIGIN });
  zip = { name: 'all.zip', files: [1, 2].map(() => ({ url: FILE_URL, entry: listed, name: 'film.webm', proof })) };
});
beforeEach(() => {
  deliveries = [];
  openPorts = [];
  asked = { there: [], here: [] };
  vi.stubGlobal('fetch', storage(asked.there));
});
afterEach(() => {
  for (const port of openPorts) port.close();
  vi.unstubAllGlobals();
});

test('a file and any range of it come from the opening worker', async () => {
  const { get } = site();
  expect(Buffer.from(await (await get('/dl/file')).bytes()).equals(plain)).toBe(true);
  expect(deliveries.at(-1)).toEqual({ state: 'done', deliveredBytes: SIZE, error: null });
  const part = await get('/media/file', { Range: 'bytes=3000000-3000999' });
  expect(Buffer.from(await part.bytes()).equals(plain.subarray(3_000_000, 3_001_000))).toBe(true);
  expect([asked.there.length, asked.here]).toEqual([2, []]);
});

test('a slow reader holds it up: no more units come than there is credit for', async () => {
  const { get } = site();
  const body = (await get('/dl/file')).body as ReadableStream<Uint8Array>;
  const received = vi.fn();
  const posted = vi.spyOn(MessagePort.prototype, 'postMessage');
  const reader = body.getReader();
  const first = await reader.read();
  await settled();
  for (const [message] of posted.mock.calls) if (message?.type === 'unit') received();
  expect(received.mock.calls.length).toBeLessThanOrEqual(CREDITS + 1);
  posted.mockRestore();
  expect((await readRest(reader, [first.value as Uint8Array])).equals(plain)).toBe(true);
});

test('a worker that ends in the middle costs nothing: the service worker continues from the same byte', async () => {
  const { get } = site();
  const reader = readerOf(await get('/dl/file'));
  const first = await reader.read();
  await settled();
  endWorker();
  expect((await readRest(reader, [first.value as Uint8Array])).equals(plain)).toBe(true);
  expect(asked.here).toHaveLength(1);
  expect(Number(/^bytes=(\d+)-/.exec(asked.here[0] ?? '')?.[1])).toBeGreaterThan(0);
  expect(deliveries.at(-1)?.state).toBe('done');
  expect(Buffer.from(await (await get('/media/file', { Range: 'bytes=5-9' })).bytes())).toEqual(
    Buffer.from(plain.subarray(5, 10)),
  );
});

test('a zip continues, too, and is the same', async () => {
  const whole = Buffer.from(await (await site().get('/dl/zip')).bytes());
  expect([asked.there.length, asked.here.length]).toEqual([2, 0]);
  const { get } = site();
  const reader = readerOf(await get('/dl/zip'));
  const begin: Uint8Array[] = [];
  for (let count = 0; count < 12; count++) begin.push((await reader.read()).value as Uint8Array);
  endWorker();
  expect((await readRest(reader, begin)).equals(whole)).toBe(true);
  expect(asked.here).toHaveLength(2);
  expect(deliveries.at(-1)).toMatchObject({ state: 'done', deliveredBytes: whole.length, place: { index: 1 } });
});

test('without an opening worker, or with one that does not start, files are opened here', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answer = (await site({ isSilent: true }).get('/dl/file')).bytes();
  await vi.advanceTimersByTimeAsync(3000);
  vi.useRealTimers();
  expect(Buffer.from(await answer).equals(plain)).toBe(true);
  expect(asked).toEqual({ there: [], here: [expect.stringMatching(/^bytes=/)] });
});

test('an error of the opening worker fails the download, and nothing is tried here', async () => {
  const right = container;
  container = right.slice();
  const middle = container.length >> 1;
  container[middle] = (container[middle] ?? 0) ^ 1;
  try {
    await expect((await site().get('/dl/file')).bytes()).rejects.toThrow(/HMAC verification failed for chunk/);
  } finally {
    container = right;
  }
  expect(fromWire(deliveries.at(-1)?.error)?.code).toBe('open.bad_hmac');
  expect([deliveries.at(-1)?.state, asked.here]).toEqual(['failed', []]);
});

/** Of the last request of the opening worker. */
function followRequest(): () => AbortSignal | null | undefined {
  let signal: AbortSignal | null | undefined;
  const right = globalThis.fetch;
  vi.stubGlobal('fetch', (...request: Parameters<typeof fetch>) => {
    signal = request[1]?.signal;
    return right(...request);
  });
  return () => signal;
}

test('a reader that cancels ends the request of the opening worker', async () => {
  const signal = followRequest();
  const { get, cancel } = site();
  const reader = readerOf(await get('/dl/file'));
  await reader.read();
  expect(signal()?.aborted).toBe(false);
  await reader.cancel();
  await vi.waitFor(() => expect(signal()?.aborted).toBe(true), WAIT_MS);
  expect(deliveries.at(-1)?.state).toBe('cancelled');
  const zipped = readerOf(await get('/dl/zip'));
  await zipped.read();
  cancel('zip');
  await expect(zipped.read()).rejects.toThrow('Cancelled');
  await vi.waitFor(() => expect(signal()?.aborted).toBe(true), WAIT_MS);
  expect([deliveries.at(-1)?.state, asked.here]).toEqual(['cancelled', []]);
});

test('an offer that was withdrawn ends what the worker still opens for it; a reader that stays gets the rest', async () => {
  const signal = followRequest();
  const { get, store } = site();
  const reader = readerOf(await get('/dl/file'));
  await reader.read();
  store.delete('file');
  await vi.waitFor(() => expect(signal()?.aborted).toBe(true), WAIT_MS);
  expect((await readRest(reader)).length).toBeGreaterThan(SIZE / 2);
  expect([deliveries.at(-1)?.state, asked.here.length]).toEqual(['done', 1]);
});
