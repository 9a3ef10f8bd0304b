import { i18n } from '@lingui/core';
import { expect, test, vi } from 'vitest';
import { preferredLanguage, setLanguage } from './language.ts';

const german = Promise.withResolvers<object>();
vi.mock('../../locales/en/shell.po', () => ({ messages: {} }));
vi.mock('../../locales/de/texts-de.ts', async () => ({
  CATALOGUES: { './shell.po': await german.promise },
  ERROR_TEXTS: {},
}));

test('a reader whose first language is missing gets the next one that the site has', () => {
  expect(preferredLanguage(['it-CH', 'de-AT', 'en'])).toBe('de');
});

test('a regional form counts as its language, in any case', () => {
  expect(preferredLanguage(['DE-ch'])).toBe('de');
});

test('a reader of none of the site’s languages gets English', () => {
  expect(preferredLanguage(['it', 'toString'])).toBe('en');
  expect(preferredLanguage([])).toBe('en');
});

test('the language chosen last stays, even when the texts of an earlier choice arrive later', async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('document', { documentElement: {} });
  vi.stubGlobal('localStorage', { setItem: (name: string, value: string) => kept.set(name, value) });
  const slow = setLanguage('de');
  await setLanguage('en');
  german.resolve({});
  await slow;
  expect([i18n.locale, kept.get('language')]).toEqual(['en', 'en']);
  vi.unstubAllGlobals();
});
