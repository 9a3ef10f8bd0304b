import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { importPatiently } from './patient-import.ts';

const failing = (times: number) => {
  let calls = 0;
  return vi.fn(async () => {
    calls += 1;
    if (calls <= times) throw new TypeError('Failed to fetch dynamically imported module');
    return 'code';
  });
};

let page: EventTarget & { onLine: boolean };
beforeEach(() => {
  vi.useFakeTimers();
  page = Object.assign(new EventTarget(), { onLine: true });
  vi.stubGlobal('navigator', page);
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('an import that fails is retried, and a single failure is not reported', async () => {
  const onTrouble = vi.fn();
  const load = failing(1);
  const loaded = importPatiently(load, onTrouble);
  await vi.advanceTimersByTimeAsync(4000);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await loaded).toBe('code');
  expect(onTrouble).not.toHaveBeenCalled();
});

test('an import that keeps failing is reported once, and succeeds when the code is there again', async () => {
  const onTrouble = vi.fn();
  const loaded = importPatiently(failing(4), onTrouble);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(onTrouble).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await loaded).toBe('code');
  expect(onTrouble).toHaveBeenCalledTimes(1);
});

test('offline no import is tried until the network is back, and no failure is reported', async () => {
  const onTrouble = vi.fn();
  page.onLine = false;
  const load = failing(1);
  const loaded = importPatiently(load, onTrouble);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(load).toHaveBeenCalledTimes(1);
  page.onLine = true;
  page.dispatchEvent(new Event('online'));
  expect(await loaded).toBe('code');
  expect(onTrouble).not.toHaveBeenCalled();
});
