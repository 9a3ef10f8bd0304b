import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tokens } from '../pages/page.ts';
import { readBrowserCode } from './browser-code.ts';
import { createLinkCards } from './cards/link-cards.ts';
import { registerMedia } from './cards/loopback-fetch.ts';
import type { Chat } from './chat-entities.ts';
import { ChatError } from './chat-error.ts';
import { sendChatPage } from './chat-page.ts';
import { registerChatApi } from './client-api.ts';
import { createEventStreams } from './event-streams.ts';
import type { Installations } from './installations.ts';
import { requireLoopback, requireSameOrigin } from './same-origin.ts';

export interface ChatDeps {
  readonly chat: Chat;
  readonly installations: Installations;
  readonly clientId: string;
}

const STYLES = ['chat.css', 'panes.css', 'messages/messages.css', 'messages/embeds.css', 'composer/writing.css'];
const BODY_LIMIT_BYTES = 64 * 1024;

/** `{"message"}` for what the chat refuses; anything else is a fault of the sandbox and goes on to its own handler. */
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
