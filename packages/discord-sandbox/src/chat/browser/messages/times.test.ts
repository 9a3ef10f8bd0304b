import { expect, test } from 'vitest';
import { fullTime, relativeTime, sentText } from './times.ts';

test.each([
  [10, 'in 10 seconds'],
  [59, 'in 59 seconds'],
  [3_599, 'in 1 hour'],
  [5 * 3_600, 'in 5 hours'],
  [86_390, 'in 24 hours'],
  [86_400, 'in 1 day'],
  [-120, '2 minutes ago'],
])('%i seconds from now is "%s"', (seconds, text) => {
  expect(relativeTime(1_000_000 + seconds, 1_000_000, 'en')).toBe(text);
});

test('a moment is a date with its time', () => {
  expect(fullTime(Date.UTC(2026, 0, 2, 12) / 1000, 'en')).toMatch(/2026.*:00/);
});

test('today a message has its time only', () => {
  const now = new Date(2026, 0, 2, 12);
  expect(sentText(new Date(2026, 0, 2, 9, 5).toISOString(), now, 'en-GB')).toBe('09:05');
  expect(sentText(new Date(2026, 0, 1, 9, 5).toISOString(), now, 'en-GB')).toBe('01/01/2026, 09:05');
});
