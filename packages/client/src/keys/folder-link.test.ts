import { encodeBase64Url } from '@satchel/container/base64url';
import { newLinkSecret } from '@satchel/container/key';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { folderLink, parseFragment, shareLink } from './folder-link.ts';

const hashOf = (link: string): string => new URL(link).hash;
const slug = 'aZ09aZ09aZ09aZ09';
const secretBytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new Uint8Array(bytes));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('a fragment', () => {
  test('gives back the secret that the link was made with', () => {
    fc.assert(
      fc.property(secretBytes, (secret) => {
        const hash = hashOf(folderLink('https://satchel.example', slug, secret));
        expect(hash).toMatch(/^#k=[A-Za-z0-9_-]{43}$/);
        expect(parseFragment(hash)).toEqual({ kind: 'secret', secret });
      }),
    );
  });

  const SECRET = `k=${'Qm'.repeat(21)}A`;
  const KEY = '0f'.repeat(64);
  const ADDED = ['.', ')', ',', '>', '"', '**', '…', '&fbclid=IwAR0_x', '?utm_source=mail', '%22', ' see you'];

  test.each(ADDED)('is read as its link was made, though %j was added on its way', (added) => {
    expect(parseFragment(`#${SECRET}${added}`)).toEqual(parseFragment(`#${SECRET}`));
    expect(parseFragment(`#${KEY}${added}`)).toEqual(parseFragment(`#${KEY}`));
    expect(parseFragment(`#${KEY}.${KEY}${added}`)).toEqual(parseFragment(`#${KEY}.${KEY}`));
  });

  test.each(['#k%3D', '#k%3d'])('is read though its sign was written as a code: %s', (name) => {
    expect(parseFragment(SECRET.replace('k=', name))).toEqual(parseFragment(`#${SECRET}`));
  });

  test('whose last key was cut short is damaged, not read without it', () => {
    expect(parseFragment(`#${KEY}.${KEY.slice(1)})`).kind).toBe('bad');
  });

  test('of 128 hex characters is a folder key, in either case of letters', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.boolean(), (bytes, upper) => {
        const text = upper ? hexOf(bytes).toUpperCase() : hexOf(bytes);
        const parsed = parseFragment(`#${text}`);
        expect(parsed.kind === 'key' && parsed.keys.map(hexOf)).toEqual([hexOf(bytes)]);
      }),
    );
  });

  test('of several keys, joined by dots, is all the keys of one folder, and at most sixteen', () => {
    const keys = Array.from({ length: 16 }, (_, at) => at.toString(16).repeat(128));
    for (const count of [2, 16]) {
      const parsed = parseFragment(`#${keys.slice(0, count).join('.')}`);
      expect(parsed.kind === 'key' && parsed.keys.map(hexOf)).toEqual(keys.slice(0, count));
    }
    const [one = ''] = keys;
    for (const bad of [
      [...keys, one],
      [one, one.slice(1)],
      [one.slice(1), one],
    ]) {
      expect(parseFragment(`#${bad.join('.')}`)).toMatchObject({ kind: 'bad', error: { code: 'key.bad_length' } });
    }
  });

  test('that lost or gained characters is bad, never another secret', () => {
    fc.assert(
      fc.property(secretBytes, fc.integer({ min: 0, max: 60 }), (secret, length) => {
        fc.pre(length !== 43);
        const text = `${encodeBase64Url(secret)}${'A'.repeat(20)}`.slice(0, length);
        expect(parseFragment(`#k=${text}`).kind).toBe('bad');
      }),
    );
  });

  test('whose last character is not the canonical one is bad', () => {
    expect(parseFragment(`#k=${'A'.repeat(43)}`).kind).toBe('secret');
    expect(parseFragment(`#k=${'A'.repeat(42)}B`)).toMatchObject({ kind: 'bad', error: { code: 'key.unsealable' } });
  });

  test('that names an anchor in the page is no key', () => {
    for (const hash of ['', '#', '#main', '#faq', '#dead', '#key']) expect(parseFragment(hash).kind).toBe('none');
  });
});

test('the link of a folder without a key has no fragment', () => {
  expect(folderLink('https://satchel.example', slug, null)).toBe(`https://satchel.example/f/${slug}`);
});

const place = {
  origin: 'https://files.example.org',
  slug: 'abcdefghijklmnop',
  mode: 'private',
  showsName: false,
} as const;
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

test('a folder whose name previews show is handed on by the address of its card', () => {
  const page = 'https://files.example.org/s/abcdefghijklmnop';
  expect(shareLink({ ...place, mode: 'plain', showsName: true, fragment: '' })).toEqual({ page, key: null });
});

test('a revoked secret is not handed on; a folder key still opens', () => {
  expect(shareLink({ ...place, mode: 'revoked', fragment: secret })).toEqual({ page, key: null });
  expect(shareLink({ ...place, mode: 'revoked', fragment: hex })).toEqual({ page, key: `#${hex}` });
});
