import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createContentClient, GIVE_UP_MS } from './content-client.ts';
import { type BytesRead, type ContentOrder, FILE_PORT } from './content-messages.ts';

type Answering = (order: ContentOrder, reply: MessagePort, file: MessagePort) => void;

/** Workers that answer as a test says. */
function makeWorkers(answer: Answering) {
  const made: { isEnded: boolean; onerror: ((event: Event) => void) | null }[] = [];
  const createWorker = () => {
    let file: MessagePort | null = null;
    const worker = {
      isEnded: false,
      onerror: null,
      postMessage(message: ContentOrder | typeof FILE_PORT, [port]: [MessagePort]) {
        if (message === FILE_PORT) file = port;
        else if (file) answer(message, port, file);
      },
      terminate() {
        worker.isEnded = true;
      },
    };
    made.push(worker);
    return worker as unknown as Worker;
  };
  return { made, createWorker };
}

const TABLE = { rows: [['a']], isCut: false };
const done: Answering = (_order, reply) => reply.postMessage({ type: 'done', answer: TABLE });
const never = async () => new Uint8Array();
const faultOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    (error) => error.fault ?? error.name,
  );

test('orders are answered one after the other, by one worker', async () => {
  const waiting: MessagePort[] = [];
  const { made, createWorker } = makeWorkers((_order, reply) => waiting.push(reply));
  const client = createContentClient({ createWorker, read: never });
  const both = Promise.all([client.ask('table', { text: '1' }), client.ask('table', { text: '2' })]);
  await vi.waitUntil(() => waiting.length === 1);
  waiting[0]?.postMessage({ type: 'done', answer: TABLE });
  await vi.waitUntil(() => waiting.length === 2);
  waiting[1]?.postMessage({ type: 'done', answer: { ...TABLE, isCut: true } });
  expect(await both).toEqual([TABLE, { ...TABLE, isCut: true }]);
  expect(made.length).toBe(1);
  client.end();
  expect(made[0]?.isEnded).toBe(true);
  expect(await faultOf(client.ask('table', { text: '' }))).toBe('AbortError');
});

test('an order whose signal ends before its turn is not begun', async () => {
  const begun: unknown[] = [];
  const { createWorker } = makeWorkers((order, reply, file) => {
    begun.push(order.order);
    done(order, reply, file);
  });
  const client = createContentClient({ createWorker, read: never });
  const control = new AbortController();
  const asked = [client.ask('table', { text: '1' }), client.ask('table', { text: '2' }, control.signal)];
  control.abort();
  expect(await Promise.all(asked.map(faultOf))).toEqual(['done', 'AbortError']);
  expect(begun).toEqual([{ text: '1' }]);
  client.end();
});

test('what the worker can’t read fails with its reason, and the worker stays', async () => {
  const { made, createWorker } = makeWorkers((_order, reply) => reply.postMessage({ type: 'failed', fault: 'locked' }));
  const client = createContentClient({ createWorker, read: never });
  expect(await faultOf(client.ask('pdf', { sizeBytes: 1 }))).toBe('locked');
  expect(made.map(({ isEnded }) => isEnded)).toEqual([false]);
  client.end();
});

test('a worker that fails is replaced for the next order', async () => {
  const { made, createWorker } = makeWorkers((order, reply, file) => {
    if (made.length > 1) done(order, reply, file);
    else queueMicrotask(() => made[0]?.onerror?.(new Event('error')));
  });
  const client = createContentClient({ createWorker, read: never });
  expect(await faultOf(client.ask('table', { text: '' }))).toBe('unreadable');
  expect(await faultOf(client.ask('table', { text: '' }))).toBe('done');
  expect(made.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  client.end();
});

test('the worker gets the bytes that it asks for; when they can’t be read, its order fails', async () => {
  let canRead = true;
  const { createWorker } = makeWorkers((_order, reply, file) => {
    file.onmessage = ({ data }: MessageEvent<BytesRead>) => {
      const rows = data.bytes ? [[new TextDecoder().decode(data.bytes)]] : [];
      reply.postMessage({ type: 'done', answer: { rows, isCut: false } });
    };
    file.postMessage({ id: 1, fromByte: 2, toByte: 5 });
  });
  const read = async (from: number, to: number) => {
    if (!canRead) throw new Error('no line');
    return new TextEncoder().encode('0123456789').slice(from, to);
  };
  const client = createContentClient({ createWorker, read });
  expect(await client.ask('table', { text: '' })).toEqual({ rows: [['234']], isCut: false });
  canRead = false;
  expect(await faultOf(client.ask('table', { text: '' }))).toBe('unread');
  client.end();
});

describe('with a clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const turns = () => new Promise((resolve) => setImmediate(resolve));

  test('a worker that takes too long is ended, but not while bytes are on their way', async () => {
    const bytes = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
    const { made, createWorker } = makeWorkers((_order, _reply, file) =>
      file.postMessage({ id: 1, fromByte: 0, toByte: 1 }),
    );
    const asked = Promise.withResolvers<void>();
    const read = () => {
      asked.resolve();
      return bytes.promise;
    };
    const client = createContentClient({ createWorker, read });
    const fault = faultOf(client.ask('zip', { sizeBytes: 1 }));
    await asked.promise;
    await turns();
    vi.advanceTimersByTime(10 * GIVE_UP_MS);
    expect(made[0]?.isEnded).toBe(false);
    bytes.resolve(new Uint8Array(1));
    await turns();
    vi.advanceTimersByTime(GIVE_UP_MS);
    expect(await fault).toBe('slow');
    expect(made[0]?.isEnded).toBe(true);
    client.end();
  });
});
