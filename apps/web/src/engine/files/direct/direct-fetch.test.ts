import { PARTS_TYPE } from '@satchel/contract/wire/direct-reads';
import { beforeEach, describe, expect, test } from 'vitest';
import { createDirectFetch } from './direct-fetch.ts';
import type { Rest } from './store-rest.ts';

const FILE = 'https://satchel.example/storage/v1/object/public/b/p/a.enc';
const STORE = 'https://s3.example/';
const ETAG = '"one"';
const bytes = Uint8Array.from({ length: 1000 }, (_, at) => (at * 7) & 0xff);
/** Where the parts of the file begin; each object has some bytes more. */
const STARTS = [0, 300, 600];

interface Asked {
  readonly url: string;
  readonly range: string | null;
  readonly accept: string | null;
}

let asked: Asked[];
let rested: number;
/** What the store does with its next requests: answer, or fail in some way. */
let store: ('ok' | 'unreachable' | 'refuses' | 'short' | 'breaks' | 'silent')[];
let leads: boolean;
let eTag: string;
let validSeconds: number;

beforeEach(() => {
  [asked, rested, store, leads, eTag, validSeconds] = [[], 0, [], true, ETAG, 60];
});

const rest: Rest = {
  isOn: () => rested > 0,
  isOnElsewhere: async () => false,
  begin: () => {
    rested += 1;
  },
};

const rangeOf = (range: string | null): [number, number] => {
  const [, from = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  return [Number(from), last === '' ? bytes.length : Math.min(Number(last) + 1, bytes.length)];
};

function fromServer(range: string | null, headers: Headers): Response {
  const [start, end] = rangeOf(range);
  const isRange = range !== null && (headers.get('If-Range') ?? eTag) === eTag;
  if (leads && headers.get('Accept') === PARTS_TYPE) {
    const parts = STARTS.map((from, index) => ({
      start: from,
      end: STARTS[index + 1] ?? bytes.length,
      url: `${STORE}${index}`,
    })).filter((part) => part.start < end && start < part.end);
    const answer = { size_bytes: bytes.length, valid_seconds: validSeconds, parts: parts.slice(0, 2) };
    return new Response(JSON.stringify(answer), { headers: { 'Content-Type': PARTS_TYPE, ETag: eTag } });
  }
  const contentRange = `bytes ${start}-${end - 1}/${bytes.length}`;
  return isRange
    ? new Response(bytes.slice(start, end), { status: 206, headers: { 'Content-Range': contentRange, ETag: eTag } })
    : new Response(bytes.slice(), { headers: { ETag: eTag } });
}

function fromStore(index: number, range: string | null, signal: AbortSignal): Promise<Response> {
  const how = store.shift() ?? 'ok';
  if (how === 'unreachable') return Promise.reject(new TypeError('Failed to fetch'));
  if (how === 'refuses') return Promise.resolve(new Response('<Error/>', { status: 403 }));
  if (how === 'silent') {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new TypeError('aborted'))));
  }
  const [from, to] = rangeOf(range);
  const part = bytes.slice(STARTS[index]! + from, STARTS[index]! + to);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(how === 'ok' ? part : part.slice(0, 50));
      if (how === 'breaks') return;
      controller.close();
    },
    pull(controller) {
      if (how === 'breaks') controller.error(new TypeError('network error'));
    },
  });
  return Promise.resolve(new Response(body, { status: 206 }));
}

const web: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  const url = String(input);
  const range = headers.get('Range');
  asked.push({ url, range, accept: headers.get('Accept') });
  if (!url.startsWith(STORE)) return fromServer(range, headers);
  return fromStore(Number(url.slice(STORE.length)), range, init!.signal!);
};

/** Waits long for the store, on a machine that is busy, too. */
const open = (silentMs = 60_000) => createDirectFetch({ fetch: web, rest, silentMs });
const read = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const ofStore = () => asked.filter(({ url }) => url.startsWith(STORE));
/** Requests for bytes, not for addresses. */
const ofServer = () => asked.filter(({ url, accept }) => url === FILE && accept === null);

describe('fetching where the server leads to the store', () => {
  test('the whole file comes from its parts, and no byte of it from the server', async () => {
    const response = await open()(FILE);
    expect([response.status, response.headers.get('Content-Length')]).toEqual([200, '1000']);
    expect(await read(response)).toEqual(bytes);
    expect(ofStore().map(({ range }) => range)).toEqual(['bytes=0-299', 'bytes=0-299', 'bytes=0-399']);
    expect(ofServer()).toEqual([]);
  });

  test('a range is answered as the server does, and the next one needs no further question', async () => {
    const direct = open();
    const response = await direct(FILE, { headers: { Range: 'bytes=290-310' } });
    expect([response.status, response.headers.get('Content-Range')]).toEqual([206, 'bytes 290-310/1000']);
    expect(await read(response)).toEqual(bytes.slice(290, 311));
    expect(await read(await direct(FILE, { headers: { Range: 'bytes=5-9' } }))).toEqual(bytes.slice(5, 10));
    expect(asked.filter(({ accept }) => accept === PARTS_TYPE)).toHaveLength(1);
  });

  test('addresses are asked for again when they have ended', async () => {
    validSeconds = 5;
    const response = await open()(FILE);
    expect(await read(response)).toEqual(bytes);
    expect(asked.filter(({ accept }) => accept === PARTS_TYPE)).toHaveLength(3);
  });

  test('a store that can’t be reached costs one request, and then none for a while', async () => {
    for (const how of ['unreachable', 'refuses', 'silent'] as const) {
      [asked, rested, store] = [[], 0, [how]];
      const direct = open(how === 'silent' ? 20 : undefined);
      expect(await read(await direct(FILE)), how).toEqual(bytes);
      expect(await read(await direct(FILE, { headers: { Range: 'bytes=1-2' } }))).toEqual(bytes.slice(1, 3));
      expect([ofStore().length, ofServer().length, rested], how).toEqual([1, 2, 1]);
    }
  });

  test('where the store breaks off in the middle, the server continues without a byte lost or twice', async () => {
    for (const how of ['breaks', 'short', 'unreachable'] as const) {
      [asked, rested, store] = [[], 0, ['ok', how]];
      expect(await read(await open()(FILE)), how).toEqual(bytes);
      expect(ofServer().map(({ range }) => range)).toEqual([how === 'unreachable' ? 'bytes=300-999' : 'bytes=350-999']);
    }
  });

  test('the rest of another version is never taken for the rest of this one', async () => {
    store = ['ok', 'breaks'];
    const response = await open()(FILE);
    eTag = '"two"';
    await expect(read(response)).rejects.toThrow('The rest can');
  });

  test('giving up ends what is on its way, and asks no one else', async () => {
    store = ['silent'];
    const leaving = new AbortController();
    const response = open()(FILE, { signal: leaving.signal });
    await expect.poll(() => ofStore().length).toBe(1);
    leaving.abort();
    await expect(response).rejects.toThrow();
    expect([ofServer(), rested]).toEqual([[], 0]);
  });
});

test('where the server leads nowhere, its answer is the answer', async () => {
  leads = false;
  expect(await read(await open()(FILE, { headers: { Range: 'bytes=10-19' } }))).toEqual(bytes.slice(10, 20));
  expect(asked).toHaveLength(1);
  await open()(FILE, { headers: { Range: 'bytes=10-', 'If-Range': ETAG } });
  expect(asked.at(-1)!.accept).toBeNull();
});
