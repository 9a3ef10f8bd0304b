import { type APIModalInteractionResponseCallbackData, InteractionResponseType } from 'discord-api-types/v10';
import type { Choice } from '../../chat/chat-entities.ts';
import { answerProblems, checkReplyTo } from '../../schema/check.ts';
import { fieldsIn } from '../../schema/json.ts';
import { checkBody } from '../discord-error.ts';
import type { Interaction } from '../interactions/interactions.ts';
import type { MessageContent } from '../world/messages.ts';
import { numbered, readEdit, readNewMessage } from './message-body.ts';

/** An application's answer to an interaction that is as Discord takes it. */
export type ReadAnswer =
  | {
      readonly type: InteractionResponseType.ChannelMessageWithSource | InteractionResponseType.UpdateMessage;
      readonly message: MessageContent;
    }
  | { readonly type: InteractionResponseType.DeferredChannelMessageWithSource; readonly flags: number }
  | { readonly type: InteractionResponseType.DeferredMessageUpdate }
  | {
      readonly type: InteractionResponseType.ApplicationCommandAutocompleteResult;
      readonly choices: readonly Choice[];
    }
  | { readonly type: InteractionResponseType.Modal; readonly modal: APIModalInteractionResponseCallbackData };

const {
  ApplicationCommandAutocompleteResult,
  ChannelMessageWithSource,
  DeferredChannelMessageWithSource,
  DeferredMessageUpdate,
  Modal,
  UpdateMessage,
} = InteractionResponseType;

/** @throws DiscordError: 50035 with what is wrong, 50006 for a message without anything */
export function readAnswer(body: unknown, { type: asked, source }: Interaction): ReadAnswer {
  checkBody([...checkReplyTo({ type: asked, message: source }, body), ...answerProblems(body)]);
  const { type, data: given } = body as { readonly type: InteractionResponseType; readonly data?: unknown };
  const data = fieldsIn(given);
  if (type === DeferredMessageUpdate) return { type };
  if (type === DeferredChannelMessageWithSource) return { type, flags: Number(data.flags ?? 0) };
  if (type === Modal) {
    const { custom_id, title, components } = data as unknown as APIModalInteractionResponseCallbackData;
    return { type, modal: { custom_id, title, components: [...numbered(components)] } };
  }
  if (type === ApplicationCommandAutocompleteResult) return { type, choices: data.choices as readonly Choice[] };
  if (type === UpdateMessage && source !== null) return { type, message: readEdit(given, source) };
  return { type: ChannelMessageWithSource, message: readNewMessage(given) };
}
