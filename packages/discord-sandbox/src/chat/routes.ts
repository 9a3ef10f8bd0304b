import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { sep } from 'node:path';
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { html } from '../pages/html.ts';
import { PAGE_HEADERS, tokens } from '../pages/page.ts';
import { createLinkCards } from './cards/link-cards.ts';
import { registerMedia } from './cards/loopback-fetch.ts';
import { ChatError } from './chat-entities.ts';
import { type PageApiDeps, registerPageApi } from './page-api.ts';
import { requireLoopback, requireSameOrigin } from './same-origin.ts';

// Nothing inline, and no text ever becomes markup: the page's code makes elements, and can't do otherwise.
const POLICY = [
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
function sendChatPage(reply: FastifyReply, modules: readonly string[]) {
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
    .headers({ ...PAGE_HEADERS, 'content-security-policy': POLICY, 'cross-origin-opener-policy': 'same-origin' })
    .send(document.markup);
}

const BROWSER_CODE = new URL('./browser/', import.meta.url);

/** Node warns once that type stripping is experimental. The warning asks for no action, so it is left out. */
function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

const STYLES = ['chat.css', 'panes.css', 'messages/messages.css', 'messages/embeds.css', 'composer/writing.css'];
const BODY_LIMIT_BYTES = 64 * 1024;

function registerPage(app: FastifyInstance) {
  /** Paths of the modules that run in the page, as they import each other. */
  const modules = readdirSync(BROWSER_CODE, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  const read = (name: string) => readFileSync(new URL(name, BROWSER_CODE), 'utf8');
  const style = [tokens, ...STYLES.map(read)].join('\n');
  const stripped = new Map<string, string>();
  const asset = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' };

  app.get('/chat', (_request, reply) => sendChatPage(reply, modules));
  app.get('/chat/style.css', (_request, reply) =>
    reply.headers({ ...asset, 'content-type': 'text/css; charset=utf-8' }).send(style),
  );
  app.get<{ Params: { readonly '*': string } }>('/chat/code/*', ({ params: { '*': name } }, reply) => {
    if (!modules.includes(name)) return reply.callNotFound();
    const code = stripped.get(name) ?? stripTypes(read(name));
    stripped.set(name, code);
    return reply.headers({ ...asset, 'content-type': 'text/javascript; charset=utf-8' }).send(code);
  });
}

/** The chat in the browser: its page, what the page asks, and the cards under its links. */
export function registerChat(app: FastifyInstance, deps: PageApiDeps) {
  const { chat } = deps;
  const cards = createLinkCards({ attach: chat.attachCards });
  chat.subscribe((_persona, event) => {
    if (event.kind === 'message') void cards.consider(event.message);
  });
  app.addHook('preClose', async () => cards.close());

  app.register(async (scope) => {
    scope.addHook('onRequest', requireLoopback);
    registerPage(scope);
    scope.register(async (api) => {
      api.addHook('onRequest', requireSameOrigin);
      // `{"message"}` for what the chat refuses; anything else is a fault of the sandbox, for its own handler.
      api.setErrorHandler((error: FastifyError, _request, reply) => {
        if (!(error instanceof ChatError)) throw error;
        return reply.code(400).send({ message: error.message });
      });
      api.addContentTypeParser(
        'application/json',
        { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
        api.getDefaultJsonParser('error', 'error'),
      );
      registerPageApi(api, deps);
      registerMedia(api);
    });
  });
}
