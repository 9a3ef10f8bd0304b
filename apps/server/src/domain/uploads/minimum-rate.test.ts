import { KIB, MIB } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { MINIMUM_RATE, nextRate, RATE_AT_START } from './minimum-rate.ts';

/** After how many seconds a sender is cut; null when it is not cut within ten minutes. */
function cutAfterSeconds(bytesIn: (second: number) => number, waitedMs = 1000): number | null {
  let rate = RATE_AT_START;
  for (let second = 1; second <= 600; second += 1) {
    rate = nextRate(rate, { waitedMs, bytes: bytesIn(second) }, MINIMUM_RATE);
    if (rate.isTooSlow) return second;
  }
  return null;
}

test('a slow, steady sender is never cut', () => {
  expect(cutAfterSeconds(() => 16 * KIB)).toBeNull();
  expect(cutAfterSeconds(() => 2 * KIB)).toBeNull();
});

test('a sender with bursts or a pause is not cut', () => {
  expect(cutAfterSeconds((second) => (second % 40 === 0 ? 200 * KIB : 0))).toBeNull();
  expect(cutAfterSeconds((second) => (second > 100 && second < 150 ? 0 : 64 * KIB))).toBeNull();
});

test('a sender below the minimum rate is cut after a minute', () => {
  expect(cutAfterSeconds((second) => (second % 10 === 0 ? 1 : 0))).toBe(60);
  expect(cutAfterSeconds(() => 0)).toBe(60);
  expect(cutAfterSeconds(() => KIB - 1)).toBe(60);
});

test('a fast sender that slows down below the minimum is cut within two minutes', () => {
  expect(cutAfterSeconds((second) => (second <= 10 ? 8 * MIB : 1))).toBe(120);
});

test('time in which the server itself is slow does not count', () => {
  expect(cutAfterSeconds(() => 1, 0)).toBeNull();
});
