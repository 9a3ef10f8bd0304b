import {
  type APIApplicationCommandOption,
  type APIModalInteractionResponseCallbackData,
  ApplicationCommandOptionType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
} from 'discord-api-types/v10';
import type { Choice } from '../chat-entities.ts';
import { localizations } from './command-rules.ts';
import { customId, modalComponents } from './component-rules.ts';
import { checkForm, choice, float, integer, isObject, list, model, type Rule, text } from './form.ts';
import type { Interaction } from './interactions.ts';
import { numbered, readEdit, readNewMessage } from './message-rules.ts';
import type { MessageContent } from './messages.ts';

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

/** What may answer what. A modal's submission updates a message only where the modal came from one. */
function typesFor({ type, source }: Interaction): readonly InteractionResponseType[] {
  const says = [ChannelMessageWithSource, DeferredChannelMessageWithSource];
  const updates = [DeferredMessageUpdate, UpdateMessage];
  if (type === InteractionType.ApplicationCommandAutocomplete) return [ApplicationCommandAutocompleteResult];
  if (type === InteractionType.ModalSubmit) return source === null ? says : [...says, ...updates];
  return type === InteractionType.MessageComponent ? [...says, ...updates, Modal] : [...says, Modal];
}

const modalRule = model({
  required: {
    data: model({ required: { custom_id: customId, title: text({ min: 1, max: 45 }), components: modalComponents } }),
  },
});

/** While an answer is still to come, only that it will be ephemeral can be said of it. */
const deferralRule = model({
  optional: { data: model({ optional: { flags: choice(0, MessageFlags.Ephemeral) } }) },
});

function valueRule(option: APIApplicationCommandOption | null): Rule {
  if (option?.type === ApplicationCommandOptionType.Integer) return integer();
  if (option?.type === ApplicationCommandOptionType.Number) return float();
  return text({ min: 1, max: 100 });
}

const choicesRule = (option: APIApplicationCommandOption | null): Rule => {
  const name = text({ min: 1, max: 100 });
  const one = model({
    required: { name, value: valueRule(option) },
    optional: { name_localizations: localizations(name) },
  });
  return model({ required: { data: model({ required: { choices: list(one, { max: 25 }) } }) } });
};

const dataOf = (body: unknown): Record<string, unknown> => (isObject(body) && isObject(body.data) ? body.data : {});

const hasData = model({ required: { data: model({}) } });

/** @throws DiscordError */
export function readAnswer(body: unknown, interaction: Interaction): ReadAnswer {
  checkForm(body, model({ required: { type: choice(...typesFor(interaction)) } }));
  const { type } = body as { readonly type: InteractionResponseType };
  const data = dataOf(body);
  if (type === DeferredMessageUpdate) return { type };
  if (type === DeferredChannelMessageWithSource) {
    checkForm(body, deferralRule);
    return { type, flags: Number(data.flags ?? 0) };
  }
  if (type === Modal) {
    checkForm(body, modalRule);
    const { custom_id, title, components } = data as unknown as APIModalInteractionResponseCallbackData;
    return { type, modal: { custom_id, title, components: [...numbered(components)] } };
  }
  if (type === ApplicationCommandAutocompleteResult) {
    checkForm(body, choicesRule(interaction.focused));
    return { type, choices: data.choices as readonly Choice[] };
  }
  checkForm(body, hasData);
  if (type === UpdateMessage && interaction.source !== null) {
    return { type, message: readEdit(data, interaction.source, ['data']) };
  }
  return { type: ChannelMessageWithSource, message: readNewMessage(data, ['data']) };
}
