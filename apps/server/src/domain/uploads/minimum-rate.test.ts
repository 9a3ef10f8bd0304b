import { KIB, MIB } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { nextPace, PACE, PACE_AT_START } from './pace.ts';

/** After how many seconds a sender is too slow; null when it never is within ten minutes. */
function cutAfterSeconds(bytesIn: (second: number) => number, waitedMs = 1000): number | null {
  let pace = PACE_AT_START;
  for (let second = 1; second <= 600; second += 1) {
    pace = nextPace(pace, { waitedMs, bytes: bytesIn(second) }, PACE);
    if (pace.isTooSlow) return second;
  }
  return null;
}

test('a slow and honest line is never cut', () => {
  expect(cutAfterSeconds(() => 16 * KIB)).toBeNull();
  expect(cutAfterSeconds(() => 2 * KIB)).toBeNull();
});

test('one that comes in bursts is not, nor one that stands still for a while', () => {
  expect(cutAfterSeconds((second) => (second % 40 === 0 ? 200 * KIB : 0))).toBeNull();
  expect(cutAfterSeconds((second) => (second > 100 && second < 150 ? 0 : 64 * KIB))).toBeNull();
});

test('one that drips is cut after a minute', () => {
  expect(cutAfterSeconds((second) => (second % 10 === 0 ? 1 : 0))).toBe(60);
  expect(cutAfterSeconds(() => 0)).toBe(60);
  expect(cutAfterSeconds(() => KIB - 1)).toBe(60);
});

test('one that begins fast and then drips is cut within two', () => {
  expect(cutAfterSeconds((second) => (second <= 10 ? 8 * MIB : 1))).toBe(120);
});

test('nobody is cut for our own slowness', () => {
  expect(cutAfterSeconds(() => 1, 0)).toBeNull();
});
