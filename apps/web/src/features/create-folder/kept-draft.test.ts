import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { emptyDraft, type FolderDraft } from './folder-draft.ts';
import { deleteDraft, keepDraft, keptDraft } from './kept-draft.ts';

const EMPTY = emptyDraft(24);
const DRAFT: FolderDraft = {
  ...EMPTY,
  name: 'Half written',
  linkMode: 'plain',
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

test('a form is restored, without its passphrase', () => {
  keepDraft(DRAFT, 'mika', null);
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual({ ...DRAFT, passphrase: '', passphraseAgain: '' });
  expect([...stored.values()].join()).not.toContain('brass');
});

test('it is not restored for the next account in this tab, for another address, or after it was deleted', () => {
  keepDraft(DRAFT, 'mika', null);
  expect(keptDraft(EMPTY, 24, 'jonas', null)).toEqual(EMPTY);
  place.search = '?name=Another';
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
  place.search = '';
  deleteDraft();
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
});

test('no restored lifetime exceeds the person’s present tier', () => {
  keepDraft(DRAFT, 'mika', null);
  expect(keptDraft(EMPTY, 6, 'mika', null).lifetimeHours).toBe(6);
});

test('foreign content in storage, or forbidden storage, gives the default form', () => {
  stored.set('satchel.folder_draft', '{');
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
  vi.stubGlobal('sessionStorage', undefined);
  keepDraft(DRAFT, 'mika', null);
  deleteDraft();
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
});

test('a Discord command has its own draft, although its address doesn’t name it', () => {
  keepDraft(DRAFT, 'mika', null);
  expect(keptDraft(EMPTY, 24, 'mika', 'intent-1')).toEqual(EMPTY);
  keepDraft(DRAFT, 'mika', 'intent-1');
  expect(keptDraft(EMPTY, 24, 'mika', 'intent-1').name).toBe('Half written');
  expect(keptDraft(EMPTY, 24, 'mika', 'intent-2')).toEqual(EMPTY);
  expect(keptDraft(EMPTY, 24, 'mika', null)).toEqual(EMPTY);
});
