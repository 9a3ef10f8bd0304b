import { afterEach, expect, test, vi } from 'vitest';
import type { ContentOrder } from './content/content-messages.ts';
import { createDrawingScales, WEIGHING_MAX_MS } from './weigh-drawing.ts';

/** Workers that keep each order until a test answers it. */
function makeWorkers() {
  const orders: { name: string; answer: (isHeavy: boolean) => void }[] = [];
  const ended: number[] = [];
  let made = 0;
  const createWorker = () => {
    made += 1;
    const id = made;
    return {
      onerror: null,
      postMessage(message: ContentOrder | 'file', [port]: [MessagePort]) {
        if (message === 'file') return;
        orders.push({
          name: message.name,
          answer: (isHeavy) => port.postMessage({ type: 'done', answer: { isHeavy } }),
        });
      },
      terminate: () => ended.push(id),
    } as unknown as Worker;
  };
  return { orders, ended, createWorker };
}

const source = (blob: Blob | null) => ({ src: 'blob:here/1', blob });
const fetched = async () => new Response('<svg/>');

afterEach(() => vi.useRealTimers());

test('a drawing is weighed by a worker, which ends with the last', async () => {
  const { orders, ended, createWorker } = makeWorkers();
  const scales = createDrawingScales({ createWorker, fetch: fetched });
  const both = Promise.all([scales.isHeavy(source(new Blob(['a']))), scales.isHeavy(source(new Blob(['b'])))]);
  for (const [at, isHeavy] of [false, true].entries()) {
    await vi.waitUntil(() => orders.length === at + 1);
    orders[at]?.answer(isHeavy);
  }
  expect(await both).toEqual([false, true]);
  expect(orders.map(({ name }) => name)).toEqual(['drawing', 'drawing']);
  expect(ended).toEqual([1]);
});

test('a drawing is weighed once, and one that is not in memory is fetched for it', async () => {
  const { orders, createWorker } = makeWorkers();
  const scales = createDrawingScales({ createWorker, fetch: fetched });
  const blob = new Blob(['a']);
  const both = Promise.all([scales.isHeavy(source(blob)), scales.isHeavy(source(blob))]);
  await vi.waitUntil(() => orders.length === 1);
  orders[0]?.answer(false);
  expect(await both).toEqual([false, false]);
  const plain = scales.isHeavy(source(null));
  await vi.waitUntil(() => orders.length === 2);
  orders[1]?.answer(true);
  expect(await plain).toBe(true);
});

test('a worker that does not end by itself is ended by the limit, and the drawing counts as heavy', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { orders, ended, createWorker } = makeWorkers();
  const scales = createDrawingScales({ createWorker, fetch: fetched });
  const asked = scales.isHeavy(source(new Blob(['a'])));
  await vi.waitUntil(() => orders.length === 1);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(WEIGHING_MAX_MS);
  expect(await asked).toBe(true);
  expect(ended).toEqual([1]);
});
