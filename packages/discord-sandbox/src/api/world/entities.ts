import {
  type APIMessage,
  type APIUser,
  ChannelType,
  InteractionContextType,
  InteractionType,
  MessageFlags,
  MessageType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { findPersona, type Persona } from '../../personas/personas.ts';
import type { Interaction } from '../interactions/interactions.ts';
import type { MessageOrigin, StoredMessage } from './messages.ts';
import { permissionsOf, type Room } from './world.ts';

/** People, channels and messages as Discord's API writes them. */

const JOINED_AT = '2025-03-01T12:00:00.000000+00:00';

const DM_PERMISSIONS =
  PermissionFlagsBits.AttachFiles | PermissionFlagsBits.EmbedLinks | PermissionFlagsBits.MentionEveryone;
const APP_PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles;

export function userOf({ user }: Persona): APIUser {
  const { id, username, discriminator, global_name, avatar, public_flags } = user;
  return {
    id,
    username,
    discriminator,
    global_name,
    avatar,
    public_flags,
  } as APIUser;
}

const userOfName = (name: string): APIUser => {
  const persona = findPersona(name);
  if (persona === undefined) throw new Error(`No persona ${name}.`);
  return userOf(persona);
};

const botUserOf = (id: string) => ({
  id,
  username: 'Satchel',
  discriminator: '0001',
  global_name: null,
  avatar: null,
  bot: true,
});

/** A member of a server without its user, as `resolved.members` has it. */
const partialMemberOf = (persona: string, room: Room) => ({
  roles: [],
  joined_at: JOINED_AT,
  flags: 0,
  permissions: room.guild === null ? '0' : String(permissionsOf(persona, room.guild)),
});

/** People that an option or a select names. */
export function resolvedPeople(people: readonly Persona[], room: Room) {
  if (people.length === 0) return undefined;
  const users = Object.fromEntries(people.map((persona) => [persona.user.id, userOf(persona)]));
  const members = people.filter(({ name }) => room.guild?.memberNames.includes(name));
  return {
    users,
    ...(members.length > 0 && {
      members: Object.fromEntries(members.map(({ name, user }) => [user.id, partialMemberOf(name, room)])),
    }),
  };
}

function channelOf(room: Room, persona: string) {
  const common = { id: room.channelId, flags: 0 };
  if (room.guild === null) {
    const recipients = room.memberNames.filter((name) => name !== persona).map(userOfName);
    return { ...common, type: ChannelType.DM, ...(recipients.length > 0 && { recipients }) };
  }
  return {
    ...common,
    type: ChannelType.GuildText,
    guild_id: room.guild.id,
    name: room.name,
    permissions: String(permissionsOf(persona, room.guild)),
  };
}

function appPermissionsIn({ context }: Room): bigint {
  if (context === InteractionContextType.Guild) return APP_PERMISSIONS;
  if (context === InteractionContextType.PrivateChannel) return DM_PERMISSIONS;
  return DM_PERMISSIONS | PermissionFlagsBits.UseExternalEmojis;
}

/** What every interaction says, for every act. */
export function interactionFrame({ id, token, type, persona, room, owners }: Interaction, by: Persona, appId: string) {
  const user = userOf(by);
  const { guild } = room;
  return {
    id,
    application_id: appId,
    type,
    token,
    version: 1,
    channel_id: room.channelId,
    channel: channelOf(room, persona),
    app_permissions: String(appPermissionsIn(room)),
    locale: by.user.locale,
    entitlements: [],
    authorizing_integration_owners: owners,
    context: room.context,
    attachment_size_limit: 10 * 1024 * 1024,
    ...(guild === null
      ? { user }
      : {
          guild_id: guild.id,
          guild: { id: guild.id, locale: guild.locale, features: [] },
          guild_locale: guild.locale,
          member: { ...partialMemberOf(persona, room), user, deaf: false, mute: false },
        }),
  };
}

function metadataOf({ interactionId, interactionType, persona, owners, repliesTo }: MessageOrigin) {
  const common = { id: interactionId, user: userOfName(persona), authorizing_integration_owners: owners };
  if (interactionType === InteractionType.MessageComponent && repliesTo !== null) {
    return { ...common, type: InteractionType.MessageComponent, interacted_message_id: repliesTo };
  }
  if (interactionType === InteractionType.ModalSubmit) {
    const triggering = { ...common, type: InteractionType.ApplicationCommand };
    return { ...common, type: InteractionType.ModalSubmit, triggering_interaction_metadata: triggering };
  }
  return { ...common, type: InteractionType.ApplicationCommand };
}

/** An application's message, as its API answers. */
export function apiMessageOf(message: StoredMessage, applicationId: string): APIMessage {
  const isCommand = message.origin?.interactionType === InteractionType.ApplicationCommand;
  const flags = message.flags | (message.state === 'thinking' ? MessageFlags.Loading : 0);
  const answer = {
    id: message.id,
    channel_id: message.room.channelId,
    type: isCommand ? MessageType.ChatInputCommand : MessageType.Default,
    content: message.content,
    author: botUserOf(applicationId),
    timestamp: message.timestamp,
    edited_timestamp: message.editedTimestamp,
    embeds: message.embeds.map((embed) => ({ type: 'rich', ...embed })),
    components: message.components,
    flags,
    application_id: applicationId,
    ...(message.origin && { interaction_metadata: metadataOf(message.origin) }),
  };
  return answer as unknown as APIMessage;
}
