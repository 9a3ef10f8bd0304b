import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Author, Chat } from '../chat-entities.ts';
import { createAnswers } from './answers.ts';
import { createApplication } from './application.ts';
import { registerApplication } from './application-routes.ts';
import { createChat, type HeldModal, NO_ANSWER } from './chat.ts';
import { createConversations } from './conversations.ts';
import { DiscordError } from './discord-error.ts';
import { createMail } from './endpoint.ts';
import { createInteractions, TOKEN_LIFE_MS } from './interactions.ts';
import { createMessages } from './messages.ts';
import { createProblems, type Problems } from './problems.ts';
import { createSnowflakes } from './snowflakes.ts';
import { registerWebhooks } from './webhook-routes.ts';
import { createInstallations } from './world.ts';

export interface BotOptions {
  readonly clientId: string;
  /** Ed25519 seed, 64 hex characters. */
  readonly privateKey?: string;
  readonly botToken?: string;
  readonly now: () => number;
  /** How long the application may take for its first answer. */
  readonly answerLimitMs?: number;
}

export interface Bot {
  readonly chat: Chat;
  readonly problems: Problems;
  /** The application's, as its settings page shows it. */
  readonly publicKey: string;
  register(app: FastifyInstance): void;
}

const BODY_LIMIT = 256 * 1024;

/** What Discord does for an application with commands: all of it in memory. */
export function createBot({
  clientId,
  now,
  privateKey = randomBytes(32).toString('hex'),
  botToken = randomBytes(24).toString('hex'),
  answerLimitMs = 3000,
}: BotOptions): Bot {
  const newId = createSnowflakes(now);
  const bot: Author = { id: clientId, name: 'Satchel', avatar_url: '/icon.svg', is_bot: true };
  const problems = createProblems(now);
  const mail = createMail({ privateKeyHex: privateKey, now });
  const application = createApplication(clientId, mail.publicKey);
  const messages = createMessages({ now, newId });
  const interactions = createInteractions({ now, newId });
  const modals = new Map<string, HeldModal>();
  const choices = new Map();
  const answers = createAnswers({
    messages,
    bot,
    openModal(from, modal) {
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
  const conversations = createConversations({ application, mail, answers, problems, answerLimitMs });
  const installed = createInstallations();
  const chat = createChat({
    application,
    bot,
    messages,
    interactions,
    conversations,
    installed,
    modals,
    choices,
  });

  return {
    chat,
    problems,
    publicKey: mail.publicKey,
    register(app) {
      app.register(async (scope) => {
        scope.addContentTypeParser(
          'application/json',
          { parseAs: 'string', bodyLimit: BODY_LIMIT },
          scope.getDefaultJsonParser('error', 'error'),
        );
        scope.setErrorHandler((error, _request, reply) => {
          if (error instanceof DiscordError) return reply.code(error.statusCode).send(error.body);
          throw error;
        });
        for (const base of ['/api/v10', '/api']) {
          registerWebhooks(scope, base, { application, interactions, answers, messages });
          scope.register(async (inner) => registerApplication(inner, base, { application, botToken, newId }));
        }
      });
      app.get('/sandbox/problems', () => problems.all());
    },
  };
}
