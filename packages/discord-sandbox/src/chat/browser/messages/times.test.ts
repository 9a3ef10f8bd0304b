import { expect, test } from 'vitest';
import { relativeTime, sentText, timeText } from './times.ts';

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

test('moments in each style, and one that no calendar has', () => {
  const at_s = Date.UTC(2026, 0, 2, 12) / 1000;
  for (const style of ['f', 'F'] as const) expect(timeText(at_s, style, 0, 'en')).toMatch(/2026.*:00/);
  expect(timeText(9e12, 'f', 0)).toBe('Invalid date');
});

test('today a message has its time only', () => {
  const now = new Date(2026, 0, 2, 12);
  expect(sentText(new Date(2026, 0, 2, 9, 5).toISOString(), now, 'en-GB')).toBe('09:05');
  expect(sentText(new Date(2026, 0, 1, 9, 5).toISOString(), now, 'en-GB')).toBe('01/01/2026, 09:05');
});
