import { randomBytes } from 'node:crypto';
import type { FastifyError, FastifyInstance } from 'fastify';
import type { Chat, Installations } from '../chat/chat-entities.ts';
import { requireLoopback } from '../chat/same-origin.ts';
import { type Application, createApplication } from './application.ts';
import { type Conversations, createConversations } from './conversations.ts';
import { createEndpoint } from './endpoint.ts';
import { createMessages, createSnowflakes } from './messages.ts';
import { createProblems, DiscordError, type Problems, unknownWebhook, unreadableBody } from './problems.ts';

const API = '/api/v10';
const BODY_LIMIT_BYTES = 256 * 1024;

interface WebhookRoute {
  readonly Params: { readonly applicationId: string; readonly token: string };
}

/** What the application says by an interaction's token after its answer: an edit of it, and further messages. */
function registerWebhooks(app: FastifyInstance, { id }: Application, { followUp, editOriginal }: Conversations) {
  const hook = `${API}/webhooks/:applicationId/:token`;
  app.addHook<WebhookRoute>('preHandler', async ({ params }) => {
    if (params.applicationId !== id) throw unknownWebhook();
  });
  app.post<WebhookRoute>(hook, ({ params, body }) => followUp(params.token, body));
  app.patch<WebhookRoute>(`${hook}/messages/@original`, ({ params, body }) => editOriginal(params.token, body));
}

/** What the application does with its bot token: its settings and its commands. */
function registerApplication(app: FastifyInstance, application: Application, botToken: string) {
  const commands = `${API}/applications/${application.id}/commands`;
  app.addHook('onRequest', async ({ headers }) => {
    if (headers.authorization !== `Bot ${botToken}`) throw new DiscordError(401, 0, '401: Unauthorized');
  });
  app.get(`${API}/applications/@me`, () => application.describe());
  app.patch(`${API}/applications/@me`, async ({ body }) => {
    await application.edit(body);
    return application.describe();
  });
  app.get(commands, () => application.commands());
  app.put(commands, ({ body }) => application.overwriteCommands(body));
}

export interface BotOptions {
  readonly clientId: string;
  readonly redirectUris: readonly string[];
  /** Ed25519 seed, 64 hex characters. */
  readonly privateKey?: string;
  readonly botToken?: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long the application may take for its first answer. */
  readonly answerLimitMs?: number;
}

export interface Bot {
  readonly chat: Chat;
  readonly installations: Installations;
  readonly problems: Problems;
  /** What interactions are signed with: Ed25519, 64 hex characters. */
  readonly publicKey: string;
}

/** What Discord does for an application with commands: its API, and the conversations with people. */
export function registerBot(app: FastifyInstance, { clientId, redirectUris, now, ...options }: BotOptions): Bot {
  const { privateKey = randomBytes(32).toString('hex'), botToken = randomBytes(24).toString('hex') } = options;
  const newId = createSnowflakes(now);
  const problems = createProblems();
  const endpoint = createEndpoint({ ...options, applicationId: clientId, privateKey, now });
  const application = createApplication({ id: clientId, redirectUris, endpoint, problems, newId, now });
  const messages = createMessages(now, newId);
  const conversations = createConversations({ application, endpoint, messages, problems, newId, now });

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
      scope.getDefaultJsonParser('error', 'error'),
    );
    scope.setErrorHandler((error: FastifyError, { method, routeOptions }, reply) => {
      const isUnreadable = error.statusCode !== undefined && error.statusCode < 500;
      const refusal = error instanceof DiscordError || !isUnreadable ? error : unreadableBody();
      if (!(refusal instanceof DiscordError)) throw error;
      const { statusCode, code, message, errors } = refusal;
      // A body that is wrong, rather than too late: a person may want to look it up afterwards.
      if (statusCode === 400) problems.note(`${method} ${routeOptions.url}: ${code} ${message}`, errors);
      return reply.code(statusCode).send({ message, code, ...(errors && { errors }) });
    });
    scope.register(async (inner) => registerWebhooks(inner, application, conversations));
    scope.register(async (inner) => registerApplication(inner, application, botToken));
  });
  app.get('/sandbox/problems', { onRequest: requireLoopback }, () => problems.all());

  const { chat } = conversations;
  return { chat, installations: application.installations, problems, publicKey: endpoint.publicKey };
}
