import { encodeBase64Url } from '@satchel/container/base64url';
import { newLinkSecret } from '@satchel/container/key';
import { expect, test } from 'vitest';
import { shareLink } from './share-link.ts';

const place = { origin: 'https://files.example.org', slug: 'abcdefghijklmnop' };

test('a known secret goes into the link, whatever the address says', () => {
  const secret = newLinkSecret();
  const link = `https://files.example.org/f/abcdefghijklmnop#k=${encodeBase64Url(secret)}`;
  expect(shareLink({ ...place, secret, hash: '' })).toBe(link);
  expect(shareLink({ ...place, secret, hash: 'k=damaged' })).toBe(link);
});

test('otherwise the visitor’s own fragment stays', () => {
  const hash = 'ab'.repeat(64);
  expect(shareLink({ ...place, secret: null, hash })).toBe(`https://files.example.org/f/abcdefghijklmnop#${hash}`);
});

test('a folder without a key has a short link', () => {
  expect(shareLink({ ...place, secret: null, hash: '' })).toBe('https://files.example.org/f/abcdefghijklmnop');
});
