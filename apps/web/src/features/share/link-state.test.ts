import { expect, test } from 'vitest';
import { linkMeaning } from './link-state.ts';

const folder = { folder_link_mode: 'private', temp_key_passphrase: null } as const;
const guarded = { ...folder, temp_key_passphrase: true };
const here = { folder, hasKey: true, includesKey: true };

test('a private link’s meaning depends on its contents', () => {
  expect(linkMeaning(here)).toBe('with_key');
  expect(linkMeaning({ ...here, folder: guarded })).toBe('with_key_and_passphrase');
  expect(linkMeaning({ ...here, includesKey: false })).toBe('key_apart');
});

test('without a key, the link has none, and none is sent apart', () => {
  expect(linkMeaning({ ...here, hasKey: false })).toBe('no_key');
  expect(linkMeaning({ ...here, hasKey: false, folder: guarded })).toBe('no_key');
});

test('the other modes need no key', () => {
  for (const mode of ['plain', 'discord', 'revoked'] as const)
    expect(linkMeaning({ ...here, folder: { ...folder, folder_link_mode: mode } })).toBe(mode);
});
