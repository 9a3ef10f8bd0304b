import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Db } from '../platform/db.ts';
import { createSendWatch } from './send-watch.ts';

/** A database that answers the one query of the watch. */
const answering = (answer: () => Promise<unknown[]>) => {
  const query = { select: () => query, from: () => query, innerJoin: () => query, where: answer };
  return query as unknown as Db;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a database that does not answer for a moment cuts nobody, and one that stays silent everybody', async () => {
  const report = vi.fn();
  let isThere = true;
  const db = answering(async () => {
    if (!isThere) throw new Error('no database');
    return [{ blobKey: 'blob', access: 'link' }];
  });
  const watch = createSendWatch({ db, report });
  const cut = vi.fn();
  watch.begin({ blobKey: 'blob', mayRead: async () => true, cut });
  await vi.advanceTimersByTimeAsync(60_000);
  isThere = false;
  await vi.advanceTimersByTimeAsync(20_000);
  isThere = true;
  await vi.advanceTimersByTimeAsync(2000);
  isThere = false;
  await vi.advanceTimersByTimeAsync(29_000);
  expect(cut).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(5000);
  expect(cut).toHaveBeenCalledOnce();
  expect(report).toHaveBeenCalled();
});

test('nothing is asked while nothing is sent, and what is over is not cut', async () => {
  const asked = vi.fn(async () => []);
  const watch = createSendWatch({ db: answering(asked), report: vi.fn() });
  await vi.advanceTimersByTimeAsync(5000);
  const cut = vi.fn();
  const end = watch.begin({ blobKey: 'blob', mayRead: async () => true, cut });
  end();
  await vi.advanceTimersByTimeAsync(5000);
  expect(cut).not.toHaveBeenCalled();
  const before = asked.mock.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.mock.calls.length).toBe(before);
});
