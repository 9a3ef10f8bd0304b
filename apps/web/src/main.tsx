import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { NONCE_META } from '@satchel/contract/paths';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startSession } from './account/session/session.ts';
import { followKeyDeletion } from './account/sign-out/sign-out.ts';
import { keepEarlyDrops } from './engine/early-drop.ts';
import { watchHistory } from './engine/keys/history-fragments.ts';
import { startKeyExpiry } from './engine/keys/key-expiry.ts';
import { followTheme } from './lib/base/theme.ts';
import { importWithTexts } from './lib/texts/import-with-texts.ts';
import { startLanguage } from './lib/texts/language.ts';
import { router } from './shell/router.tsx';

declare global {
  /** Of shell/page-needs.js, which says why the page does not show. */
  var satchelPage: { readonly works: boolean; hasBegun: boolean; readonly fail: () => void };
}

// Radix puts scroll-lock rules into a <style>; the CSP admits it by this nonce.
const nonce = document.querySelector<HTMLMetaElement>(`meta[name="${NONCE_META}"]`)?.content;
if (nonce) setNonce(nonce);

keepEarlyDrops();
watchHistory();
followKeyDeletion();
startSession();
followTheme();
void startKeyExpiry();
// The foot of the page, and what opens a dropped link: loaded by what the visitor does first. A screen reader keeps its keys to
// itself, and moves the focus or scrolls.
const ACTS = ['pointerdown', 'wheel', 'keydown', 'dragenter', 'focusin', 'scroll'];
const acting = new AbortController();
const addLateParts = async () => {
  acting.abort();
  (await importWithTexts('foot', () => import('./shell/late/late-parts.tsx'))).addLateParts();
};
for (const act of ACTS) addEventListener(act, addLateParts, acting);

function show(): void {
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <RouterProvider router={router} />
      </I18nProvider>
    </StrictMode>,
  );
}

// Texts and route load side by side. Until both are there, index.html shows a bar; the page replaces it in one piece. No
// await: pages import the shell's chunk, which has this module, and would wait for it.
if (satchelPage.works) void Promise.all([startLanguage(), router.load()]).then(show, satchelPage.fail);
satchelPage.hasBegun = true;
