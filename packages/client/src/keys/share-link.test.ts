import { encodeBase64Url } from '@satchel/container/base64url';
import { newLinkSecret } from '@satchel/container/key';
import { expect, test } from 'vitest';
import { shareLink } from './share-link.ts';

const place = { origin: 'https://files.example.org', slug: 'abcdefghijklmnop', mode: 'private' } as const;
const page = 'https://files.example.org/f/abcdefghijklmnop';
const secret = `#k=${encodeBase64Url(newLinkSecret())}`;
const hex = 'ab'.repeat(64);

test('a key goes into the link in its own part, with its # once', () => {
  expect(shareLink({ ...place, fragment: secret })).toEqual({ page, key: secret });
  expect(shareLink({ ...place, fragment: secret.slice(1) })).toEqual({ page, key: secret });
  expect(shareLink({ ...place, fragment: hex })).toEqual({ page, key: `#${hex}` });
});

test('what is no key is not handed on', () => {
  for (const fragment of ['', '#faq', '#k=damaged'])
    expect(shareLink({ ...place, fragment })).toEqual({ page, key: null });
});

test('a plain folder and a Discord link have a short link, with or without a key in the address', () => {
  for (const mode of ['plain', 'discord'] as const)
    expect(shareLink({ ...place, mode, fragment: secret })).toEqual({ page, key: null });
});

test('a revoked secret is not handed on; a folder key still opens', () => {
  expect(shareLink({ ...place, mode: 'revoked', fragment: secret })).toEqual({ page, key: null });
  expect(shareLink({ ...place, mode: 'revoked', fragment: hex })).toEqual({ page, key: `#${hex}` });
});
