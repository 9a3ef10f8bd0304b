import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { html, type Markup } from './html.ts';

export const satchelMark = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" class="mark" aria-hidden="true"><path d="M11 10V8.2a5 5 0 0 1 10 0V10" fill="none" stroke="#b06a2c" stroke-width="2.8" stroke-linecap="round"/><rect x="3" y="9" width="26" height="20" rx="6" fill="#b06a2c"/><path d="M3 15a6 6 0 0 1 6-6h14a6 6 0 0 1 6 6v1.2c0 1.7-1.1 3.2-2.7 3.8l-6.6 2.4a11 11 0 0 1-7.4 0L5.7 20A4 4 0 0 1 3 16.2Z" fill="#f0ab68"/><path d="M16 13.6a2.9 2.9 0 0 1 1.45 5.4l.75 3.5a.9.9 0 0 1-.88 1.1h-2.64a.9.9 0 0 1-.88-1.1l.75-3.5A2.9 2.9 0 0 1 16 13.6Z" fill="#24160d"/></svg>`;

const readStyle = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
/** The colours of the pages and of the chat. */
export const tokens = readStyle('./tokens.css');
const style: Markup = { markup: tokens + readStyle('./page.css') };
const styleSource = `'sha256-${createHash('sha256').update(style.markup).digest('base64')}'`;

/** Headers of every page: no cache keeps the page, and no link tells its target the page's address. */
export const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export interface Page {
  title: string;
  body: Markup;
  /** Where the page's form may lead, besides the sandbox itself. */
  formOrigins?: readonly string[];
}

/** Every page of the sandbox: it says what it is first, runs no script, and is never kept or framed. */
export function sendPage(reply: FastifyReply, statusCode: number, { title, body, formOrigins = [] }: Page) {
  const policy = [
    "default-src 'none'",
    `style-src ${styleSource}`,
    "img-src 'self'",
    // Chromium applies form-action to the redirect that answers the form, too.
    `form-action ${["'self'", ...formOrigins].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Sandbox Discord</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<header class="notice">Sandbox — a local stand-in for Discord, nobody real</header>
<main>
${body}
</main>
</body>
</html>
`;
  return reply
    .code(statusCode)
    .headers({ ...PAGE_HEADERS, 'content-security-policy': policy.join('; ') })
    .send(document.markup);
}

/** The page for a refusal that can't be handed back to the application. */
export function sendErrorPage(reply: FastifyReply, message: string) {
  const body = html`${satchelMark}
<h1>This can’t continue</h1>
<p class="lead" role="alert">${message}</p>
<p class="fine">Nothing was shared or changed. Go back to the application and start again.</p>`;
  return sendPage(reply, 400, { title: 'Refused', body });
}
