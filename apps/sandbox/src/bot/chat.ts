import {
  type APIApplicationCommand,
  ApplicationCommandType,
  InteractionType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { Author, Chat, Choice, OpenModal, OptionValues } from '../chat-entities.ts';
import { ChatError } from '../chat-error.ts';
import { findPersonaByUserId } from '../personas.ts';
import type { Application } from './application.ts';
import { optionsToSend, optionsTyped, peopleIn, type SentOption } from './command-options.ts';
import { submittedFields, useComponent } from './component-use.ts';
import type { Conversations } from './conversations.ts';
import { apiMessageOf, interactionFrame, resolvedPeople } from './entities.ts';
import type { Interaction, Interactions, NewInteraction } from './interactions.ts';
import type { Messages, StoredMessage } from './messages.ts';
import { inLanguage, installationsIn, ownersOf } from './offered-commands.ts';
import { authorOf, type InstalledPlaces, permissionsOf, personaOf, placesOf, type Room, roomOf } from './world.ts';

export const NO_ANSWER = 'The application did not respond';
export const INTERACTION_FAILED = 'This interaction failed';
const NO_SUGGESTIONS = 'Loading options failed';
const MODAL_FAILED = 'Something went wrong. Try again.';
const MAX_CONTENT = 2000;

export interface HeldModal {
  readonly open: OpenModal;
  readonly persona: string;
  readonly from: Interaction;
}

export interface ChatDeps {
  readonly application: Application;
  readonly bot: Author;
  readonly messages: Messages;
  readonly interactions: Interactions;
  readonly conversations: Conversations;
  readonly installed: InstalledPlaces;
  readonly modals: Map<string, HeldModal>;
  readonly choices: Map<string, readonly Choice[]>;
}

/** In a server, a person's own app is heard by all only where that person may use external apps. */
function isForcedEphemeral(room: Room, persona: string, owners: NewInteraction['owners']): boolean {
  if (room.guild === null || '0' in owners) return false;
  return (permissionsOf(persona, room.guild) & PermissionFlagsBits.UseExternalApps) === 0n;
}

function commandData({ id, name }: APIApplicationCommand, options: readonly SentOption[], room: Room) {
  const resolved = resolvedPeople(peopleIn(options), room);
  return {
    id,
    name,
    type: ApplicationCommandType.ChatInput,
    ...(resolved && { resolved }),
    ...(options.length > 0 && { options }),
  };
}

/** The chat of the sandbox: what people do in it becomes interactions, and what the application answers, messages. */
export function createChat(deps: ChatDeps): Chat {
  const { application, bot, messages, interactions, conversations, installed, modals, choices } = deps;

  function offered(persona: string, room: Room) {
    const installations = installationsIn(room, personaOf(persona), installed);
    return application.commands.flatMap((command) => {
      const owners = ownersOf(command, room, installations);
      return owners === null ? [] : [{ command, owners }];
    });
  }

  function offeredCommand(persona: string, room: Room, name: string) {
    const found = offered(persona, room).find(({ command }) => command.name === name);
    if (found === undefined) throw new ChatError(`There is no command /${name} here.`);
    return found;
  }

  function open(given: Omit<NewInteraction, 'isForcedEphemeral'>): Interaction {
    const { room, persona, owners } = given;
    return interactions.open({ ...given, isForcedEphemeral: isForcedEphemeral(room, persona, owners) });
  }

  const send = (interaction: Interaction, rest: object) =>
    conversations.hold(interaction, {
      ...interactionFrame(interaction, personaOf(interaction.persona), application.id),
      ...rest,
    });

  function visible(persona: string, messageId: string): StoredMessage {
    const message = messages.find(messageId);
    const isSeen = message && (message.viewer === null || message.viewer === persona);
    if (!isSeen || !message.room.memberNames.includes(persona)) throw new ChatError('There is no such message.');
    return message;
  }

  /** Whoever clicks: the message's own installations count, and the server's as it is now. */
  function ownersOfClick({ origin, room }: StoredMessage): NewInteraction['owners'] {
    const owners = { ...origin?.owners };
    if (room.guild !== null && installed.isInGuild(room.guild)) owners['0'] = room.guild.id;
    return owners;
  }

  async function runCommand(persona: string, channelId: string, given: { name: string; options: OptionValues }) {
    const room = roomOf(persona, channelId);
    const { command, owners } = offeredCommand(persona, room, given.name);
    const options = optionsToSend(command, given.options);
    const type = InteractionType.ApplicationCommand;
    const interaction = open({ type, persona, room, owners, commandName: command.name, source: null });
    if (await send(interaction, { data: commandData(command, options, room) })) return;
    messages.add({
      room,
      author: bot,
      viewer: persona,
      used: { by: authorOf(personaOf(persona)), command: command.name },
      origin: null,
      state: 'failed',
      content: NO_ANSWER,
    });
  }

  async function autocomplete(
    persona: string,
    channelId: string,
    typed: { name: string; options: OptionValues; focused: string },
  ): Promise<readonly Choice[]> {
    const room = roomOf(persona, channelId);
    const { command, owners } = offeredCommand(persona, room, typed.name);
    const options = optionsTyped(command, typed.options, typed.focused);
    const type = InteractionType.ApplicationCommandAutocomplete;
    const interaction = open({ type, persona, room, owners, commandName: command.name, source: null });
    if (!(await send(interaction, { data: commandData(command, options, room) }))) {
      messages.tell(persona, { kind: 'failure', channel_id: channelId, message_id: null, text: NO_SUGGESTIONS });
      return [];
    }
    const found = choices.get(interaction.id) ?? [];
    choices.delete(interaction.id);
    return found;
  }

  async function click(
    persona: string,
    messageId: string,
    component: { custom_id: string; values?: readonly string[] },
  ) {
    const message = visible(persona, messageId);
    const used = useComponent(message.components, component);
    const people = (used.values ?? []).flatMap((value) => findPersonaByUserId(value) ?? []);
    const resolved = resolvedPeople(people, message.room);
    const { room } = message;
    const type = InteractionType.MessageComponent;
    const owners = ownersOfClick(message);
    const interaction = open({ type, persona, room, owners, commandName: null, source: message });
    const data = { ...used, ...(resolved && { resolved }) };
    if (await send(interaction, { data, message: apiMessageOf(message, application.id) })) return;
    const text = INTERACTION_FAILED;
    messages.tell(persona, { kind: 'failure', channel_id: room.channelId, message_id: messageId, text });
  }

  async function submit(persona: string, modalId: string, fields: Readonly<Record<string, string>>) {
    const held = modals.get(modalId);
    if (held?.persona !== persona) throw new ChatError('That form is not open any more.');
    const { modal } = held.open;
    const data = { custom_id: modal.custom_id, components: submittedFields(modal, fields) };
    const { room, owners, source } = held.from;
    const interaction = open({ type: InteractionType.ModalSubmit, persona, room, owners, commandName: null, source });
    const message = source && { message: apiMessageOf(source, application.id) };
    if (await send(interaction, { data, ...message })) {
      modals.delete(modalId);
      return;
    }
    const message_id = source?.id ?? null;
    messages.tell(persona, { kind: 'failure', channel_id: room.channelId, message_id, text: MODAL_FAILED });
  }

  return {
    placesOf: (persona) => placesOf(persona, bot),
    messagesIn: (persona, channelId) => messages.seenBy(persona, roomOf(persona, channelId).channelId),
    commandsIn: (persona, channelId) =>
      offered(persona, roomOf(persona, channelId)).map(({ command }) =>
        inLanguage(command, personaOf(persona).user.locale),
      ),
    say(persona, channelId, content) {
      const room = roomOf(persona, channelId);
      const text = content.trim();
      if (text === '' || [...text].length > MAX_CONTENT) throw new ChatError(`From 1 to ${MAX_CONTENT} characters.`);
      const author = authorOf(personaOf(persona));
      const message = messages.add({
        room,
        author,
        viewer: null,
        used: null,
        origin: null,
        state: 'sent',
        content: text,
      });
      return messages.toChatMessage(message);
    },
    runCommand,
    autocomplete,
    click,
    submit,
    dismiss(persona, messageId) {
      const message = visible(persona, messageId);
      if (message.viewer === null) throw new ChatError('Others see that message, too.');
      messages.remove(message);
    },
    attachCards(messageId, embeds) {
      const message = messages.find(messageId);
      if (message !== undefined) messages.attachCards(message, embeds);
    },
    subscribe: (persona, listener) => messages.subscribe(personaOf(persona).name, listener),
  };
}
