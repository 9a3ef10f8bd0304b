import { describe, expect, test } from 'vitest';
import { safeReturnPath, slugOf } from './return-path.ts';

describe('where a sign-in may lead back to', () => {
  test.each(['/', '/upload', '/profile', '/f/Yt3kQ9vXabcdEF01?tab=info'])('%s is a path of this site', (path) =>
    expect(safeReturnPath(path)).toBe(path),
  );

  test.each([
    '',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    'f/Yt3kQ9vXabcdEF01',
  ])('%j could lead elsewhere', (path) => expect(safeReturnPath(path)).toBeNull());

  test.each(['/auth', '/auth/callback', '/auth?x=1'])('%s would lead in a circle', (path) =>
    expect(safeReturnPath(path)).toBeNull(),
  );

  test('/authors would not', () => expect(safeReturnPath('/authors')).toBe('/authors'));

  test('a fragment, which may hold a folder’s secret, is never among it', () => {
    expect(safeReturnPath('/f/Yt3kQ9vXabcdEF01#k=secret')).toBe('/f/Yt3kQ9vXabcdEF01');
  });
});

test('the slug of a folder’s path', () => {
  expect(slugOf('/f/Yt3kQ9vXabcdEF01?tab=info')).toBe('Yt3kQ9vXabcdEF01');
  expect(slugOf('/f')).toBeNull();
  expect(slugOf('/upload')).toBeNull();
});
