import './lib/zod-jitless.ts';
import { NONCE_META } from '@satchel/contract/paths';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { startKeyExpiry } from './lib/key-expiry.ts';
import { startSession } from './lib/session.ts';
import './styles.css';

// Radix puts scroll-lock rules into a <style>; the CSP admits it by this nonce (DESIGN §6).
const nonce = document.querySelector<HTMLMetaElement>(`meta[name="${NONCE_META}"]`)?.content;
if (nonce) setNonce(nonce);

startSession();
void startKeyExpiry();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
