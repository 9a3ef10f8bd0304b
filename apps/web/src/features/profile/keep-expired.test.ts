import { expect, test } from 'vitest';
import { keepExpired } from './keep-expired.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString();
const folder = (id: string, createdMinute: number, expiresMinute: number) => ({
  id,
  created_at: at(createdMinute),
  expires_at: at(expiresMinute),
});
const NOW_MS = Date.parse(at(30));

test('a folder that expires on screen keeps its place in the list', () => {
  const [newest, ended, oldest] = [folder('c', 3, 59), folder('b', 2, 29), folder('a', 1, 59)];
  expect(keepExpired([newest, ended, oldest], [newest, oldest], NOW_MS)).toEqual([newest, ended, oldest]);
});

test('a folder that was deleted before its end leaves the list', () => {
  const [left, deleted] = [folder('b', 2, 59), folder('a', 1, 59)];
  expect(keepExpired([left, deleted], [left], NOW_MS)).toEqual([left]);
});

test('changed folders show the values of the new list', () => {
  const before = folder('a', 1, 59);
  const now = { ...before, expires_at: at(40) };
  expect(keepExpired([before], [now], NOW_MS)).toEqual([now]);
});
