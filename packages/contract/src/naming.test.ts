import { describe, expect, test } from 'vitest';
import { AppError } from './errors.ts';
import {
  extensionOf,
  fileCategory,
  isSafeSegment,
  isSlug,
  newSlug,
  RESERVED_SLUGS,
  splitObjectPath,
} from './naming.ts';

describe('slugs', () => {
  test('a fresh slug is valid and has 16 characters', () => {
    expect(newSlug()).toMatch(/^[A-Za-z0-9]{16}$/);
    expect(isSlug(newSlug())).toBe(true);
  });

  test.each(['x'.repeat(15), 'x'.repeat(65), 'with a blank 1234', 'newline-at-the-end\n', '', ...RESERVED_SLUGS])(
    '%j is not a slug',
    (slug) => {
      expect(isSlug(slug)).toBe(false);
    },
  );
});

describe('object paths', () => {
  test('consist of a folder and one segment', () => {
    expect(splitObjectPath('folder/a b.txt')).toEqual({ storagePath: 'folder', segment: 'a b.txt' });
  });

  test.each(['', 'folder', 'folder/', '/file', 'folder/..', '../file', 'folder/a/b', 'folder/a\\b', 'folder/\ud800'])(
    '%j is not an object path',
    (path) => {
      expect(() => splitObjectPath(path)).toThrow(new AppError('storage.bad_path'));
    },
  );

  test.each(['\0', '\n', '\u007f', '\u0085', '\u009f', '\u202e', '\u2066'])(
    'the control character %j is refused',
    (character) => {
      expect(isSafeSegment(`a${character}b`)).toBe(false);
    },
  );

  test('a segment is measured in UTF-8 bytes', () => {
    expect(isSafeSegment('ü'.repeat(127))).toBe(true);
    expect(isSafeSegment('ü'.repeat(128))).toBe(false);
  });
});

test('a file is an image or a video by its extension, or else by its type', () => {
  expect(extensionOf('a.tar.GZ')).toBe('gz');
  expect(extensionOf('.hidden')).toBe('');
  expect(fileCategory('a.PNG', 'text/plain')).toBe('image');
  for (const name of ['a.heic', 'a.HEIF', 'a.avif']) expect(fileCategory(name)).toBe('image');
  expect(fileCategory('a.webm')).toBe('video');
  expect(fileCategory('a', 'image/avif')).toBe('image');
  expect(fileCategory('a.txt', 'text/plain')).toBe('default');
});
