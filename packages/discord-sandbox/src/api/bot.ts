import { randomBytes } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Author, Chat, Choice } from '../chat/chat-entities.ts';
import type { Installations } from '../chat/installations.ts';
import { requireLoopback } from '../chat/same-origin.ts';
import { type ApplicationDeps, registerApplication } from './application-routes.ts';
import { DiscordError, invalidForm, unreadableBody } from './discord-error.ts';
import { type AnswersDeps, createAnswers } from './interactions/answers.ts';
import { createChat } from './interactions/chat.ts';
import { createConversations } from './interactions/conversations.ts';
import { type HeldModal, NO_ANSWER } from './interactions/dispatch.ts';
import { createMail } from './interactions/endpoint.ts';
import { createProbes } from './interactions/endpoint-probes.ts';
import { createInteractions, TOKEN_LIFE_MS } from './interactions/interactions.ts';
import { createProblems, type Problems } from './problems.ts';
import { registerWebhooks, type WebhookDeps } from './webhook-routes.ts';
import { createApplication } from './world/application.ts';
import { createInstallationDesk } from './world/installations.ts';
import { createMessages, type Messages } from './world/messages.ts';
import { createSnowflakes, type Snowflakes } from './world/snowflakes.ts';
import { createInstallations } from './world/world.ts';

const BODY_LIMIT_BYTES = 256 * 1024;

interface BotRoutesDeps extends WebhookDeps, ApplicationDeps {
  readonly problems: Problems;
}

const WRONG_TYPE = invalidForm([`/: Expected "Content-Type" header to be one of {'application/json'}.`]);

/** What Fastify refuses before a route sees it, in Discord's words. */
function refusalOf({ statusCode, code }: FastifyError): DiscordError | null {
  if (statusCode === 415) return WRONG_TYPE;
  if (statusCode === 413) return new DiscordError(413, 40_005, 'Request entity too large');
  const isUnreadable = statusCode === 400 || code?.startsWith('FST_ERR_CTP');
  return isUnreadable ? unreadableBody() : null;
}

/** Bodies that are wrong, rather than too late or too many: a person may want to look them up afterwards. */
const WRONG_BODIES = [50_006, 50_035, 50_109];

function sendRefusal(problems: Problems, error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const refusal = error instanceof DiscordError ? error : refusalOf(error);
  if (refusal === null) throw error;
  if (WRONG_BODIES.includes(refusal.code)) {
    const route = `${request.method} ${request.routeOptions.url}`;
    problems.note(`${route}: ${refusal.code} ${refusal.message}`, refusal.errors);
  }
  return reply.code(refusal.statusCode).send(refusal.body);
}

/** Discord's API for the application, under both of its addresses, and what the application got wrong. */
function registerBot(app: FastifyInstance, deps: BotRoutesDeps) {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
      scope.getDefaultJsonParser('error', 'error'),
    );
    scope.setErrorHandler((error: FastifyError, request, reply) => sendRefusal(deps.problems, error, request, reply));
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    for (const base of ['/api/v10', '/api']) {
      registerWebhooks(scope, base, deps);
      scope.register(async (inner) => registerApplication(inner, base, deps));
    }
  });
  app.get('/sandbox/problems', { onRequest: requireLoopback }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send(deps.problems.all()),
  );
}

export interface BotOptions {
  readonly clientId: string;
  readonly redirectUris?: readonly string[];
  /** Ed25519 seed, 64 hex characters. */
  readonly privateKey?: string;
  readonly botToken?: string;
  readonly now: () => number;
  /** How long the application may take for its first answer. */
  readonly answerLimitMs?: number;
}

export interface Bot {
  readonly chat: Chat;
  readonly installations: Installations;
  readonly problems: Problems;
  /** The application's, as its settings page shows it. */
  readonly publicKey: string;
  register(app: FastifyInstance): void;
}

const ANSWER_LIMIT_MS = 3000;

interface ConversationState {
  readonly messages: Messages;
  readonly newId: Snowflakes;
  readonly modals: Map<string, HeldModal>;
  readonly choices: Map<string, readonly Choice[]>;
}

/** Where an answer goes that isn't simply a message. */
const answerEffects = ({
  messages,
  newId,
  modals,
  choices,
}: ConversationState): Pick<AnswersDeps, 'openModal' | 'takeChoices' | 'awaitEdit'> => ({
  openModal(from, modal) {
    // A person has one form open at a time: an earlier one is gone.
    for (const [id, { persona }] of modals) if (persona === from.persona) modals.delete(id);
    const open = { id: newId(), channel_id: from.room.channelId, modal };
    modals.set(open.id, { open, persona: from.persona, from });
    messages.tell(from.persona, { kind: 'modal', modal: open });
  },
  takeChoices: (interaction, given) => void choices.set(interaction.id, given),
  awaitEdit(message) {
    setTimeout(() => {
      if (message.state === 'thinking') messages.fail(message, NO_ANSWER);
    }, TOKEN_LIFE_MS).unref();
  },
});

/** What Discord does for an application with commands: all of it in memory. */
export function createBot({
  clientId,
  redirectUris = [],
  now,
  privateKey = randomBytes(32).toString('hex'),
  botToken = randomBytes(24).toString('hex'),
  answerLimitMs = ANSWER_LIMIT_MS,
}: BotOptions): Bot {
  const newId = createSnowflakes(now);
  const bot: Author = { id: clientId, name: 'Satchel', avatar_url: '/icon.svg', is_bot: true };
  const problems = createProblems(now);
  const mail = createMail({ privateKeyHex: privateKey, now });
  const application = createApplication(clientId, mail.publicKey);
  const state: ConversationState = {
    messages: createMessages({ now, newId }),
    newId,
    modals: new Map(),
    choices: new Map(),
  };
  const { messages } = state;
  const interactions = createInteractions({ now, newId });
  const answers = createAnswers({ messages, bot, ...answerEffects(state) });
  const conversations = createConversations({ application, mail, answers, problems, answerLimitMs });
  const installed = createInstallations();
  const probes = createProbes({ application, mail, newId, problems });
  const installations = createInstallationDesk({ application, installed, mail, problems, now });

  return {
    chat: createChat({ application, bot, interactions, conversations, installed, ...state }),
    installations,
    problems,
    publicKey: mail.publicKey,
    register(app) {
      const tokens = { botToken, redirectUris };
      const webhooks = { application, interactions, answers, messages };
      registerBot(app, { ...webhooks, ...tokens, newId, probes, problems });
    },
  };
}
