import { InteractionResponseType, MessageFlags } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { readMessage } from './answer-rules.ts';
import type { Answers } from './answers.ts';
import type { Application } from './application.ts';
import { invalidToken, tooManyFollowUps, unknownInteraction, unknownMessage, unknownWebhook } from './discord-error.ts';
import { apiMessageOf } from './entities.ts';
import { type Interaction, type Interactions, isOfUserOnly } from './interactions.ts';
import type { Messages, StoredMessage } from './messages.ts';

export interface WebhookDeps {
  readonly application: Application;
  readonly interactions: Interactions;
  readonly answers: Answers;
  readonly messages: Messages;
}

const MAX_FOLLOW_UPS_OF_USER_APP = 5;

interface TokenParams {
  readonly applicationId: string;
  readonly token: string;
}

/** What the application says by an interaction's token: its answer by callback, edits and further messages. */
export function registerWebhooks(app: FastifyInstance, base: string, deps: WebhookDeps) {
  const { application, interactions, answers, messages } = deps;
  const toApi = (message: StoredMessage) => apiMessageOf(message, application.id);

  /** @throws DiscordError */
  function answered({ applicationId, token }: TokenParams): Interaction {
    const interaction = interactions.find(token);
    if (interaction === undefined || applicationId !== application.id) throw unknownWebhook();
    if (interactions.isOver(interaction)) throw invalidToken();
    // Before its first answer, and when that came too late, a token is good for nothing.
    if (interaction.state !== 'answered') throw unknownWebhook();
    return interaction;
  }

  /** @throws DiscordError */
  function messageOf(interaction: Interaction, id: string): StoredMessage {
    const message = [interaction.original, ...interaction.followUps].find(
      (one) => one !== null && (id === '@original' ? one === interaction.original : one.id === id),
    );
    if (!message || messages.find(message.id) === undefined) throw unknownMessage();
    return message;
  }

  function followUp(interaction: Interaction, body: unknown): StoredMessage {
    const content = readMessage(body);
    const { original } = interaction;
    const isDeferred = interaction.answeredBy === InteractionResponseType.DeferredChannelMessageWithSource;
    // For backwards compatibility the first message after a deferral is the answer that was promised.
    if (isDeferred && original?.state === 'thinking') {
      messages.edit(original, withoutEphemeral(content), { isFirst: true });
      return original;
    }
    if (isOfUserOnly(interaction) && interaction.followUpCount >= MAX_FOLLOW_UPS_OF_USER_APP) {
      throw tooManyFollowUps();
    }
    return answers.followUp(interaction, content);
  }

  const withoutEphemeral = (content: ReturnType<typeof readMessage>) =>
    content.flags === undefined ? content : { ...content, flags: content.flags & ~MessageFlags.Ephemeral };

  app.post<{ Params: { id: string; token: string }; Querystring: { with_response?: string } }>(
    `${base}/interactions/:id/:token/callback`,
    (request, reply) => {
      const { id, token } = request.params;
      const interaction = interactions.find(token);
      if (interaction?.id !== id || interactions.isOver(interaction)) throw unknownInteraction();
      const { type, message } = answers.accept(interaction, request.body);
      if (request.query.with_response !== 'true') return reply.code(204).send();
      return {
        interaction: {
          id,
          type: interaction.type,
          ...(message && {
            response_message_id: message.id,
            response_message_loading: message.state === 'thinking',
            response_message_ephemeral: message.viewer !== null,
          }),
        },
        resource: { type, ...(message && { message: toApi(message) }) },
      };
    },
  );

  app.post<{ Params: TokenParams }>(`${base}/webhooks/:applicationId/:token`, (request) =>
    toApi(followUp(answered(request.params), request.body)),
  );

  const path = `${base}/webhooks/:applicationId/:token/messages/:messageId`;
  type MessageParams = TokenParams & { readonly messageId: string };
  app.get<{ Params: MessageParams }>(path, ({ params }) => toApi(messageOf(answered(params), params.messageId)));
  app.patch<{ Params: MessageParams }>(path, ({ params, body }) => {
    const message = messageOf(answered(params), params.messageId);
    messages.edit(message, readMessage(body), { isFirst: message.state === 'thinking' });
    return toApi(message);
  });
  app.delete<{ Params: MessageParams }>(path, ({ params }, reply) => {
    messages.remove(messageOf(answered(params), params.messageId));
    return reply.code(204).send();
  });
}
