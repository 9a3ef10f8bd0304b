import { describe, expect, test } from 'vitest';
import { DIRECTORY_DEPTH_MAX } from '../limits.ts';
import { fitsLabel, safeDirectory } from './file-path.ts';
import { directoryBelow, isWithin, joinPath, splitPath } from './path-parts.ts';

describe('a directory in a label', () => {
  test.each([
    ['Trip/day 1', 'Trip/day 1'],
    ['', ''],
    ['/etc/cron.d', 'etc/cron.d'],
    ['../../etc', 'etc'],
    ['a/./b/../c', 'a/b/c'],
    ['a//b///', 'a/b'],
    ['..', ''],
    ['...', 'file'],
    ['..\\..\\Windows', '.._.._Windows'],
    ['C:\\Temp/x', 'C:_Temp/x'],
    ['a\0b/c\u202ed', 'a_b/c_d'],
    [' / a /', 'file/a'],
    ['cafe\u0301', 'café'],
    ['\ud800', '\ufffd'],
  ])('%j is read as %j', (written, read) => {
    expect(safeDirectory(written)).toBe(read);
    expect(safeDirectory(read)).toBe(read);
  });

  test('of 300 levels is read as its first ones, and not written', () => {
    const deep = Array.from({ length: 300 }, (_, level) => String(level % 10)).join('/');
    expect(safeDirectory(deep).split('/')).toHaveLength(DIRECTORY_DEPTH_MAX);
    expect(fitsLabel(`${deep}/a.txt`)).toBe(false);
    expect(fitsLabel(`${safeDirectory(deep)}/a.txt`)).toBe(true);
  });

  test('that is too long with its name is not written', () => {
    expect([fitsLabel(`${'ü'.repeat(510)}/a`), fitsLabel(`${'ü'.repeat(512)}/a`)]).toEqual([true, false]);
  });
});

test('paths are parted, joined and seen from a directory', () => {
  expect(splitPath('a/b/c.txt')).toEqual({ directory: 'a/b', name: 'c.txt' });
  expect(splitPath('c.txt')).toEqual({ directory: '', name: 'c.txt' });
  expect([joinPath('', 'a'), joinPath('a', ''), joinPath('a', 'b')]).toEqual(['a', 'a', 'a/b']);
  expect([isWithin('ab', 'a'), isWithin('a/b', 'a'), isWithin('a', 'a'), isWithin('x', '')]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect([directoryBelow('a/b', 'a'), directoryBelow('a', 'a'), directoryBelow('a', '')]).toEqual(['b', '', 'a']);
});
