import {
  type APIInteractionResponse,
  type APIInteractionResponseCallbackData,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  type RESTPatchAPIWebhookWithTokenMessageJSONBody,
} from 'discord-api-types/v10';
import type { DiscordRest } from '../platform/discord-rest.ts';
import type { Answer, Message } from './command.ts';
import { LATE_TEXTS } from './error-texts.ts';
import type { Caller, Interaction } from './interaction.ts';

/** Answers in the words of Discord's API: at once, or after a deferral. */

/** What may be answered with anything at all: not a PING, and nothing that is being typed. */
export type Act = Extract<
  Interaction,
  { type: InteractionType.ApplicationCommand | InteractionType.MessageComponent | InteractionType.ModalSubmit }
>;

const NO_MENTIONS = { allowed_mentions: { parse: [] } };
const PRIVATE = { flags: MessageFlags.Ephemeral };

const toData = ({ content, embeds, components }: Message): APIInteractionResponseCallbackData => ({
  ...(content !== undefined && { content }),
  ...(embeds && { embeds: [...embeds] }),
  ...(components && { components: [...components] }),
  ...NO_MENTIONS,
});

/** What a message says instead of what it said: Discord leaves alone what it isn't told of. */
const toEdit = ({ content = '', embeds = [], components = [] }: Message) =>
  ({
    content,
    embeds: [...embeds],
    components: [...components],
    ...NO_MENTIONS,
  }) satisfies RESTPatchAPIWebhookWithTokenMessageJSONBody;

/** Whether there is a message that was clicked on: a command has none, nor has a form that a command opened. */
const isOnMessage = (act: Act): boolean =>
  act.type === InteractionType.MessageComponent ||
  (act.type === InteractionType.ModalSubmit && act.message !== undefined);

/** The answer as it goes out within the time that Discord allows. */
export function toResponse(answer: Answer, act: Act, { isForcedPrivate }: Caller): APIInteractionResponse {
  if (answer.kind === 'modal') return { type: InteractionResponseType.Modal, data: answer.modal };
  if (answer.kind === 'update' && isOnMessage(act)) {
    return { type: InteractionResponseType.UpdateMessage, data: toEdit(answer.message) };
  }
  const isPublic = answer.kind === 'public' && !isForcedPrivate;
  return {
    type: InteractionResponseType.ChannelMessageWithSource,
    data: { ...toData(answer.message), ...(!isPublic && PRIVATE) },
  };
}

/**
 * What says that an answer is under way. Who clicked on a message sees nothing of it, and any answer may follow; a
 * command shows that the bot is thinking, to its caller alone: should the answer be for everybody, it is a further message.
 */
export const toDeferral = (act: Act): APIInteractionResponse =>
  isOnMessage(act)
    ? { type: InteractionResponseType.DeferredMessageUpdate }
    : { type: InteractionResponseType.DeferredChannelMessageWithSource, data: PRIVATE };

/** The answer to an interaction that was deferred. */
export async function sendLate(rest: DiscordRest, answer: Answer, act: Act, caller: Caller): Promise<void> {
  const { token, language } = caller;
  const late = LATE_TEXTS[language];
  // A form opens at once or not at all.
  const message: Message = answer.kind === 'modal' ? { content: late.form } : answer.message;
  const isPublic = answer.kind === 'public' && !caller.isForcedPrivate;
  if (!isOnMessage(act)) {
    await rest.editReply(token, toEdit(isPublic ? { content: late.done } : message));
    if (isPublic) await rest.followUp(token, toData(message));
  } else if (answer.kind === 'update') {
    await rest.editReply(token, toEdit(message));
  } else {
    await rest.followUp(token, { ...toData(message), ...(!isPublic && PRIVATE) });
  }
}
