import {
  type APIApplicationCommand,
  ApplicationCommandType,
  InteractionType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { Author, Chat, Choice, OpenModal, OptionValues } from '../../chat/chat-entities.ts';
import { ChatError } from '../../chat/chat-error.ts';
import { findPersonaByUserId } from '../../personas/personas.ts';
import type { Application } from '../world/application.ts';
import { apiMessageOf, interactionFrame, resolvedPeople } from '../world/entities.ts';
import type { Messages, StoredMessage } from '../world/messages.ts';
import { authorOf, type InstalledPlaces, permissionsOf, personaOf, type Room, roomOf } from '../world/world.ts';
import { optionsToSend, optionsTyped, peopleIn, type SentOption } from './command-options.ts';
import { submittedFields, useComponent } from './component-use.ts';
import type { Conversations } from './conversations.ts';
import type { Interaction, Interactions, NewInteraction } from './interactions.ts';
import { installationsIn, ownersOf } from './offered-commands.ts';

export const NO_ANSWER = 'The application did not respond';
const INTERACTION_FAILED = 'This interaction failed';
const NO_SUGGESTIONS = 'Loading options failed';
const MODAL_FAILED = 'Something went wrong. Try again.';

export interface HeldModal {
  readonly open: OpenModal;
  readonly persona: string;
  readonly from: Interaction;
}

export interface DispatchDeps {
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

/** The commands that a person may use in a room, each with the installations that allow it. */
export function offeredIn({ application, installed }: DispatchDeps, persona: string, room: Room) {
  const installations = installationsIn(room, personaOf(persona), installed);
  return application.commands.flatMap((command) => {
    const owners = ownersOf(command, room, installations);
    return owners === null ? [] : [{ command, owners }];
  });
}

function offered(deps: DispatchDeps, persona: string, room: Room, name: string) {
  const found = offeredIn(deps, persona, room).find(({ command }) => command.name === name);
  if (found === undefined) throw new ChatError(`There is no command /${name} here.`);
  return found;
}

type Act = Pick<NewInteraction, 'type' | 'persona' | 'room' | 'owners'> & Partial<NewInteraction>;

function open({ interactions }: DispatchDeps, act: Act): Interaction {
  const { room, persona, owners } = act;
  return interactions.open({
    commandName: null,
    source: null,
    ...act,
    isForcedEphemeral: isForcedEphemeral(room, persona, owners),
  });
}

const send = ({ conversations, application }: DispatchDeps, interaction: Interaction, rest: object) =>
  conversations.hold(interaction, {
    ...interactionFrame(interaction, personaOf(interaction.persona), application.id),
    ...rest,
  });

/** @throws ChatError for a message that this person doesn't see */
export function visibleTo({ messages }: DispatchDeps, persona: string, messageId: string): StoredMessage {
  const message = messages.find(messageId);
  const isSeen = message && (message.viewer === null || message.viewer === persona);
  if (!isSeen || !message.room.memberNames.includes(persona)) throw new ChatError('There is no such message.');
  return message;
}

/** For any person who clicks: the installations of the message, and the server's as it is now. */
function ownersOfClick({ installed }: DispatchDeps, { origin, room }: StoredMessage): NewInteraction['owners'] {
  const owners = { ...origin?.owners };
  if (room.guild !== null && installed.isInGuild(room.guild)) owners['0'] = room.guild.id;
  return owners;
}

type CommandGiven = { readonly name: string; readonly options: OptionValues };

async function runCommand(deps: DispatchDeps, persona: string, channelId: string, given: CommandGiven) {
  const room = roomOf(persona, channelId);
  const { command, owners } = offered(deps, persona, room, given.name);
  const options = optionsToSend(command, given.options);
  const type = InteractionType.ApplicationCommand;
  const interaction = open(deps, { type, persona, room, owners, commandName: command.name });
  if (await send(deps, interaction, { data: commandData(command, options, room) })) return;
  deps.messages.add({
    room,
    author: deps.bot,
    viewer: persona,
    used: { by: authorOf(personaOf(persona)), command: command.name },
    origin: null,
    state: 'failed',
    content: NO_ANSWER,
  });
}

async function autocomplete(
  deps: DispatchDeps,
  persona: string,
  channelId: string,
  typed: CommandGiven & { readonly focused: string },
): Promise<readonly Choice[]> {
  const room = roomOf(persona, channelId);
  const { command, owners } = offered(deps, persona, room, typed.name);
  const options = optionsTyped(command, typed.options, typed.focused);
  const type = InteractionType.ApplicationCommandAutocomplete;
  const interaction = open(deps, { type, persona, room, owners, commandName: command.name });
  if (!(await send(deps, interaction, { data: commandData(command, options, room) }))) {
    deps.messages.tell(persona, { kind: 'failure', channel_id: channelId, message_id: null, text: NO_SUGGESTIONS });
    return [];
  }
  const found = deps.choices.get(interaction.id) ?? [];
  deps.choices.delete(interaction.id);
  return found;
}

async function click(
  deps: DispatchDeps,
  persona: string,
  messageId: string,
  component: { readonly custom_id: string; readonly values?: readonly string[] },
) {
  const message = visibleTo(deps, persona, messageId);
  const used = useComponent(message.components, component);
  const people = (used.values ?? []).flatMap((value) => findPersonaByUserId(value) ?? []);
  const { room } = message;
  const resolved = resolvedPeople(people, room);
  const owners = ownersOfClick(deps, message);
  const interaction = open(deps, { type: InteractionType.MessageComponent, persona, room, owners, source: message });
  const data = { ...used, ...(resolved && { resolved }) };
  if (await send(deps, interaction, { data, message: apiMessageOf(message, deps.application.id) })) return;
  const text = INTERACTION_FAILED;
  deps.messages.tell(persona, { kind: 'failure', channel_id: room.channelId, message_id: messageId, text });
}

/** @throws ChatError for a form that came to nothing: it stays open, and can be sent again. */
async function submit(deps: DispatchDeps, persona: string, modalId: string, fields: Readonly<Record<string, string>>) {
  const { modals, application } = deps;
  const held = modals.get(modalId);
  if (held?.persona !== persona) throw new ChatError('That form is not open any more.');
  const { modal } = held.open;
  const data = { custom_id: modal.custom_id, components: submittedFields(modal, fields) };
  const { room, owners, source } = held.from;
  const interaction = open(deps, { type: InteractionType.ModalSubmit, persona, room, owners, source });
  const message = source && { message: apiMessageOf(source, application.id) };
  if (!(await send(deps, interaction, { data, ...message }))) throw new ChatError(MODAL_FAILED);
  modals.delete(modalId);
}

/** What people do with the application: each act becomes an interaction, and what it answers, messages. */
export const createDispatch = (deps: DispatchDeps): Pick<Chat, 'runCommand' | 'autocomplete' | 'click' | 'submit'> => ({
  runCommand: (persona, channelId, command) => runCommand(deps, persona, channelId, command),
  autocomplete: (persona, channelId, typed) => autocomplete(deps, persona, channelId, typed),
  click: (persona, messageId, component) => click(deps, persona, messageId, component),
  submit: (persona, modalId, fields) => submit(deps, persona, modalId, fields),
});
