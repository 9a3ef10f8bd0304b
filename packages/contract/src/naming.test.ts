import { describe, expect, test } from 'vitest';
import { AppError } from './errors.ts';
import {
  cutUtf8,
  displayName,
  extensionOf,
  fileCategory,
  isSafeSegment,
  isSlug,
  newSlug,
  RESERVED_SLUGS,
  safeFileName,
  splitObjectPath,
  storedName,
  utf8Length,
} from './naming.ts';

const NOW_MS = 1_700_000_000_000;

describe('slugs', () => {
  test('a fresh one is one, of 16 characters', () => {
    expect(newSlug()).toMatch(/^[A-Za-z0-9]{16}$/);
    expect(isSlug(newSlug())).toBe(true);
  });

  test.each(['x'.repeat(15), 'x'.repeat(65), 'with a blank 1234', 'newline-at-the-end\n', '', ...RESERVED_SLUGS])(
    '%j is none',
    (slug) => {
      expect(isSlug(slug)).toBe(false);
    },
  );
});

describe('stored names', () => {
  test('two of one name never collide, and both are shown as it', () => {
    const [one, other] = [storedName('Übung', 'pdf', NOW_MS), storedName('Übung', 'pdf', NOW_MS)];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^Übung_1700000000000_[a-z0-9]{8}\.pdf$/);
    expect([one, other].map(displayName)).toEqual(['Übung.pdf', 'Übung.pdf']);
  });

  test('of a base of any length and any characters is one safe segment', () => {
    for (const base of ['ü'.repeat(500), '👩‍🚀'.repeat(99), '..', '', 'a/b\\c\0d', ' ', '\u202egpj.exe', '\u0085']) {
      expect(isSafeSegment(storedName(base, 'enc', NOW_MS)), JSON.stringify(base)).toBe(true);
    }
  });

  test('a cut splits no character', () => {
    expect(cutUtf8('a👩b', 4)).toBe('a');
    expect(utf8Length(cutUtf8('ü'.repeat(200), 201))).toBe(200);
  });

  test.each([
    ['..', 'file'],
    ['', 'file'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['u\u0308', '\u00fc'],
  ])('%j becomes %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });
});

describe('object paths', () => {
  test('are a folder and one segment', () => {
    expect(splitObjectPath('folder/a b.txt')).toEqual({ storagePath: 'folder', segment: 'a b.txt' });
  });

  test.each(['', 'folder', 'folder/', '/file', 'folder/..', '../file', 'folder/a/b', 'folder/a\\b', 'folder/\ud800'])(
    '%j is none',
    (path) => {
      expect(() => splitObjectPath(path)).toThrow(new AppError('storage.bad_path'));
    },
  );

  test.each(['\0', '\n', '\u007f', '\u0085', '\u009f', '\u202e', '\u2066'])(
    'the control character %j is in none',
    (character) => {
      expect(isSafeSegment(`a${character}b`)).toBe(false);
    },
  );

  test('a segment is measured in bytes', () => {
    expect(isSafeSegment('ü'.repeat(127))).toBe(true);
    expect(isSafeSegment('ü'.repeat(128))).toBe(false);
  });
});

test('a file is an image or a video by its extension, else by its type', () => {
  expect(extensionOf('a.tar.GZ')).toBe('gz');
  expect(extensionOf('.hidden')).toBe('');
  expect(fileCategory('a.PNG', 'text/plain')).toBe('image');
  expect(fileCategory('a.webm')).toBe('video');
  expect(fileCategory('a', 'image/avif')).toBe('image');
  expect(fileCategory('a.txt', 'text/plain')).toBe('default');
});
