import { type APIModalInteractionResponseCallbackData, InteractionResponseType } from 'discord-api-types/v10';
import type { Choice } from '../../chat/chat-entities.ts';
import { inside, type Rule, requiredFault } from '../../schema/faults.ts';
import { fieldsIn, isGiven } from '../../schema/json.ts';
import { answersTo, deferralRule, modalRule, suggestionsRule, typeRule } from '../../schema/rules/reply-rules.ts';
import type { Interaction } from '../interactions/interactions.ts';
import type { MessageContent } from '../world/messages.ts';
import { checkForm } from './check-form.ts';
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

/** The rule of an answer's data, by its type. Of the data of messages more is said where they are read. */
function ruleOf(type: InteractionResponseType): Rule | null {
  if (type === DeferredChannelMessageWithSource) return deferralRule;
  if (type === Modal) return modalRule;
  return type === ApplicationCommandAutocompleteResult ? suggestionsRule : null;
}

const MAY_LACK_DATA: readonly InteractionResponseType[] = [DeferredMessageUpdate, DeferredChannelMessageWithSource];

const dataRule =
  (type: InteractionResponseType, rule: Rule | null): Rule =>
  (value, spot) => {
    const { data } = fieldsIn(value);
    const place = inside(spot, 'data');
    if (isGiven(data)) rule?.(data, place);
    else if (!MAY_LACK_DATA.includes(type)) requiredFault(place);
  };

/** @throws DiscordError */
export function readAnswer(body: unknown, interaction: Interaction): ReadAnswer {
  checkForm(body, typeRule(answersTo(interaction.type, interaction.source !== null)));
  const { type, data: given } = body as { readonly type: InteractionResponseType; readonly data?: unknown };
  checkForm(body, dataRule(type, ruleOf(type)));
  const data = fieldsIn(given);
  if (type === DeferredMessageUpdate) return { type };
  if (type === DeferredChannelMessageWithSource) return { type, flags: Number(data.flags ?? 0) };
  if (type === Modal) {
    const { custom_id, title, components } = data as unknown as APIModalInteractionResponseCallbackData;
    return { type, modal: { custom_id, title, components: [...numbered(components)] } };
  }
  if (type === ApplicationCommandAutocompleteResult) return { type, choices: data.choices as readonly Choice[] };
  if (type === UpdateMessage && interaction.source !== null) {
    return { type, message: readEdit(given, interaction.source, ['data']) };
  }
  return { type: ChannelMessageWithSource, message: readNewMessage(given, ['data']) };
}
