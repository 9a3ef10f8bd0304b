import { type InteractionResponseType, type InteractionType, MessageFlags, MessageType } from 'discord-api-types/v10';
import type { Choice } from '../chat/chat-entities.ts';
import type { Persona } from '../personas/personas.ts';
import type { Owners, StoredMessage } from './messages.ts';
import { CONTEXTS, permissionsOf, personaOf, type Room } from './world.ts';

/** People, interactions and messages as Discord's API writes them. */

/** What a person does with the application. */
export interface Act {
  readonly type: InteractionType;
  readonly persona: string;
  readonly room: Room;
  readonly channelId: string;
  readonly owners: Owners;
  readonly commandName: string | null;
  /** The message that was clicked on, or whose button opened the modal. */
  readonly source: StoredMessage | null;
}

/** A person's act, and what came of it. */
export interface Interaction extends Act {
  readonly id: string;
  readonly token: string;
  readonly createdAt: number;
  /** Null until there is an answer. */
  answeredBy: InteractionResponseType | null;
  /** What `@original` means: the answer, or the message that was clicked on when it was that which changed. */
  original: StoredMessage | null;
  /** Suggestions for an option. */
  choices: readonly Choice[];
}

export function userOf({ user }: Persona) {
  const { id, username, discriminator, global_name, avatar, public_flags } = user;
  return { id, username, discriminator, global_name, avatar, public_flags };
}

/** The fields that all kinds of interactions have. */
export function interactionFrame({ id, token, type, persona, room, channelId, owners }: Interaction, appId: string) {
  const by = personaOf(persona);
  const user = userOf(by);
  const { server } = room;
  const person =
    server === null
      ? { user }
      : {
          guild_id: room.id,
          guild_locale: server.locale,
          member: { user, roles: [], permissions: String(permissionsOf(persona, room)) },
        };
  return {
    id,
    application_id: appId,
    type,
    token,
    version: 1,
    channel_id: channelId,
    locale: by.user.locale,
    authorizing_integration_owners: owners,
    context: CONTEXTS[room.kind],
    ...person,
  };
}

/** An application's message. */
export const apiMessageOf = (message: StoredMessage, applicationId: string) => ({
  id: message.id,
  channel_id: message.channelId,
  type: message.used === null ? MessageType.Default : MessageType.ChatInputCommand,
  content: message.content,
  author: { id: applicationId, username: 'Satchel', discriminator: '0001', global_name: null, avatar: null, bot: true },
  timestamp: message.timestamp,
  edited_timestamp: message.editedTimestamp,
  embeds: message.embeds,
  components: message.components,
  flags: message.viewer === null ? 0 : MessageFlags.Ephemeral,
  application_id: applicationId,
});
