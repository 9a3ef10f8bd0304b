import { expect, test } from 'vitest';
import { DELETE_TEXTS } from './delete/delete.ts';
import { CODE_TEXTS, ERROR_TEXTS, LATE_TEXTS } from './error-texts.ts';
import { HELP_TEXTS } from './help/help.ts';
import { LANGUAGES, textsIn, type Values } from './language.ts';
import { LIST_TEXTS, MODE_TEXTS } from './list/list.ts';
import { LOG_TEXTS } from './settings/guild-log.ts';
import { SETTINGS_TEXTS } from './settings/settings.ts';
import { RECEIPT_TEXTS } from './share/share-receipt-texts.ts';
import { SHARE_TEXTS } from './share/share-texts.ts';
import { UPLOAD_TEXTS } from './upload/upload-texts.ts';

type Text = string | ((values: Values) => string);

const TABLES = {
  CODE_TEXTS,
  DELETE_TEXTS,
  ERROR_TEXTS,
  HELP_TEXTS,
  LATE_TEXTS,
  LIST_TEXTS,
  LOG_TEXTS,
  MODE_TEXTS,
  RECEIPT_TEXTS,
  SETTINGS_TEXTS,
  SHARE_TEXTS,
  UPLOAD_TEXTS,
};

/** The names of the values that a text asks for. */
function placesIn(text: Text): string[] {
  const asked = new Set<string>();
  if (typeof text === 'function') text(new Proxy({}, { get: (_, name) => asked.add(String(name)) && '' }));
  return [...asked].sort();
}

const placesOf = (texts: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, placesIn(text as Text)]));

test.each(Object.entries(TABLES))('%s has the same texts with the same places in every language', (_, table) => {
  for (const language of LANGUAGES) expect(placesOf(table[language]), language).toEqual(placesOf(table.en));
});

test('a value is shown as it is, also where it looks like a place', () => {
  const { en } = textsIn('late', { done: '{name} and {$&}', form: 'without' });
  expect(en.done({ name: '{form} $& $1', '$&': 'x' })).toBe('{form} $& $1 and {$&}');
  expect(en.form).toBe('without');
});
