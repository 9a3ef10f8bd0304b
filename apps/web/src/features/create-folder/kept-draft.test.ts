import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { emptyDraft, type FolderDraft } from './folder-draft.ts';
import { dropDraft, keepDraft, keptDraft } from './kept-draft.ts';

const EMPTY = emptyDraft(24);
const DRAFT: FolderDraft = {
  ...EMPTY,
  name: 'Half written',
  encrypt: false,
  wantsPassphrase: true,
  passphrase: 'four brass lanterns',
  passphraseAgain: 'four brass',
  lifetimeHours: 12,
};

let stored: Map<string, string>;
const place = { pathname: '/upload', search: '' };
beforeEach(() => {
  stored = new Map();
  place.search = '';
  vi.stubGlobal('location', place);
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

test('a form is as it was left, without its passphrase', () => {
  keepDraft(DRAFT, 'mika');
  expect(keptDraft(EMPTY, 24, 'mika')).toEqual({ ...DRAFT, passphrase: '', passphraseAgain: '' });
  expect([...stored.values()].join()).not.toContain('brass');
});

test('it is not for whoever signs in next in this tab, nor for another address, nor once it is dropped', () => {
  keepDraft(DRAFT, 'mika');
  expect(keptDraft(EMPTY, 24, 'jonas')).toEqual(EMPTY);
  place.search = '?name=Another';
  expect(keptDraft(EMPTY, 24, 'mika')).toEqual(EMPTY);
  place.search = '';
  dropDraft();
  expect(keptDraft(EMPTY, 24, 'mika')).toEqual(EMPTY);
});

test('no lifetime is longer than what the person’s tier allows by now', () => {
  keepDraft(DRAFT, 'mika');
  expect(keptDraft(EMPTY, 6, 'mika').lifetimeHours).toBe(6);
});

test('what storage holds of somebody else’s making, or a storage that is closed, is a form as any other', () => {
  stored.set('satchel.folder_draft', '{');
  expect(keptDraft(EMPTY, 24, 'mika')).toEqual(EMPTY);
  vi.stubGlobal('sessionStorage', undefined);
  keepDraft(DRAFT, 'mika');
  dropDraft();
  expect(keptDraft(EMPTY, 24, 'mika')).toEqual(EMPTY);
});
