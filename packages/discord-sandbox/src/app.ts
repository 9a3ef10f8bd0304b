import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { type Bot, type BotOptions, createBot } from './api/bot.ts';
import { guildsOf } from './api/world/world.ts';
import type { Installations } from './chat/installations.ts';
import { registerChat } from './chat/routes.ts';
import { registerAuthorize } from './oauth/authorize.ts';
import { readFields } from './oauth/form-fields.ts';
import { createGrantStore } from './oauth/grants.ts';
import { registerInstallPage } from './oauth/install-page.ts';
import { createIssuerOf, type IssuerOf } from './oauth/issuer.ts';
import { registerTokens } from './oauth/tokens.ts';
import { registerUsers } from './oauth/users.ts';
import { html } from './pages/html.ts';
import { satchelMark, sendPage } from './pages/page.ts';
import { registerCdn } from './personas/cdn.ts';
import { personas } from './personas/personas.ts';

interface HomeDeps {
  issuerOf: IssuerOf;
}

/** What a person finds at the sandbox's address. */
function registerHome(app: FastifyInstance, { issuerOf }: HomeDeps) {
  app.get('/', (request, reply) => {
    const body = html`${satchelMark}
<h1>Sandbox Discord</h1>
<p class="lead">It answers at ${issuerOf(request)}. Sign-in from Satchel leads here.</p>
<a class="go" href="/chat">Open the chat</a>
<p class="fine">The first thing to try: Mika and Jonas side by side. Type <code>/upload</code> as Mika, then <code>/share</code>.</p>
<h2>Who you can be</h2>
<dl>
${personas.map(({ name, about }) => html`<dt><code>${name}</code></dt><dd>${about}</dd>\n`)}
</dl>
<p class="fine">Tokens live in memory: a restart signs everyone out of the sandbox.</p>`;
    return sendPage(reply, 200, { title: 'Sandbox', body });
  });

  app.get('/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(satchelMark.markup));
  app.get('/favicon.ico', (_request, reply) => reply.redirect('/icon.svg', 302));
}

export interface SandboxOptions extends Omit<BotOptions, 'now'> {
  clientSecret: string;
  redirectUris: readonly string[];
  /** Its address, should a request not tell under which one it came. */
  publicUrl: string;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** The bot's side, where the caller has made it already. */
  bot?: Bot;
}

// An interaction's token is part of a path, and longer than Fastify's parameters may be.
const routerOptions = { querystringParser: readFields, maxParamLength: 512 };

/**
 * A local Discord, not yet listening. It logs nothing, since codes, tokens and secrets pass through it.
 * @throws Error where `privateKey` is no Ed25519 seed of 64 hex characters
 */
export function createSandbox({ publicUrl, now = Date.now, bot, ...client }: SandboxOptions): FastifyInstance {
  const app = fastify({ logger: false, bodyLimit: 16 * 1024, routerOptions });
  const grants = createGrantStore({ now });
  const issuerOf = createIssuerOf(publicUrl);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, readFields(String(body))),
  );
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: '404: Not Found', code: 0 }));
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const statusCode = error.statusCode !== undefined && error.statusCode < 500 ? error.statusCode : 500;
    const message = statusCode === 500 ? '500: Internal Server Error' : '400: Bad Request';
    return reply.code(statusCode === 500 ? 500 : 400).send({ message, code: 0 });
  });

  const discord = bot ?? createBot({ ...client, now });
  discord.register(app);
  const installations: Installations = {
    ...discord.installations,
    async deauthorize(persona) {
      grants.revokeAllOf(persona);
      await discord.installations.deauthorize(persona);
    },
  };
  const install = { installations, clientId: client.clientId };
  registerChat(app, { chat: discord.chat, ...install });
  registerInstallPage(app, install);
  registerHome(app, { issuerOf });
  registerAuthorize(app, { client, grants, issuerOf, install });
  registerCdn(app);
  app.register(async (scope) => registerTokens(scope, { client, grants }));
  app.register(async (scope) => registerUsers(scope, { grants, guildsOf }));
  return app;
}
