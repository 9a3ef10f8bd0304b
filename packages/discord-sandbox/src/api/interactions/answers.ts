import {
  type APIModalInteractionResponseCallbackData,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
} from 'discord-api-types/v10';
import type { Author, Choice } from '../../chat/chat-entities.ts';
import { answerProblems, checkReplyTo } from '../../schema/check.ts';
import { fieldsIn } from '../../schema/json.ts';
import { numbered, readEdit, readNewMessage } from '../bodies/message-body.ts';
import { checkBody } from '../discord-error.ts';
import type { MessageContent, Messages, StoredMessage } from '../world/messages.ts';
import { authorOf, personaOf } from '../world/world.ts';
import { type Interaction, originOf } from './interactions.ts';

/** An application's answer to an interaction that is as Discord takes it. */
type ReadAnswer =
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
function readAnswer(body: unknown, { type: asked, source }: Interaction): ReadAnswer {
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

export interface AnswersDeps {
  readonly messages: Messages;
  readonly bot: Author;
  readonly openModal: (interaction: Interaction, modal: APIModalInteractionResponseCallbackData) => void;
  readonly takeChoices: (interaction: Interaction, choices: readonly Choice[]) => void;
  /** Called for a message that has promised an answer. */
  readonly awaitEdit: (message: StoredMessage) => void;
}

const usedOf = ({ type, persona, commandName }: Interaction) =>
  type === InteractionType.ApplicationCommand && commandName !== null
    ? { by: authorOf(personaOf(persona)), command: commandName }
    : null;

/** What the application answers to an interaction, and what it says after that. */
export function createAnswers({ messages, bot, openModal, takeChoices, awaitEdit }: AnswersDeps) {
  function say(
    interaction: Interaction,
    content: MessageContent,
    { state = 'sent', used = null }: Partial<Pick<StoredMessage, 'state' | 'used'>>,
  ): StoredMessage {
    const isPrivate = interaction.isForcedEphemeral || ((content.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
    return messages.add({
      ...content,
      room: interaction.room,
      author: bot,
      viewer: isPrivate ? interaction.persona : null,
      used,
      origin: originOf(interaction),
      state,
    });
  }

  function apply(interaction: Interaction, answer: ReadAnswer): StoredMessage | null {
    if (answer.type === InteractionResponseType.ChannelMessageWithSource) {
      return say(interaction, answer.message, { used: usedOf(interaction) });
    }
    if (answer.type === InteractionResponseType.DeferredChannelMessageWithSource) {
      const message = say(interaction, { flags: answer.flags }, { state: 'thinking', used: usedOf(interaction) });
      awaitEdit(message);
      return message;
    }
    if (answer.type === InteractionResponseType.Modal) openModal(interaction, answer.modal);
    if (answer.type === InteractionResponseType.ApplicationCommandAutocompleteResult) {
      takeChoices(interaction, answer.choices);
    }
    if (answer.type === InteractionResponseType.UpdateMessage && interaction.source !== null) {
      messages.edit(interaction.source, answer.message);
    }
    const isUpdate =
      answer.type === InteractionResponseType.UpdateMessage ||
      answer.type === InteractionResponseType.DeferredMessageUpdate;
    return isUpdate ? interaction.source : null;
  }

  return {
    /** @throws DiscordError */
    accept(interaction: Interaction, body: unknown): void {
      const answer = readAnswer(body, interaction);
      interaction.isAnswered = true;
      interaction.answeredBy = answer.type;
      interaction.original = apply(interaction, answer);
    },
    /** A further message, after the first. */
    followUp: (interaction: Interaction, content: MessageContent): StoredMessage => say(interaction, content, {}),
  };
}
export type Answers = ReturnType<typeof createAnswers>;
