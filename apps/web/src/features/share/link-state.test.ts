import { expect, test } from 'vitest';
import { linkControls, linkMeaning } from './link-state.ts';

const here = { mode: 'private', hasPassphrase: false, hasKey: true, includesKey: true } as const;

test('a private link means what it carries', () => {
  expect(linkMeaning(here)).toBe('with_key');
  expect(linkMeaning({ ...here, hasPassphrase: true })).toBe('with_key_and_passphrase');
  expect(linkMeaning({ ...here, includesKey: false })).toBe('key_apart');
});

test('without a key there is none to include or to send apart', () => {
  expect(linkMeaning({ ...here, hasKey: false })).toBe('no_key');
  expect(linkMeaning({ ...here, hasKey: false, hasPassphrase: true })).toBe('no_key');
});

test('the other modes need no key, or have no use for one', () => {
  for (const mode of ['plain', 'discord', 'revoked'] as const) expect(linkMeaning({ ...here, mode })).toBe(mode);
});

test('only the owner changes a link, and only while there is one', () => {
  expect(linkControls('viewer', 'private', true)).toBe('none');
  expect(linkControls('public', 'discord', true)).toBe('none');
  expect(linkControls('owner', 'plain', true)).toBe('none');
  expect(linkControls('owner', 'private', true)).toBe('all');
  expect(linkControls('owner', 'discord', true)).toBe('all');
  expect(linkControls('owner', 'revoked', true)).toBe('over');
});

test('a device without the key can end the link and make no new one', () => {
  expect(linkControls('owner', 'private', false)).toBe('revoke_only');
});
