import {
  type APIInteractionResponse,
  type APIInteractionResponseCallbackData,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  type RESTPatchAPIWebhookWithTokenMessageJSONBody,
} from 'discord-api-types/v10';
import type { DiscordRest } from '../platform/discord/discord-rest.ts';
import type { Answer, Message } from './command.ts';
import { LATE_TEXTS } from './error-texts.ts';
import type { Caller, Interaction } from './interaction.ts';

/** Translates answers into Discord's API: at once, or after a deferral. */

/** Interactions that take any answer: not a PING, and not the typing into an option. */
export type Act = Extract<
  Interaction,
  { type: InteractionType.ApplicationCommand | InteractionType.MessageComponent | InteractionType.ModalSubmit }
>;

const NO_MENTIONS = { allowed_mentions: { parse: [] } };
const PRIVATE = { flags: MessageFlags.Ephemeral };

/** An answer in words, for the caller alone. */
export const inPrivate = (content: string): Answer => ({ kind: 'private', message: { content } });

/** The content of a new message. */
export const toData = ({ content, embeds, components }: Message): APIInteractionResponseCallbackData => ({
  ...(content !== undefined && { content }),
  ...(embeds && { embeds: [...embeds] }),
  ...(components && { components: [...components] }),
  ...NO_MENTIONS,
});

/** The new content of an edited message. Empty fields are set, since Discord keeps fields that an edit leaves out. */
export const toEdit = ({ content = '', embeds = [], components = [] }: Message) =>
  ({
    content,
    embeds: [...embeds],
    components: [...components],
    ...NO_MENTIONS,
  }) satisfies RESTPatchAPIWebhookWithTokenMessageJSONBody;

/** True if a message was clicked on. A command has none, nor has a form that a command opened. */
const isOnMessage = (act: Act): boolean =>
  act.type === InteractionType.MessageComponent ||
  (act.type === InteractionType.ModalSubmit && act.message !== undefined);

/** A message for the caller alone, after the answer. */
export const toPrivate = (message: Message) => ({ ...toData(message), ...PRIVATE });

/** The answer within Discord's deadline. */
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
 * The deferral of an answer. After a click on a message it shows nothing, and any answer may follow. After a command
 * its caller alone sees the bot thinking; a public answer follows as another message.
 */
export const toDeferral = (act: Act): APIInteractionResponse =>
  isOnMessage(act)
    ? { type: InteractionResponseType.DeferredMessageUpdate }
    : { type: InteractionResponseType.DeferredChannelMessageWithSource, data: PRIVATE };

/** Sends the answer of a deferred interaction. */
export async function sendLate(rest: DiscordRest, answer: Answer, act: Act, caller: Caller): Promise<void> {
  const { token, language } = caller;
  const late = LATE_TEXTS[language];
  // A form can't follow a deferral.
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
