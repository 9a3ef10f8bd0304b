import type { Delivery } from '@satchel/client/open/delivery-stream';
import { publicFileUrl } from '@satchel/client/open/file-url';
import { type MediaEntry, readMediaEntry } from '@satchel/client/open/media-entry';
import { listedForTest, proofForTest, sealForTest } from '@satchel/client/testing/sealed-file';
import { type FolderKeys, importKeys, newFolderKey } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import { AppError, fromWire } from '@satchel/contract/errors';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMediaHandler } from './media-handler.ts';
import { PIECE_MIN_BYTES } from './media-range.ts';
import { createMediaStore } from './media-store.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const ORIGIN = 'https://satchel.example';
const STORED = 'q8Zr2mVb4Kp0Ws9x_1772366400000_abcdef12.enc';
const URL_PATH = publicFileUrl('unlocked-folders', 'b2f7', STORED);
const NAME = 'Ferien – "Tag 1".webm';
const SIZE = 3 * 1024 ** 2 + 12_345;

let keys: FolderKeys;
let plain: Bytes;
let container: Bytes;
let proof: FileProof;

/** The storage route, as far as ranges go; `asked` keeps the ranges, `readWhole` counts the answers that were read to their end. */
let asked: string[];
let readWhole: number;
let body: Bytes;
let refuse: (() => Response) | null;
/** After how many bytes each answer's line breaks; none once the list is used up. */
let breaks: number[];
/** What the storage answers first, once each. */
let hiccups: (() => Response)[];

const counting = () => new TransformStream<Uint8Array, Uint8Array>({ flush: () => void readWhole++ });
const breaking = (afterBytes: number) => {
  let passed = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      controller.enqueue(piece.subarray(0, Math.max(0, afterBytes - passed)));
      passed += piece.length;
      if (passed > afterBytes) controller.error(new TypeError('network error'));
    },
  });
};
const storage: typeof fetch = async (input, init) => {
  const range = new Headers(init?.headers).get('Range') ?? '';
  expect(String(input)).toBe(`${ORIGIN}${URL_PATH}`);
  asked.push(range);
  if (refuse) return refuse();
  const hiccup = hiccups.shift();
  if (hiccup) return hiccup();
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  const start = Number(first);
  const end = Math.min(Number(last) + 1, body.length);
  const headers = { 'Content-Range': `bytes ${start}-${end - 1}/${body.length}` };
  const pieces = new Blob([body.slice(start, end)]).stream().pipeThrough(counting());
  const breakAfter = breaks.shift();
  const stream = breakAfter === undefined ? pieces : pieces.pipeThrough(breaking(breakAfter));
  return new Response(stream, { status: 206, headers });
};

const entryOf = (size: number) => listedForTest(STORED, size);
const read = (over: { url?: string; proof?: FileProof } = {}): Promise<MediaEntry> =>
  readMediaEntry(
    { url: over.url ?? URL_PATH, entry: entryOf(body.length), proof: over.proof ?? proof },
    { fetch: storage, isThere: async () => true, origin: ORIGIN },
  );

let deliveries: Delivery[];
let entry: MediaEntry;
let known: MediaEntry | null;
const { handle } = createMediaHandler({
  origin: ORIGIN,
  lookup: async (id) => (id === 'id-1' ? known : null),
  fetch: (...request) => storage(...request),
  isThere: async () => true,
  retryDelaysMs: [0, 0, 0],
  onDelivery: (_id, delivery) => deliveries.push(delivery),
});
const get = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> => {
  const answer = handle(new Request(`${ORIGIN}${path}`, { headers, method }));
  if (answer === null) throw new Error('not handled');
  return answer;
};
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'fine',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

beforeAll(async () => {
  keys = await importKeys(newFolderKey());
  plain = new Uint8Array(SIZE).map((_, at) => (at * 2654435761) >>> 24);
  const file = await sealForTest(keys, plain, { name: NAME, type: 'video/webm', storedName: STORED });
  container = file.container;
  proof = await proofForTest(keys, file);
});
beforeEach(async () => {
  refuse = null;
  breaks = [];
  hiccups = [];
  body = container;
  asked = [];
  entry = await read();
  known = entry;
  asked = [];
  readWhole = 0;
  deliveries = [];
});

