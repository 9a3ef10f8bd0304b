import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { factsSeen } from '@satchel/contract/server-sight';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { emptyDraft } from './folder-draft.ts';
import { NamesHint } from './more-options.tsx';

/** Compares what the form says of file names with the facts that the server will see of such a folder. */

test.each([
  ['private', true],
  ['private', false],
  ['discord', true],
  ['discord', false],
] as const)(
  'of file names in a new folder (%s, hidden: %s) it says what the server will see',
  (linkMode, hideNames) => {
    const text = renderToStaticMarkup(
      <I18nProvider i18n={i18n}>
        <NamesHint draft={{ ...emptyDraft(24), linkMode, hideNames }} />
      </I18nProvider>,
    );
    const facts = factsSeen({ link_mode: linkMode, hide_names: hideNames });
    expect(/sees file names|it can read them/.test(text)).toBe(facts.has('file_names'));
    expect(/not what they are called/.test(text)).toBe(!facts.has('file_names'));
  },
);
