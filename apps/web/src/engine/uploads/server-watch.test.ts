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
  let hurries = 0;
  const watch = createServerWatch(async () => {
    server.asked += 1;
    return server.isThere;
  });
  const upload = {
    hurry() {
      hurries += 1;
    },
  };
  return { note: (isWaiting: boolean) => watch(upload, isWaiting), server, hurries: () => hurries };
}

test('an upload that waits tries at once when the server is back, which is asked no more then', async () => {
  const { note, server, hurries } = newWatch();
  note(true);
  note(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(hurries()).toBe(0);
  server.isThere = true;
  await vi.advanceTimersByTimeAsync(5000);
  expect(hurries()).toBe(1);
  const { asked } = server;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([server.asked, hurries()]).toEqual([asked, 1]);
});

test('an upload keeps to its own pauses where the server was there all the time', async () => {
  const { note, server, hurries } = newWatch();
  server.isThere = true;
  note(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([server.asked, hurries()]).toEqual([1, 0]);
});

test('the watch stops asking the server when no upload waits', async () => {
  const { note, server, hurries } = newWatch();
  note(true);
  await vi.advanceTimersByTimeAsync(6000);
  note(false);
  server.isThere = true;
  const { asked } = server;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([server.asked, hurries()]).toEqual([asked, 0]);
});