describe('what a file’s header says', () => {
  test('is name, safe type and size, by at most its first 8,196 bytes', async () => {
    await read();
    expect(asked).toEqual(['bytes=0-8195']);
    expect([entry.name, entry.type, entry.sizeBytes]).toEqual([NAME, 'video/webm', SIZE]);
  });

  test('must be what the label says: not another file’s of the same size, not of another size', async () => {
    const other = await sealForTest(keys, plain, { name: NAME, type: 'video/webm', storedName: STORED });
    expect(await codeOf(read({ proof: await proofForTest(keys, other) }))).toBe('open.foreign');
    expect(await codeOf(read({ proof: { ...proof, sizeBytes: SIZE - 1 } }))).toBe('open.foreign');
    body = other.container;
    expect(await codeOf(read())).toBe('open.foreign');
  });

  test('gives name and type of the label, not of the header', async () => {
    const label = { name: 'renamed.mp4', type: 'video/mp4' };
    const renamed = await read({ proof: { ...proof, label } });
    expect([renamed.name, renamed.type]).toEqual(['renamed.mp4', 'video/mp4']);
  });

  test('must fit the stored size', async () => {
    body = container.slice(0, -1);
    expect(await codeOf(read())).toBe('open.corrupted');
    body = (await new Blob([container, 'x']).bytes()) as Bytes;
    expect(await codeOf(read())).toBe('open.size_mismatch');
  });

  test('is never read from elsewhere', async () => {
    expect(await codeOf(read({ url: 'https://other.example/x.enc' }))).toBe('storage.bad_path');
    expect(asked).toEqual([]);
  });

  test('is refused in the server’s words', async () => {
    refuse = () => Response.json(new AppError('storage.not_found').toWire(), { status: 404 });
    await expect(read()).rejects.toThrow(/^Failed to download file .*: Object not found$/);
    refuse = () => new Response('all of it');
    await expect(read()).rejects.toThrow('HTTP 200');
  });
});

describe('/media', () => {
  test('answers any range with exactly its bytes, and asks for no more chunks than it takes', async () => {
    const chunkBytes = entry.decoded.header.chunkSize;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: SIZE - 1 }), fc.nat({ max: 300_000 }), async (start, length) => {
        asked = [];
        const response = await get('/media/id-1', { Range: `bytes=${start}-${start + length}` });
        const end = Math.min(SIZE, start + length + 1);
        expect(response.status).toBe(206);
        expect(response.headers.get('Content-Range')).toBe(`bytes ${start}-${end - 1}/${SIZE}`);
        expect(response.headers.get('Content-Length')).toBe(String(end - start));
        expect(Buffer.from(await response.bytes()).equals(plain.subarray(start, end))).toBe(true);
        const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(asked[0] ?? '') ?? [];
        expect(Number(last) - Number(first)).toBeLessThan(end - start + 2 * (chunkBytes + 52) + 52 * 40);
      }),
      { numRuns: 40 },
    );
  });

  test('gives a range without an end to the file’s end, gives a suffix, and refuses what lies beyond the file', async () => {
    const open = await get('/media/id-1', { Range: 'bytes=100-' });
    expect(open.headers.get('Content-Range')).toBe(`bytes 100-${SIZE - 1}/${SIZE}`);
    expect(Buffer.from(await open.bytes()).equals(plain.subarray(100))).toBe(true);
    const suffix = await get('/media/id-1', { Range: 'bytes=-7' });
    expect(Buffer.from(await suffix.bytes()).equals(plain.subarray(-7))).toBe(true);
    const beyond = await get('/media/id-1', { Range: `bytes=${SIZE}-` });
    expect([beyond.status, beyond.headers.get('Content-Range')]).toEqual([416, `bytes */${SIZE}`]);
  });

  test('asks for no chunk twice while a player reads on, and for no more than a piece of what it leaves unread', async () => {
    await (await get('/media/id-1', { Range: 'bytes=0-' })).bytes();
    const ranges = asked.map((range) => (/^bytes=(\d+)-(\d+)$/.exec(range) ?? []).slice(1).map(Number));
    expect(ranges.length).toBeGreaterThan(1);
    for (const [index, [first]] of ranges.entries())
      if (index > 0) expect(first).toBe((ranges[index - 1]?.[1] ?? 0) + 1);
    asked = [];
    const whole = readWhole;
    const unread = (await get('/media/id-1', { Range: `bytes=${Math.floor(SIZE / 2)}-` })).body?.getReader();
    await unread?.read();
    await expect.poll(() => readWhole).toBe(whole + 1);
    expect(asked).toHaveLength(1);
    const [first = 0, last = 0] = asked[0]?.match(/\d+/g)?.map(Number) ?? [];
    expect(last - first).toBeLessThan(PIECE_MIN_BYTES + 2 * (entry.decoded.header.chunkSize + 52) + 52 * 40);
    await unread?.cancel();
    expect(deliveries).toEqual([]);
  });

  test('gives the whole file without a range, and no body to HEAD', async () => {
    const whole = await get('/media/id-1');
    expect([whole.status, whole.headers.get('Content-Length')]).toEqual([200, String(SIZE)]);
    expect(Buffer.from(await whole.bytes()).equals(plain)).toBe(true);
    const head = await get('/media/id-1', { Range: 'bytes=0-9' }, 'HEAD');
    expect([head.status, head.headers.get('Content-Length'), head.body]).toEqual([206, '10', null]);
  });

  test('keeps what it hands out from running, being sniffed or being kept', async () => {
    const { headers } = await get('/media/id-1', {}, 'HEAD');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'video/webm',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    });
  });

  test('reports a damaged range and errors, but says nothing of ranges that a player gives up', async () => {
    const given = await get('/media/id-1', { Range: 'bytes=0-' });
    await given.body?.cancel();
    expect(deliveries).toEqual([]);
    body = container.slice();
    body[2_000_000] = (body[2_000_000] ?? 0) ^ 1;
    const response = await get('/media/id-1', { Range: 'bytes=1900000-2100000' });
    expect(await codeOf(response.bytes())).toBe('open.bad_hmac');
    expect(deliveries.map(({ state, error }) => [state, fromWire(error)?.code])).toEqual([['failed', 'open.bad_hmac']]);
  });
});

