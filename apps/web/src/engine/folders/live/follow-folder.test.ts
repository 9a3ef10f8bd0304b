import { createEventReader } from '@satchel/client/folders/read-changes';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLooker } from './follow-folder.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00Z');
beforeEach(() => void vi.useFakeTimers({ now: NOW_MS }));
afterEach(() => void vi.useRealTimers());

function looker(dataAgeMs: number) {
  const look = vi.fn();
  const made = createLooker({ lookedAtMs: () => NOW_MS - dataAgeMs, look });
  const hear = (version: string | null, age_ms = 0) => {
    made.hear({ slug: 'one', version, age_ms });
    vi.advanceTimersByTime(1000);
    return look.mock.calls.length;
  };
  return { ...made, hear, look };
}

test('the first word makes the page look only when the change may be later than its data', () => {
  expect(looker(5000).hear('a.1', 60_000)).toBe(0);
  expect(looker(5000).hear('a.1', 4000)).toBe(1);
});

test('a new version makes the page look, the same one again does not', () => {
  const { hear } = looker(0);
  hear('a.1', 60_000);
  expect(hear('a.2')).toBe(1);
  expect(hear('a.2')).toBe(1);
  expect(hear('b.0')).toBe(2);
});

test('access that ended makes the page look, once', () => {
  const { hear } = looker(0);
  hear('a.1', 60_000);
  expect(hear(null)).toBe(1);
  expect(hear(null)).toBe(1);
});

test('changes while a page waits for its turn are one look, within a second', () => {
  const look = vi.fn();
  const { hear } = createLooker({ lookedAtMs: () => NOW_MS, look });
  for (const version of ['a.1', 'a.2', 'a.3']) hear({ slug: 'one', version, age_ms: 0 });
  vi.advanceTimersByTime(1000);
  expect(look).toHaveBeenCalledTimes(1);
});

test('a page that was closed does not look', () => {
  const look = vi.fn();
  const made = createLooker({ lookedAtMs: () => NOW_MS, look });
  made.hear({ slug: 'one', version: null, age_ms: 0 });
  made.stop();
  vi.advanceTimersByTime(2000);
  expect(look).not.toHaveBeenCalled();
});

test('events come whole however the line cuts them, and comments say nothing', () => {
  const said: string[] = [];
  const take = createEventReader((data) => said.push(data));
  for (const piece of [':\n', '\ndata: {"a"', ':1}\n\ndata: 2\n\n:\n\n', 'data: 3']) take(piece);
  expect(said).toEqual(['{"a":1}', '2']);
});
