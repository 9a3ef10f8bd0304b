import { expect, test } from 'vitest';
import { linkControls, linkMeaning } from './link-state.ts';

const here = { mode: 'private', hasPassphrase: false, hasKey: true, includesKey: true } as const;

test('a private link’s meaning depends on its contents', () => {
  expect(linkMeaning(here)).toBe('with_key');
  expect(linkMeaning({ ...here, hasPassphrase: true })).toBe('with_key_and_passphrase');
  expect(linkMeaning({ ...here, includesKey: false })).toBe('key_apart');
});

test('without a key, the link has none, and none is sent apart', () => {
  expect(linkMeaning({ ...here, hasKey: false })).toBe('no_key');
  expect(linkMeaning({ ...here, hasKey: false, hasPassphrase: true })).toBe('no_key');
});

test('the other modes need no key', () => {
  for (const mode of ['plain', 'discord', 'revoked'] as const) expect(linkMeaning({ ...here, mode })).toBe(mode);
});

test('only the owner changes a link, and only before it is revoked', () => {
  expect(linkControls('viewer', 'private', true)).toBe('none');
  expect(linkControls('public', 'discord', true)).toBe('none');
  expect(linkControls('owner', 'plain', true)).toBe('none');
  expect(linkControls('owner', 'private', true)).toBe('all');
  expect(linkControls('owner', 'discord', true)).toBe('all');
  expect(linkControls('owner', 'revoked', true)).toBe('over');
});

test('a device without the key can revoke the link, but not create one', () => {
  expect(linkControls('owner', 'private', false)).toBe('revoke_only');
});
