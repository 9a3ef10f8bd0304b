import type { FastifyReply } from 'fastify';
import { html } from '../pages/html.ts';

// Nothing inline, and no text ever becomes markup: the page's code makes elements, and can't do otherwise.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The chat's document: everything in it is made by main.ts. */
export function sendChatPage(reply: FastifyReply, modules: readonly string[]) {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="dark light">
<title>Chat · Sandbox Discord</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/chat/style.css">
${modules.map((name) => html`<link rel="modulepreload" href="/chat/code/${name}">\n`)}
<script type="module" src="/chat/code/main.ts"></script>
</head>
<body>
<noscript>The chat is made by a script, and this browser runs none.</noscript>
</body>
</html>
`;
  return reply
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .send(document.markup);
}
