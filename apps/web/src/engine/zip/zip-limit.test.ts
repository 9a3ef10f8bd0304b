import { MIB } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { zipLimitBytes } from './zip-limit.ts';

const DESKTOP = {
  userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)',
  platform: 'MacIntel',
  maxTouchPoints: 0,
};
const PHONE = { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0)', platform: 'iPhone', maxTouchPoints: 5 };

test('a zip that streams out has no limit, except on Apple’s phones and tablets', () => {
  expect(zipLimitBytes(true, DESKTOP)).toBeNull();
  expect(zipLimitBytes(true, PHONE)).toBe(192 * MIB);
  expect(zipLimitBytes(true, { ...DESKTOP, maxTouchPoints: 5 })).toBe(192 * MIB);
});

test('a zip that is made in memory is limited everywhere', () => {
  expect(zipLimitBytes(false, DESKTOP)).toBe(256 * MIB);
  expect(zipLimitBytes(false, PHONE)).toBe(192 * MIB);
});
