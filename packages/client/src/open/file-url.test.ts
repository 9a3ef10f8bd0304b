import { expect, test } from 'vitest';
import { objectPath, ownFileUrl, publicFileUrl } from './file-url.ts';

const ORIGIN = 'https://satchel.example';

test('every segment of a file’s address is encoded', () => {
  expect(publicFileUrl('unlocked-folders', 'b2f7', 'a b#?%.enc')).toBe(
    '/storage/v1/object/public/unlocked-folders/b2f7/a%20b%23%3F%25.enc',
  );
  expect(objectPath('files', '', 'x/y')).toBe('files/x%2Fy');
});

test('only stored files of this site count as its own', () => {
  const path = publicFileUrl('unlocked-folders', 'b2f7', 'a.enc');
  expect(ownFileUrl(path, ORIGIN)).toBe(`${ORIGIN}${path}`);
  const others = [
    `https://other.example${path}`,
    `//other.example${path}`,
    '/storage/v1/object/public/../sign/x',
    '/rest/v1/folders',
    'blob:https://satchel.example/1',
    'http://[',
  ];
  for (const url of others) expect(ownFileUrl(url, ORIGIN)).toBeNull();
});
