import { expect, test } from 'vitest';
import { coalesce } from './coalesce.ts';

/** Work whose steps the test ends one by one. */
function makeWork(fails: (items: readonly number[]) => Error | null = () => null) {
  const calls: { readonly items: readonly number[]; readonly finish: () => void }[] = [];
  const work = async (items: readonly number[]): Promise<number[]> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    calls.push({ items, finish: resolve });
    await promise;
    const error = fails(items);
    if (error) throw error;
    return items.map((item) => item * 10);
  };
  return { work, calls };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const never = () => false;

test('a single call runs at once; calls during its work run together, each with its own result', async () => {
  const { work, calls } = makeWork();
  const run = coalesce(work, { max: 100, isUndone: never });
  const results = [run(1), run(2), run(3)];
  expect(calls.map(({ items }) => items)).toEqual([[1]]);
  calls[0]!.finish();
  await turn();
  results.push(run(4));
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  calls[1]!.finish();
  await turn();
  calls[2]!.finish();
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3], [4]]);
  void run(5);
  expect(calls.at(-1)!.items).toEqual([5]);
});

test('at most max items run together', async () => {
  const { work, calls } = makeWork();
  const run = coalesce(work, { max: 2, isUndone: never });
  const results = [1, 2, 3, 4, 5].map((item) => run(item));
  for (let n = 0; n < 3; n += 1) {
    calls[n]!.finish();
    await turn();
  }
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3], [4, 5]]);
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
});

test('when a group fails undone, its items run again one by one, and only the bad one fails', async () => {
  const bad = new Error('3 is bad');
  const { work, calls } = makeWork((items) => (items.includes(3) ? bad : null));
  const run = coalesce(work, { max: 100, isUndone: (error) => error === bad });
  const results = Promise.allSettled([run(1), run(2), run(3), run(4)]);
  for (let n = 0; n < 5; n += 1) {
    calls[n]?.finish();
    await turn();
  }
  expect(await results).toEqual([
    { status: 'fulfilled', value: 10 },
    { status: 'fulfilled', value: 20 },
    { status: 'rejected', reason: bad },
    { status: 'fulfilled', value: 40 },
  ]);
});

test('work that may have been done is not repeated, and later calls run', async () => {
  const lost = new Error('the connection is lost');
  const { work, calls } = makeWork((items) => (items.includes(3) ? lost : null));
  const run = coalesce(work, { max: 100, isUndone: never });
  const results = Promise.allSettled([run(1), run(2), run(3)]);
  calls[0]!.finish();
  await turn();
  calls[1]!.finish();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  const next = run(6);
  calls[2]!.finish();
  expect(await next).toBe(60);
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3], [6]]);
});
