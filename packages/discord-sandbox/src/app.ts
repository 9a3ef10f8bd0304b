import { parse } from 'node:querystring';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { type Bot, type BotOptions, registerBot } from './api/bot.ts';
import { serversOf } from './api/world.ts';
import type { Installations } from './chat/chat-entities.ts';
import { registerChat } from './chat/routes.ts';
import { registerAuthorize } from './oauth/authorize.ts';
import { createGrantStore } from './oauth/grants.ts';
import { registerInstallPage } from './oauth/install-page.ts';
import { registerTokens, registerUsers } from './oauth/tokens.ts';
import { html } from './pages/html.ts';
import { satchelMark, sendPage } from './pages/page.ts';
import { registerCdn } from './personas/cdn.ts';

/** What a person finds at the sandbox's address. */
function registerHome(app: FastifyInstance) {
  app.get('/', ({ host }, reply) => {
    const body = html`${satchelMark}
<h1>Sandbox Discord</h1>
<p class="lead">It answers at http://${host}. Sign-in from Satchel leads here.</p>
<a class="go" href="/chat">Open the chat</a>
<p class="fine">The first thing to try: Mika and Jonas side by side. Type <code>/upload</code> as Mika, then <code>/share</code>.</p>
<p class="fine">Tokens live in memory: a restart signs everyone out of the sandbox.</p>`;
    return sendPage(reply, 200, { title: 'Sandbox', body });
  });
  app.get('/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(satchelMark.markup));
}

/** The servers of a person, in the fields of Discord. */
const guildsOf = (persona: string) =>
  serversOf(persona).map(({ id, name, server }) => ({ id, name, icon: null, owner: server?.ownerName === persona }));

export interface SandboxOptions extends Omit<BotOptions, 'now'> {
  readonly clientSecret: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface Sandbox extends Bot {
  /** Not yet listening. */
  readonly app: FastifyInstance;
}

/**
 * A local Discord, not yet listening. It logs nothing, since codes, tokens and secrets pass through it.
 * @throws Error where `privateKey` is no Ed25519 seed of 64 hex characters
 */
export function createSandbox({ now = Date.now, ...options }: SandboxOptions): Sandbox {
  // An interaction's token is part of a path, and longer than Fastify's parameters may be.
  const app = fastify({ logger: false, bodyLimit: 16 * 1024, routerOptions: { maxParamLength: 512 } });
  const grants = createGrantStore(now);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, parse(String(body))),
  );
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: '404: Not Found', code: 0 }));
  app.setErrorHandler(({ statusCode = 500 }: FastifyError, _request, reply) =>
    statusCode < 500
      ? reply.code(400).send({ message: '400: Bad Request', code: 0 })
      : reply.code(500).send({ message: '500: Internal Server Error', code: 0 }),
  );

  const bot = registerBot(app, { ...options, now });
  const installations: Installations = {
    ...bot.installations,
    async deauthorize(persona) {
      grants.revokeAllOf(persona);
      await bot.installations.deauthorize(persona);
    },
  };
  const deps = { ...options, grants, guildsOf, installations, chat: bot.chat };
  registerHome(app);
  registerChat(app, deps);
  registerInstallPage(app, deps);
  registerAuthorize(app, deps);
  registerCdn(app);
  app.register(async (scope) => registerTokens(scope, deps));
  registerUsers(app, deps);
  return { ...bot, installations, app };
}
