import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startSession } from './account/session/session.ts';
import { followKeyDeletion } from './account/sign-out/sign-out.ts';
import { keepEarlyDrops } from './engine/early-drop.ts';
import { watchHistory } from './engine/keys/history-fragments.ts';
import { startKeyExpiry } from './engine/keys/key-expiry.ts';
import { loadSettings, settings } from './lib/base/settings.ts';
import { followTheme } from './lib/base/theme.ts';
import { importWithTexts } from './lib/texts/import-with-texts.ts';
import { startLanguage } from './lib/texts/language.ts';
import { router } from './shell/router.tsx';

declare global {
  /** Of shell/page-needs.js, which says why the page does not show. */
  var satchelPage: { readonly works: boolean; hasBegun: boolean; readonly fail: () => void };
}

keepEarlyDrops();
watchHistory();
followKeyDeletion();
startSession();
followTheme();
void startKeyExpiry();
const settled = loadSettings();
// The foot of the page, and what opens a dropped link: loaded by what the visitor does first. A screen reader keeps its keys to
// itself, and moves the focus or scrolls.
const ACTS = ['pointerdown', 'wheel', 'keydown', 'dragenter', 'focusin', 'scroll'];
const acting = new AbortController();
const addLateParts = async () => {
  acting.abort();
  const parts = importWithTexts('foot', () => import('./shell/late/late-parts.tsx'));
  await settled;
  (await parts).addLateParts();
};
for (const act of ACTS) addEventListener(act, addLateParts, acting);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The page under the site's own name, where it was opened under another name of this machine: cookies belong to one name. */
function ownAddress(): string | null {
  const names = [new URL(settings.public_url).hostname, location.hostname];
  const isOther = names[0] !== names[1] && names.every((name) => LOOPBACK.test(name));
  return isOther ? settings.public_url + location.href.slice(location.origin.length) : null;
}

function show(): void {
  const elsewhere = ownAddress();
  if (elsewhere !== null) {
    location.replace(elsewhere);
    return;
  }
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <RouterProvider router={router} />
      </I18nProvider>
    </StrictMode>,
  );
}

// Texts, settings and route load side by side. Until all are there, index.html shows a bar; the page replaces it in one piece. No
// await: pages import the shell's chunk, which has this module, and would wait for it.
if (satchelPage.works) void Promise.all([startLanguage(), settled, router.load()]).then(show, satchelPage.fail);
satchelPage.hasBegun = true;
