import { describe, expect, test } from 'vitest';
import { emptyDraft, lifetimeChoices, passphraseOf, problemsOf, readPrefill } from './folder-draft.ts';

test('no lifetime is longer than the server allows, and the longest comes first', () => {
  expect(lifetimeChoices(24)).toEqual([24, 12, 6, 3, 1]);
  expect(lifetimeChoices(5)).toEqual([5, 3, 1]);
  expect(lifetimeChoices(0.5)).toEqual([0.5]);
});

test('a link’s lifetime is one more choice, if it is allowed', () => {
  expect(lifetimeChoices(24, 2)).toEqual([24, 12, 6, 3, 2, 1]);
  expect(lifetimeChoices(24, 3)).toEqual([24, 12, 6, 3, 1]);
  expect(lifetimeChoices(24, 48)).toEqual([24, 12, 6, 3, 1]);
});

test('a new folder is encrypted, private, hides names and has the longest lifetime', () => {
  const draft = emptyDraft(24);
  expect(draft).toMatchObject({ linkMode: 'private', hideNames: true, lifetimeHours: 24, wantsPassphrase: false });
});

describe('a link to the page', () => {
  const read = (search: Record<string, unknown>) => emptyDraft(24, readPrefill(search, 24));

  test('fills in name, lifetime and mode', () => {
    expect(read({ name: ' Saturday raid ', lifetime: '6', mode: 'discord' })).toMatchObject({
      name: 'Saturday raid',
      lifetimeHours: 6,
      linkMode: 'discord',
    });
    expect(read({ mode: 'plain' }).linkMode).toBe('plain');
    expect(read({ mode: 'private' }).linkMode).toBe('private');
  });

  test('may have a name that is a number', () => {
    expect(read({ name: 2026 }).name).toBe('2026');
  });

  test('gets no longer lifetime than the limit', () => {
    expect(read({ lifetime: 999 }).lifetimeHours).toBe(24);
  });

  test('with invalid values changes nothing', () => {
    for (const lifetime of ['soon', '', -1, 0, Number.NaN, 'Infinity', null, [3]]) {
      expect(readPrefill({ lifetime }, 24), String(lifetime)).toEqual({});
    }
    for (const mode of ['DISCORD', 'constructor', 3, null]) expect(readPrefill({ mode }, 24)).toEqual({});
    for (const name of ['a\0b', '\ud800', '   ', {}, null]) expect(readPrefill({ name }, 24)).toEqual({});
  });

  test('has its name cut where the server would refuse it, between two characters', () => {
    const name = read({ name: `${'x'.repeat(79)}🎒` }).name;
    expect(name).toBe('x'.repeat(79));
    expect(read({ name: 'x'.repeat(500) }).name).toHaveLength(80);
  });
});

describe('a passphrase', () => {
  const guarded = (passphrase: string, passphraseAgain = passphrase) => ({
    ...emptyDraft(24),
    wantsPassphrase: true,
    passphrase,
    passphraseAgain,
  });

  test('is refused when it is missing, or differs from its repetition', () => {
    expect(problemsOf(guarded(''))).toEqual({ passphrase: 'missing' });
    expect(problemsOf(guarded('   '))).toEqual({ passphrase: 'missing' });
    expect(problemsOf(guarded('blue heron', 'blue herons'))).toEqual({ passphraseAgain: 'different' });
    expect(problemsOf(guarded('blue heron'))).toEqual({});
  });

  test('is refused when it is common, or is the folder’s name', () => {
    expect(problemsOf(guarded('heron'))).toEqual({ passphrase: 'short' });
    expect(problemsOf(guarded('Password1'))).toEqual({ passphrase: 'common' });
    expect(problemsOf({ ...guarded('blue heron'), name: 'Blue Heron' })).toEqual({ passphrase: 'folder_name' });
    expect(problemsOf({ ...guarded('heron'), linkMode: 'discord' })).toEqual({});
  });

  test('is equal in any composition of its letters', () => {
    expect(problemsOf(guarded('grüner Reiher'.normalize('NFC'), 'grüner Reiher'.normalize('NFD')))).toEqual({});
  });

  test('is for private links only', () => {
    expect(passphraseOf(guarded('blue heron'))).toBe('blue heron');
    for (const other of [{ linkMode: 'discord' }, { linkMode: 'plain' }, { wantsPassphrase: false }] as const) {
      const draft = { ...guarded(''), ...other };
      expect([passphraseOf(draft), problemsOf(draft)]).toEqual([null, {}]);
    }
  });
});
