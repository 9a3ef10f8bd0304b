import { InteractionResponseType } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { messageProblems } from '../schema/check.ts';
import { readEdit, readNewMessage } from './bodies/message-body.ts';
import { checkBody, invalidToken, unknownMessage, unknownWebhook } from './discord-error.ts';
import type { Answers } from './interactions/answers.ts';
import type { Interaction, Interactions } from './interactions/interactions.ts';
import type { Application } from './world/application.ts';
import { apiMessageOf } from './world/entities.ts';
import type { Messages, StoredMessage } from './world/messages.ts';

export interface WebhookDeps {
  readonly application: Application;
  readonly interactions: Interactions;
  readonly answers: Answers;
  readonly messages: Messages;
}

interface TokenParams {
  readonly applicationId: string;
  readonly token: string;
}

/** @throws DiscordError where nothing can be said by that token: before its first answer, and after its time */
function answered({ interactions, application }: WebhookDeps, { applicationId, token }: TokenParams): Interaction {
  const interaction = interactions.find(token);
  if (interaction === undefined || applicationId !== application.id) throw unknownWebhook();
  if (interactions.isOver(interaction)) throw invalidToken();
  // What wasn't answered in three seconds never can be: its token is good for nothing, as before the answer.
  if (!interaction.isAnswered) throw unknownWebhook();
  return interaction;
}

function followUp({ messages, answers }: WebhookDeps, interaction: Interaction, body: unknown): StoredMessage {
  checkBody(messageProblems(body, 'new'));
  const content = readNewMessage(body);
  const { original, answeredBy } = interaction;
  const isDeferred = answeredBy === InteractionResponseType.DeferredChannelMessageWithSource;
  // For backwards compatibility the first message after a deferral is the answer that was promised; whether it is
  // ephemeral was said then, and stays.
  if (isDeferred && original?.state === 'thinking') {
    messages.edit(original, content, { isFirst: true });
    return original;
  }
  return answers.followUp(interaction, content);
}

/** What the application says by an interaction's token after its answer: an edit of it, and further messages. */
export function registerWebhooks(app: FastifyInstance, base: string, deps: WebhookDeps) {
  const { messages, application } = deps;
  const hook = `${base}/webhooks/:applicationId/:token`;

  app.post<{ Params: TokenParams }>(hook, ({ params, body }) =>
    apiMessageOf(followUp(deps, answered(deps, params), body), application.id),
  );
  app.patch<{ Params: TokenParams }>(`${hook}/messages/@original`, ({ params, body }) => {
    const { original: message } = answered(deps, params);
    if (!message || messages.find(message.id) === undefined) throw unknownMessage();
    checkBody(messageProblems(body, 'edit'));
    messages.edit(message, readEdit(body, message), { isFirst: message.state === 'thinking' });
    return apiMessageOf(message, application.id);
  });
}
