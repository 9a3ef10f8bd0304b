import { InteractionResponseType } from 'discord-api-types/v10';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readEdit, readNewMessage } from './bodies/message-body.ts';
import { invalidToken, tooManyFollowUps, unknownInteraction, unknownMessage, unknownWebhook } from './discord-error.ts';
import type { Answers } from './interactions/answers.ts';
import { type Interaction, type Interactions, isOfUserOnly } from './interactions/interactions.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Application } from './world/application.ts';
import { apiMessageOf } from './world/entities.ts';
import type { Messages, StoredMessage } from './world/messages.ts';

export interface WebhookDeps {
  readonly application: Application;
  readonly interactions: Interactions;
  readonly answers: Answers;
  readonly messages: Messages;
  readonly rateLimits: RateLimits;
}

const MAX_FOLLOW_UPS_OF_USER_APP = 5;

interface TokenParams {
  readonly applicationId: string;
  readonly token: string;
}
type MessageParams = TokenParams & { readonly messageId: string };

/** @throws DiscordError where nothing can be said by that token: before its first answer, and after its time */
function answered({ interactions, application }: WebhookDeps, { applicationId, token }: TokenParams): Interaction {
  const interaction = interactions.find(token);
  if (interaction === undefined || applicationId !== application.id) throw unknownWebhook();
  if (interactions.isOver(interaction)) throw invalidToken();
  // What wasn't answered in three seconds never can be: its token is good for nothing, as before the answer.
  if (interaction.state !== 'answered') throw unknownWebhook();
  return interaction;
}

/** @throws DiscordError for a message that isn't of this interaction, or isn't there any more */
function messageOf({ messages }: WebhookDeps, interaction: Interaction, id: string): StoredMessage {
  const { original, followUps } = interaction;
  const message = id === '@original' ? original : [original, ...followUps].find((one) => one?.id === id);
  if (!message || messages.find(message.id) === undefined) throw unknownMessage();
  return message;
}

function followUp({ messages, answers }: WebhookDeps, interaction: Interaction, body: unknown): StoredMessage {
  const content = readNewMessage(body);
  const { original, answeredBy } = interaction;
  const isDeferred = answeredBy === InteractionResponseType.DeferredChannelMessageWithSource;
  // For backwards compatibility the first message after a deferral is the answer that was promised; whether it is
  // ephemeral was said then, and stays.
  if (isDeferred && original?.state === 'thinking') {
    messages.edit(original, content, { isFirst: true });
    return original;
  }
  if (isOfUserOnly(interaction) && interaction.followUps.length >= MAX_FOLLOW_UPS_OF_USER_APP) {
    throw tooManyFollowUps();
  }
  return answers.followUp(interaction, content);
}

function registerCallback(app: FastifyInstance, base: string, { interactions, answers, application }: WebhookDeps) {
  type Callback = { Params: { id: string; token: string }; Querystring: { with_response?: string } };
  app.post<Callback>(`${base}/interactions/:id/:token/callback`, ({ params, query, body }, reply) => {
    const { id, token } = params;
    const interaction = interactions.find(token);
    if (interaction?.id !== id || interactions.isOver(interaction)) throw unknownInteraction();
    const { type, message } = answers.accept(interaction, body);
    if (query.with_response !== 'true') return reply.code(204).send();
    const told = message && {
      response_message_id: message.id,
      response_message_loading: message.state === 'thinking',
      response_message_ephemeral: message.viewer !== null,
    };
    return {
      interaction: { id, type: interaction.type, ...told },
      resource: { type, ...(message && { message: apiMessageOf(message, application.id) }) },
    };
  });
}

/** What the application says by an interaction's token: its answer by callback, edits and further messages. */
export function registerWebhooks(app: FastifyInstance, base: string, deps: WebhookDeps) {
  const { messages, rateLimits, application } = deps;
  const toApi = (message: StoredMessage) => apiMessageOf(message, application.id);
  registerCallback(app, base, deps);

  /** Callbacks have no limit; what comes after them has one for each webhook. */
  async function limit({ method, routeOptions, params }: FastifyRequest, reply: FastifyReply) {
    const { applicationId, token } = params as TokenParams;
    rateLimits.takeWebhook(reply, `${method} ${routeOptions.url?.slice(base.length)}`, `${applicationId} ${token}`);
  }
  const limited = { onRequest: limit };
  const hook = `${base}/webhooks/:applicationId/:token`;
  app.post<{ Params: TokenParams }>(hook, limited, ({ params, body }) =>
    toApi(followUp(deps, answered(deps, params), body)),
  );

  const path = `${hook}/messages/:messageId`;
  const found = (params: MessageParams) => messageOf(deps, answered(deps, params), params.messageId);
  app.get<{ Params: MessageParams }>(path, limited, ({ params }) => toApi(found(params)));
  app.patch<{ Params: MessageParams }>(path, limited, ({ params, body }) => {
    const message = found(params);
    messages.edit(message, readEdit(body, message), { isFirst: message.state === 'thinking' });
    return toApi(message);
  });
  app.delete<{ Params: MessageParams }>(path, limited, ({ params }, reply) => {
    messages.remove(found(params));
    return reply.code(204).send();
  });
}
