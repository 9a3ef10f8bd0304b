import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchedFetch } from './watched-fetch.ts';

/** What the line does: it gives an answer of a few bytes and then nothing, or nothing at all. */
let answers: boolean;
let isThere: boolean;
let asked: number;

const until = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const silentLine: typeof fetch = async (_input, init) => {
  const signal = init!.signal!;
  if (!answers) return until(signal);
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(5));
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
    },
  });
  return new Response(body, { status: 206, headers: { ETag: '"1"' } });
};

const line = {
  fetch: silentLine,
  isThere: async () => {
    asked += 1;
    return isThere;
  },
};
const watched = (init: RequestInit = {}) => watchedFetch(line, '/a', init);

beforeEach(() => {
  [answers, isThere, asked] = [true, false, 0];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const SILENT = 'The line is silent';

test('a request whose line swallows everything fails within twenty seconds', async () => {
  answers = false;
  const failed = expect(watched()).rejects.toThrow(SILENT);
  await vi.advanceTimersByTimeAsync(20_000);
  await failed;
});

test('so does an answer whose rest is swallowed, and what came before is handed out', async () => {
  const response = await watched();
  expect([response.status, response.headers.get('ETag')]).toEqual([206, '"1"']);
  const reader = response.body!.getReader();
  expect((await reader.read()).value).toHaveLength(5);
  const failed = expect(reader.read()).rejects.toThrow(SILENT);
  await vi.advanceTimersByTimeAsync(20_000);
  await failed;
});

test('a line that is only slow is waited for', async () => {
  answers = false;
  isThere = true;
  const failed = expect(watched()).rejects.toThrow(SILENT);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toBeGreaterThan(20);
  isThere = false;
  await vi.advanceTimersByTimeAsync(20_000);
  await failed;
});

test('an answer that nobody reads for long is not given up', async () => {
  const reader = (await watched()).body!.getReader();
  await vi.advanceTimersByTimeAsync(600_000);
  expect((await reader.read()).value).toHaveLength(5);
  expect(asked).toBe(0);
});

test('a request that is given up fails for that reason', async () => {
  answers = false;
  const control = new AbortController();
  const failed = expect(watched({ signal: control.signal })).rejects.toThrow('Cancelled');
  control.abort(new DOMException('Cancelled', 'AbortError'));
  await failed;
});

/** WebKit has no byte streams before Safari 26.4, so an answer there is copied once. */
const BYTE_STREAMS = 'ReadableByteStreamController' in globalThis ? (['bytes'] as const) : [];

test.each(BYTE_STREAMS)('an answer of %s is read into the buffers that its reader gives, to its end', async (type) => {
  const given: number[] = [];
  let left = 3;
  const body = new ReadableStream({
    type,
    pull(controller) {
      const request = controller.byobRequest!;
      given.push(request.view!.buffer.byteLength);
      left -= 1;
      if (left === 0) controller.close();
      request.respond(left === 0 ? 0 : 1000);
    },
  });
  const response = await watchedFetch({ ...line, fetch: async () => new Response(body) }, '/a', {});
  const reader = response.body!.getReader({ mode: 'byob' });
  let buffer = new ArrayBuffer(4321);
  const sizes: number[] = [];
  for (;;) {
    const { value, done } = await reader.read(new Uint8Array(buffer));
    buffer = value!.buffer;
    if (done) break;
    sizes.push(value!.byteLength);
  }
  expect(sizes).toEqual([1000, 1000]);
  expect(given).toEqual([4321, 4321, 4321]);
});

test('and as a whole by whoever gives none', async () => {
  const words = 'The ferry leaves at nine. '.repeat(5000);
  const response = await watchedFetch({ ...line, fetch: async () => new Response(words) }, '/a', {});
  expect(await response.text()).toBe(words);
});
