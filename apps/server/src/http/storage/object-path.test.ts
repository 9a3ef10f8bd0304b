import { AppError } from '@satchel/contract/errors';
import { describe, expect, test } from 'vitest';
import { objectOfUrl, pathOfObject } from './object-path.ts';

const PREFIX = '/storage/v1/object/public';
const read = (rest: string) => objectOfUrl(`${PREFIX}/${rest}`, PREFIX);

function codeOf(rest: string): string {
  try {
    return JSON.stringify(read(rest));
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe('objectOfUrl', () => {
  test('decodes every segment once and leaves the query out', () => {
    expect(read('unlocked-folders/folder/100%25%20%C3%BC%23%3F%2526.txt?token=x/y')).toEqual({
      storagePath: 'folder',
      segment: '100% ü#?%26.txt',
    });
    expect(pathOfObject(read('unlocked-folders/folder/a%20b'))).toBe('unlocked-folders/folder/a b');
  });

  test.each([
    'unlocked-folders/folder/../file',
    'unlocked-folders/folder/..',
    'unlocked-folders/folder/%2e%2e',
    'unlocked-folders/%2e%2e/file',
    'unlocked-folders/folder/a%2Fb',
    'unlocked-folders/folder/a%2fb',
    'unlocked-folders/folder%2Ffile/x',
    'unlocked-folders/folder/a%5Cb',
    'unlocked-folders/folder/a%00b',
    'unlocked-folders/folder/a%C2%85b',
    'unlocked-folders/folder/%ff',
    'unlocked-folders/folder/a/b',
    'unlocked-folders/folder/',
    'unlocked-folders/folder',
    'unlocked-folders//file',
    `unlocked-folders/folder/${'x'.repeat(256)}`,
  ])('refuses %s', (rest) => {
    expect(codeOf(rest)).toBe('storage.bad_path');
  });

  test('refuses other buckets', () => {
    expect(codeOf('files/folder/file')).toBe('storage.bucket_not_found');
    expect(codeOf('unlocked-folders%2Ffolder/file/x')).toBe('storage.bucket_not_found');
  });
});
