import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../pages/html.ts';
import { tokens } from '../pages/page.ts';
import { createLinkCards } from './cards/link-cards.ts';
import { registerMedia } from './cards/loopback-fetch.ts';
import type { Chat } from './chat-entities.ts';
import { ChatError } from './chat-error.ts';
import { registerChatApi } from './client-api.ts';
import { createEventStreams } from './event-streams.ts';
import type { Installations } from './installations.ts';
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
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
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

/** The modules that run in the page: TypeScript, with its types taken out when a module is first asked for. */
function readBrowserCode() {
  const modules = readdirSync(BROWSER_CODE, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  const stripped = new Map<string, string>();
  return {
    /** Paths of the modules within their folder, as they import each other. */
    modules,
    /** @returns undefined for what isn't one of them */
    read(module: string) {
      if (!modules.includes(module)) return undefined;
      const known = stripped.get(module);
      if (known !== undefined) return known;
      const code = stripTypes(readFileSync(new URL(module, BROWSER_CODE), 'utf8'));
      stripped.set(module, code);
      return code;
    },
  };
}

export interface ChatDeps {
  readonly chat: Chat;
  readonly installations: Installations;
  readonly clientId: string;
}

const STYLES = ['chat.css', 'panes.css', 'messages/messages.css', 'messages/embeds.css', 'composer/writing.css'];
const BODY_LIMIT_BYTES = 64 * 1024;

/** `{"message"}` for what the chat refuses; anything else is a fault of the sandbox, for its own handler. */
function answerRefusal(error: Error, _request: FastifyRequest, reply: FastifyReply) {
  if (!(error instanceof ChatError)) throw error;
  return reply.code(400).send({ message: error.message });
}

function registerPage(app: FastifyInstance) {
  const code = readBrowserCode();
  const styles = STYLES.map((name) => readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8'));
  const style = [tokens, ...styles].join('\n');
  const asset = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' };

  app.get('/chat', (_request, reply) => sendChatPage(reply, code.modules));
  app.get('/chat/style.css', (_request, reply) =>
    reply.headers({ ...asset, 'content-type': 'text/css; charset=utf-8' }).send(style),
  );
  app.get('/chat/code/*', (request, reply) => {
    const source = code.read(String((request.params as { '*': string })['*']));
    if (source === undefined) return reply.callNotFound();
    return reply.headers({ ...asset, 'content-type': 'text/javascript; charset=utf-8' }).send(source);
  });
}

/** The chat in the browser: its page, what the page asks, and the cards under its links. */
export function registerChat(app: FastifyInstance, { chat, installations, clientId }: ChatDeps) {
  const cards = createLinkCards({ attach: chat.attachCards });
  const streams = createEventStreams(chat, (event) => {
    if (event.kind === 'message') cards.consider(event.message);
  });
  app.addHook('preClose', async () => {
    streams.close();
    cards.close();
  });

  app.register(async (scope) => {
    scope.addHook('onRequest', requireLoopback);
    registerPage(scope);
    scope.register(async (api) => {
      api.addHook('onRequest', requireSameOrigin);
      api.addHook('onSend', async (_request, reply) => {
        if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
        reply.header('x-content-type-options', 'nosniff');
      });
      api.setErrorHandler(answerRefusal);
      api.addContentTypeParser(
        'application/json',
        { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
        api.getDefaultJsonParser('error', 'error'),
      );
      registerChatApi(api, { chat, streams, installations, clientId });
      registerMedia(api);
    });
  });
}