describe('/dl', () => {
  test('saves the whole file under its own name, as bytes', async () => {
    const response = await get('/dl/id-1');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(SIZE),
      'content-disposition': `attachment; filename="Ferien _ _Tag 1_.webm"; filename*=UTF-8''Ferien%20%E2%80%93%20%22Tag%201%22.webm`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(Buffer.from(await response.bytes()).equals(plain)).toBe(true);
    expect(deliveries.at(-1)).toEqual({ state: 'done', deliveredBytes: SIZE, error: null });
  });

  test('fetches nothing before the browser reads, and one unit at a time', async () => {
    const response = await get('/dl/id-1');
    expect(asked).toEqual([]);
    const reader = response.body?.getReader();
    await reader?.read();
    expect(deliveries.length).toBe(1);
    expect(deliveries[0]?.deliveredBytes).toBeLessThan(SIZE / 2);
    await reader?.cancel();
    expect(deliveries.at(-1)?.state).toBe('cancelled');
  });

  test('fails rather than finishes when any byte was changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: entry.decoded.prefix.length, max: container.length - 1 }), async (at) => {
        deliveries = [];
        body = container.slice();
        body[at] = (body[at] ?? 0) ^ 0x40;
        const response = await get('/dl/id-1');
        expect(await codeOf(response.bytes())).not.toBe('fine');
        expect(deliveries.at(-1)?.state).toBe('failed');
      }),
      { numRuns: 15 },
    );
  });

  test('resumes where the connection broke, as after a long pause, as often as answers bring bytes', async () => {
    breaks = [1_200_000, 900_000];
    expect(Buffer.from(await (await get('/dl/id-1')).bytes()).equals(plain)).toBe(true);
    const begins = asked.map((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1]));
    expect(begins).toHaveLength(3);
    expect(begins).toEqual([...new Set(begins)].sort((a, b) => a - b));
    expect(deliveries.at(-1)).toEqual({ state: 'done', deliveredBytes: SIZE, error: null });

    asked = [];
    breaks = [1_200_000, 0, 0, 0];
    await expect((await get('/dl/id-1')).bytes()).rejects.toThrow(/network error$/);
    expect(asked).toHaveLength(4);
    expect(deliveries.at(-1)?.state).toBe('failed');
  });

  test('waits for a server that is started again', async () => {
    const isDown = () => {
      throw new TypeError('Failed to fetch');
    };
    hiccups = [isDown, () => new Response('starting', { status: 502 })];
    breaks = [1_200_000];
    expect(Buffer.from(await (await get('/dl/id-1')).bytes()).equals(plain)).toBe(true);
    expect(deliveries.at(-1)).toEqual({ state: 'done', deliveredBytes: SIZE, error: null });
    refuse = () => new Response(null, { status: 503, statusText: 'Service Unavailable' });
    await expect((await get('/dl/id-1')).bytes()).rejects.toThrow(/503 Service Unavailable$/);
  });

  test('fails when the line breaks, the file was cut, or the server refuses in between', async () => {
    body = container.slice(0, 500_000);
    expect(await codeOf((await get('/dl/id-1')).bytes())).toBe('open.corrupted');
    refuse = () => Response.json(new AppError('folder.expired').toWire(), { status: 410 });
    await expect((await get('/dl/id-1')).bytes()).rejects.toThrow(/Folder expired$/);
    refuse = () => {
      throw new TypeError('Failed to fetch');
    };
    await expect((await get('/dl/id-1')).bytes()).rejects.toThrow(/Failed to fetch$/);
  });

  test('fails when the header was changed after the fact', async () => {
    const { header, prefix, macInput } = entry.decoded;
    known = {
      ...entry,
      decoded: { header: { ...header, originalType: 'text/html' }, prefix, macInput: macInput.slice() },
    };
    known.decoded.macInput[40] = (known.decoded.macInput[40] ?? 0) ^ 1;
    expect(await codeOf((await get('/dl/id-1')).bytes())).toBe('open.bad_hmac');
  });
});

