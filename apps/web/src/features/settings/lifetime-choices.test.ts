import { expect, test } from 'vitest';
import { canExtend, chosenEndMs, endsTooSoon, hoursToChoose, latestEndMs } from './lifetime-choices.ts';

const HOUR = 3_600_000;
const born = Date.parse('2026-03-14T12:00:00Z');
const whole = { createdAtMs: born, expiresAtMs: born + 24 * HOUR, lifetimeHours: 24 };
const shortened = { ...whole, expiresAtMs: born + 6 * HOUR };

test('the latest end is the whole lifetime after creation', () => {
  expect(latestEndMs(shortened)).toBe(born + 24 * HOUR);
  expect(canExtend(shortened)).toBe(true);
  expect(canExtend(whole)).toBe(false);
});

test('a folder created under a longer limit keeps its end and can’t be extended', () => {
  const older = { ...whole, lifetimeHours: 6 };
  expect(latestEndMs(older)).toBe(older.expiresAtMs);
  expect(canExtend(older)).toBe(false);
});

test('only ends before the latest one are offered', () => {
  expect(hoursToChoose(shortened, born + HOUR)).toEqual([0.5, 1, 3, 6, 12]);
  expect(hoursToChoose(shortened, born + 22 * HOUR)).toEqual([0.5, 1]);
  expect(hoursToChoose(shortened, born + 24 * HOUR - 60_000)).toEqual([]);
  expect(hoursToChoose({ ...whole, lifetimeHours: 168, expiresAtMs: born + 168 * HOUR }, born + 1)).toContain(72);
});

test('a choice is counted from now, from creation, or not at all', () => {
  const now = born + 2 * HOUR;
  expect(chosenEndMs(3, shortened, now)).toBe(born + 5 * HOUR);
  expect(chosenEndMs('latest', shortened, now)).toBe(born + 24 * HOUR);
  expect(chosenEndMs('keep', shortened, now)).toBe(shortened.expiresAtMs);
});

test('an end within the hour needs a confirmation if it shortens the lifetime', () => {
  const now = born + 2 * HOUR;
  expect(endsTooSoon(now + HOUR, shortened, now)).toBe(true);
  expect(endsTooSoon(now + 3 * HOUR, shortened, now)).toBe(false);
  const ending = { ...shortened, expiresAtMs: now + HOUR / 4 };
  expect(endsTooSoon(now + HOUR / 2, ending, now)).toBe(false);
});
