import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';

let ended: Worker[];
let pool: WorkerPool;

beforeEach(() => {
  vi.useFakeTimers();
  ended = [];
  pool = createWorkerPool(() => {
    const worker = { terminate: () => ended.push(worker) } as unknown as Worker;
    return worker;
  });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a worker that was given back is the next one, and never two at once', () => {
  const first = pool.take();
  pool.giveBack(first);
  expect(pool.take()).toBe(first);
  expect(pool.take()).not.toBe(first);
  vi.runAllTimers();
  expect(ended).toEqual([]);
});

test('idle workers are ended', () => {
  const workers = Array.from({ length: 8 }, pool.take);
  for (const worker of workers) pool.giveBack(worker);
  expect(ended).toEqual(workers.slice(6));
  vi.runAllTimers();
  expect(new Set(ended)).toEqual(new Set(workers));
  expect(workers).not.toContain(pool.take());
});
