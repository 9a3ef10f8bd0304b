import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createServerWatch } from './server-watch.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function newWatch() {
  const server = { isThere: false, asked: 0 };
  let backs = 0;
  const watch = createServerWatch(
    async () => {
      server.asked += 1;
      return server.isThere;
    },
    () => {
      backs += 1;
    },
  );
  return { ...watch, server, backs: () => backs };
}

test('says once that a server which was away is back, and asks no more', async () => {
  const { begin, server, backs } = newWatch();
  begin();
  begin();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(backs()).toBe(0);
  server.isThere = true;
  await vi.advanceTimersByTimeAsync(5000);
  expect(backs()).toBe(1);
  const { asked } = server;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([server.asked, backs()]).toEqual([asked, 1]);
});

test('says nothing of a server that was there all the time', async () => {
  const { begin, server, backs } = newWatch();
  server.isThere = true;
  begin();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([server.asked, backs()]).toEqual([1, 0]);
});

test('asks no more once nobody waits', async () => {
  const { begin, end, server, backs } = newWatch();
  begin();
  await vi.advanceTimersByTimeAsync(6000);
  end();
  server.isThere = true;
  const { asked } = server;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([server.asked, backs()]).toEqual([asked, 0]);
});
