import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { NONCE_META } from '@satchel/contract/paths';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { StartError } from './app/start-error.tsx';
import { dropForgottenKeys } from './lib/forgotten-entries.ts';
import { startKeyExpiry } from './lib/key-expiry.ts';
import { startLanguage } from './lib/language.ts';
import { startSession } from './lib/session.ts';
import { followForgetting } from './lib/sign-out.ts';
import { followTheme } from './lib/theme.ts';
import './styles.css';

// Radix puts scroll-lock rules into a <style>; the CSP admits it by this nonce (DESIGN §6).
const nonce = document.querySelector<HTMLMetaElement>(`meta[name="${NONCE_META}"]`)?.content;
if (nonce) setNonce(nonce);

dropForgottenKeys();
followForgetting();
startSession();
followTheme();
void startKeyExpiry();

// Side by side; the page then comes in one piece, in place of the bar that index.html paints meanwhile.
const hasTexts = await Promise.all([startLanguage(), router.load()]).then(
  () => true,
  () => false,
);
createRoot(document.getElementById('root')!).render(
  hasTexts ? (
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <RouterProvider router={router} />
      </I18nProvider>
    </StrictMode>
  ) : (
    <StartError />
  ),
);
