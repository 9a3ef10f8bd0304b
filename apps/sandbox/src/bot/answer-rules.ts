import {
  type APIEmbed,
  type APIMessageTopLevelComponent,
  type APIModalInteractionResponseCallbackData,
  InteractionResponseType,
} from 'discord-api-types/v10';
import type { Choice } from '../chat-entities.ts';
import type { Interaction } from './interactions.ts';
import type { MessageContent } from './messages.ts';

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
  | {
      readonly type: InteractionResponseType.Modal;
      readonly modal: APIModalInteractionResponseCallbackData;
    };

interface Given {
  readonly type: number;
  readonly data?: {
    readonly content?: string;
    readonly embeds?: APIEmbed[];
    readonly components?: APIMessageTopLevelComponent[];
    readonly flags?: number;
    readonly choices?: Choice[];
  };
}

export function readMessage(body: unknown): MessageContent {
  const { content, embeds, components, flags } = (body ?? {}) as NonNullable<Given['data']>;
  return {
    ...(content !== undefined && { content: content ?? '' }),
    ...(embeds !== undefined && { embeds: embeds ?? [] }),
    ...(components !== undefined && { components: components ?? [] }),
    ...(flags !== undefined && { flags: flags ?? 0 }),
  };
}

export function readAnswer(body: unknown, _interaction: Interaction): ReadAnswer {
  const { type, data = {} } = body as Given;
  if (type === InteractionResponseType.DeferredChannelMessageWithSource) return { type, flags: data.flags ?? 0 };
  if (type === InteractionResponseType.DeferredMessageUpdate) return { type };
  if (type === InteractionResponseType.ApplicationCommandAutocompleteResult) {
    return { type, choices: data.choices ?? [] };
  }
  if (type === InteractionResponseType.Modal) {
    return { type, modal: data as APIModalInteractionResponseCallbackData };
  }
  return { type: type as InteractionResponseType.ChannelMessageWithSource, message: readMessage(data) };
}
