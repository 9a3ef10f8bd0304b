import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { factsSeen } from '@satchel/contract/server-sight';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { LinkModeChoice } from './link-mode-choice.tsx';

/** Compares what each answer says with the facts that the server will see of such a folder. */

/** The texts of the three options, in page order. */
function optionTexts(): string[] {
  const markup = renderToStaticMarkup(
    <I18nProvider i18n={i18n}>
      <LinkModeChoice value="private" onChange={() => undefined} />
    </I18nProvider>,
  );
  return markup
    .split('<input')
    .slice(1)
    .map((option) => option.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '));
}

test.each([
  ['private', 0],
  ['discord', 1],
  ['plain', 2],
] as const)('the answer %s says what the server will see', (link_mode, place) => {
  const text = optionTexts()[place] ?? '';
  const facts = factsSeen({ link_mode, hide_names: true });
  expect(/our server can read these files/i.test(text)).toBe(facts.has('contents'));
  expect(/we can’t read your files/.test(text)).toBe(!facts.has('contents'));
  expect(/our server holds the key for at most 24 hours/.test(text)).toBe(facts.has('key'));
  expect(/not encrypted/.test(text)).toBe(link_mode === 'plain');
});
