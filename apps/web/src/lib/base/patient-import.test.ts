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

test('code that fails to come is asked for again, and a single failure is no news', async () => {
  const onTrouble = vi.fn();
  const load = failing(1);
  const loaded = importPatiently(load, onTrouble);
  await vi.advanceTimersByTimeAsync(4000);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await loaded).toBe('code');
  expect(onTrouble).not.toHaveBeenCalled();
});

test('code that stays away is told of once, and comes when it is there again', async () => {
  const onTrouble = vi.fn();
  const loaded = importPatiently(failing(4), onTrouble);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(onTrouble).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await loaded).toBe('code');
  expect(onTrouble).toHaveBeenCalledTimes(1);
});

test('without a network nothing is asked for until there is one, and nobody is told what they know', async () => {
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
