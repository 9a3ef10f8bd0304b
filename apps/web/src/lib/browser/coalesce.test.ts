import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coalesce } from './coalesce.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the first call acts at once, and calls within the pause act together', () => {
  let acts = 0;
  const { run } = coalesce(() => {
    acts += 1;
  }, 1000);
  run();
  expect(acts).toBe(1);
  for (let call = 0; call < 50; call += 1) run();
  expect(acts).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(acts).toBe(2);
});

test('the last call is never lost, and nothing acts unasked', () => {
  let acts = 0;
  const { run } = coalesce(() => {
    acts += 1;
  }, 1000);
  for (let tick = 0; tick < 30; tick += 1) {
    run();
    vi.advanceTimersByTime(100);
  }
  vi.advanceTimersByTime(10_000);
  expect(acts).toBe(4);
});

test('stopped in between, it does not act until it is called again', () => {
  let acts = 0;
  const { run, stop } = coalesce(() => {
    acts += 1;
  }, 1000);
  run();
  run();
  stop();
  vi.advanceTimersByTime(5000);
  expect(acts).toBe(1);
  run();
  expect(acts).toBe(2);
});
