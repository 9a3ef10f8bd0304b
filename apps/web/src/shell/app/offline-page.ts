import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { keepOfflinePage } from '../../engine/app/offline-answer.ts';
import { mediaWorker } from '../../engine/media/service-worker-link.ts';
import { serviceWorkers } from '../../lib/base/device.ts';
import { THEME_NAME } from '../../lib/base/theme-choice.ts';
import tokens from '../../tokens.css?raw';

/** The installed app's own page for when the site can't be reached. It stands alone: nothing can be fetched for it. */

const STYLE = `${tokens}
body { margin: 0; background: var(--canvas); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { min-height: 100dvh; display: grid; place-content: center; justify-items: center; gap: 1rem; padding: 1.5rem;
  box-sizing: border-box; text-align: center; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.2; }
p { margin: 0; max-width: 26rem; color: var(--muted); }
button { min-height: 2.75rem; padding: 0 1.25rem; border: 0; border-radius: 0.625rem; cursor: pointer;
  background: var(--accent); color: var(--accent-ink); font: inherit; font-weight: 600; }
button:hover { background: var(--accent-hover); }
button:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
@media (forced-colors: active) { button { border: 1px solid; } }`;

/** The address stays, with the key in it: the page that was asked for loads as soon as it can. */
const SCRIPT = `let theme;
try { theme = localStorage.getItem('${THEME_NAME}'); } catch {}
const isLight = theme === 'light' || (theme !== 'dark' && matchMedia('(prefers-color-scheme: light)').matches);
document.documentElement.dataset.theme = isLight ? 'light' : 'dark';
const again = () => location.reload();
addEventListener('online', again);
addEventListener('DOMContentLoaded', () => document.querySelector('button').addEventListener('click', again));`;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`;
}

async function offlinePage(): Promise<Response> {
  const [title, text, again] = [
    t`You are offline`,
    t`This page needs a connection. It loads by itself once you are online.`,
    t`Try Again`,
  ].map(escaped);
  const html = `<!doctype html><html lang="${i18n.locale}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Satchel</title>
<script>${SCRIPT}</script><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${text}</p><button type="button">${again}</button></main></body></html>`;
  const policy = [
    "default-src 'none'",
    `script-src ${await hashOf(SCRIPT)}`,
    `style-src ${await hashOf(STYLE)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy };
  return new Response(html, { headers });
}

/** Browsers end an idle worker after half a minute, and ask only a running one for a page that is reloaded. */
const AWAKE_EVERY_MS = 20_000;

function stayAwake(): void {
  if (navigator.onLine) return;
  serviceWorkers()?.controller?.postMessage({ type: 'ping', ids: [] });
  setTimeout(stayAwake, AWAKE_EVERY_MS);
}

/** Has the installed app show its own page where the site can't be reached, in the language that was chosen last. */
export async function startOfflinePage(): Promise<void> {
  const keep = async () => keepOfflinePage(await offlinePage()).catch(() => undefined);
  await keep();
  i18n.on('change', keep);
  addEventListener('offline', stayAwake);
  await mediaWorker();
}