/** None is taken: no offer here comes with a port. */
const NO_LOCKS = { request: () => Promise.reject(new Error('no lock')) };

describe('the worker', () => {
  test('passes every other request to the network', () => {
    for (const path of ['/', '/f/abc', '/media', '/dl', '/mediaX/id-1', '/storage/v1/object/public/a/b', '/sw.js']) {
      expect(handle(new Request(`${ORIGIN}${path}`))).toBeNull();
    }
    expect(handle(new Request('https://other.example/media/id-1'))).toBeNull();
  });

  test('answers an id that no page knows without leaving the page, and takes no writes', async () => {
    expect([(await get('/media/id-2')).status, (await get('/dl/id-2')).status]).toEqual([404, 204]);
    expect((await get('/dl/id-1', {}, 'POST')).status).toBe(405);
  });

  test('asks the pages again for what it lost, and takes nothing from elsewhere', async () => {
    const questions: string[] = [];
    const pages = new Map([
      ['mine', { entry }],
      ['theirs', { entry: { ...entry, url: 'https://other.example/x.enc' } }],
    ]);
    const store = createMediaStore({
      locks: NO_LOCKS,
      origin: ORIGIN,
      askPages: async (id) => {
        questions.push(id);
        return pages.get(id) ?? null;
      },
    });
    expect(await store.lookup('mine')).toBe(entry);
    expect(await store.lookup('mine')).toBe(entry);
    expect([await store.lookup('theirs'), await store.lookup('nobody’s')]).toEqual([null, null]);
    expect(questions).toEqual(['mine', 'theirs', 'nobody’s']);
    store.delete('mine');
    pages.clear();
    expect(await store.lookup('mine')).toBeNull();
    expect(store.add('x', { entry: { ...entry, url: `${ORIGIN}/rest/v1/folders` } })).toBe(false);
  });

  test('knows how far its downloads are', () => {
    const store = createMediaStore({ origin: ORIGIN, askPages: async () => null, locks: NO_LOCKS });
    const delivery: Delivery = { state: 'active', deliveredBytes: 5, error: null };
    expect([store.keepDelivery('a', delivery), store.keepDelivery('a', delivery)]).toEqual([true, false]);
    expect(store.deliveriesOf(['a', 'b'])).toEqual([delivery, null]);
    for (let count = 0; count < 200; count++) store.keepDelivery(`x${count}`, delivery);
    expect(store.deliveriesOf(['a', 'x199'])).toEqual([null, delivery]);
  });
});
