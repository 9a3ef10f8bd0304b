import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { factsSeen } from '@satchel/contract/server-sight';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { emptyDraft, type FolderDraft, linkModeOf } from './folder-draft.ts';
import { ProtectionCard } from './protection-card.tsx';

/** Compares the create page's promises with the facts that the server will see of such a folder. */

const DRAFTS = [true, false].flatMap((encrypt) =>
  [true, false].flatMap((discordLink) => [true, false].map((hideNames) => ({ encrypt, discordLink, hideNames }))),
);

const textOf = (draft: FolderDraft) =>
  renderToStaticMarkup(
    <I18nProvider i18n={i18n}>
      <ProtectionCard draft={draft} errors={{}} onChange={() => undefined} />
    </I18nProvider>,
  ).replaceAll(/<[^>]+>/g, ' ');

test.each(DRAFTS)(
  'of a new folder ($encrypt, $discordLink, $hideNames) it says what the server will see',
  (choices) => {
    const draft = { ...emptyDraft(24), ...choices };
    const text = textOf(draft);
    const facts = factsSeen({ link_mode: linkModeOf(draft), hide_names: draft.hideNames });
    expect(/Our server can read these files/.test(text)).toBe(facts.has('contents'));
    expect(/It holds the key/.test(text)).toBe(facts.has('key'));
    expect(/not what they are called/.test(text)).toBe(!facts.has('file_names'));
    expect(/but not what is inside|not what they are called/.test(text)).toBe(!facts.has('contents'));
  },
);
