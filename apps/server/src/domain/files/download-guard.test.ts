import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Db } from '../../platform/database/db.ts';
import { createDownloadGuard } from './download-guard.ts';

/** A database that answers the one query of the guard. */
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

test('keeps downloads while the database fails for a short time, and cuts them once it stays down', async () => {
  const report = vi.fn();
  let isUp = true;
  const db = answering(async () => {
    if (!isUp) throw new Error('no database');
    return [{ blobKey: 'blob', access: 'link' }];
  });
  const guard = createDownloadGuard({ db, report });
  const cut = vi.fn();
  guard.begin({ blobKey: () => 'blob', mayRead: async () => true, cut });
  await vi.advanceTimersByTimeAsync(60_000);
  isUp = false;
  await vi.advanceTimersByTimeAsync(20_000);
  isUp = true;
  await vi.advanceTimersByTimeAsync(2000);
  isUp = false;
  await vi.advanceTimersByTimeAsync(29_000);
  expect(cut).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(5000);
  expect(cut).toHaveBeenCalledOnce();
  expect(report).toHaveBeenCalled();
});

test('queries nothing while nothing is sent, and does not cut a download that has ended', async () => {
  const asked = vi.fn(async () => []);
  const guard = createDownloadGuard({ db: answering(asked), report: vi.fn() });
  await vi.advanceTimersByTimeAsync(5000);
  const cut = vi.fn();
  const end = guard.begin({ blobKey: () => 'blob', mayRead: async () => true, cut });
  end();
  await vi.advanceTimersByTimeAsync(5000);
  expect(cut).not.toHaveBeenCalled();
  const before = asked.mock.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.mock.calls.length).toBe(before);
});
