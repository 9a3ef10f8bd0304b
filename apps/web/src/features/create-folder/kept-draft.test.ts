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
  keepDraft(DRAFT, 'mika', null);
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual({ ...DRAFT, passphrase: '', passphraseAgain: '' });
  expect([...stored.values()].join()).not.toContain('brass');
});

test('it is not for whoever signs in next in this tab, nor for another address, nor once it is dropped', () => {
  keepDraft(DRAFT, 'mika', null);
  expect(keptDraft(EMPTY, 24, 'jonas', null)).toEqual(EMPTY);
  place.search = '?name=Another';
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
  place.search = '';
  dropDraft();
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
});

test('no lifetime is longer than what the person’s tier allows by now', () => {
  keepDraft(DRAFT, 'mika', null);
  expect(keptDraft(EMPTY, 6, 'mika', null).lifetimeHours).toBe(6);
});

test('what storage holds of somebody else’s making, or a storage that is closed, is a form as any other', () => {
  stored.set('satchel.folder_draft', '{');
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
  vi.stubGlobal('sessionStorage', undefined);
  keepDraft(DRAFT, 'mika', null);
  dropDraft();
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
});

test('what a command in Discord asked for has a form of its own, though its address has no word of it', () => {
  keepDraft(DRAFT, 'mika', null);
  expect(keptDraft(EMPTY, 24, 'mika', 'intent-1')).toEqual(EMPTY);
  keepDraft(DRAFT, 'mika', 'intent-1');
  expect(keptDraft(EMPTY, 24, 'mika', 'intent-1').name).toBe('Half written');
  expect(keptDraft(EMPTY, 24, 'mika', 'intent-2')).toEqual(EMPTY);
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
});
