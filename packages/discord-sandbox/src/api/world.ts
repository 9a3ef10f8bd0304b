import { InteractionContextType, PermissionFlagsBits } from 'discord-api-types/v10';
import { type Author, type Channel, ChatError, type Place } from '../chat/chat-entities.ts';
import { avatarPath, findPersona, nameOf, type Persona, personas } from '../personas/personas.ts';

/** Who and where people of the sandbox are: servers, private chats, and direct messages with the application. */

interface ServerRules {
  readonly locale: string;
  /** May do everything there. */
  readonly ownerName: string;
  /** Whether members may let everybody see what their own apps answer. */
  readonly mayUseExternalApps: boolean;
}

/** A server with its channels, or a chat that is its own channel. */
export interface Room {
  readonly kind: Place['kind'];
  readonly id: string;
  readonly name: string;
  readonly channels: readonly Channel[];
  readonly memberNames: readonly string[];
  readonly server: ServerRules | null;
}

/** The one server that has the application at first. */
export const BRASS_LANTERN: Room = {
  kind: 'server',
  id: '9131000000000000001',
  name: 'Brass Lantern',
  channels: [
    { id: '310000000000000011', name: 'general' },
    { id: '310000000000000012', name: 'raid-night' },
  ],
  memberNames: ['mika', 'jonas', 'ava', 'lena'],
  server: { locale: 'en-US', ownerName: 'mika', mayUseExternalApps: true },
};

// Its owner is neither of the two who meet there: an owner may use external apps even if the members may not.
const QUIET_LIBRARY: Room = {
  kind: 'server',
  id: '9132000000000000001',
  name: 'Quiet Library',
  channels: [{ id: '320000000000000011', name: 'reading-room' }],
  memberNames: ['mika', 'jonas', 'otto'],
  server: { locale: 'de', ownerName: 'otto', mayUseExternalApps: false },
};

function chatOf(kind: 'bot_dm' | 'private', id: string, memberNames: readonly string[]): Room {
  return { kind, id, name: 'Satchel', channels: [{ id, name: 'Satchel' }], memberNames, server: null };
}

/** Ids of servers have times in the future, as the personas' ids have. */
const ROOMS: readonly Room[] = [
  BRASS_LANTERN,
  QUIET_LIBRARY,
  ...personas.map(({ name }, index) => chatOf('bot_dm', `34000000000000000${index + 1}`, [name])),
  chatOf('private', '330000000000000001', ['mika', 'jonas']),
];

export const CONTEXTS = {
  server: InteractionContextType.Guild,
  bot_dm: InteractionContextType.BotDM,
  private: InteractionContextType.PrivateChannel,
} as const;

const roomsOf = (persona: string) => ROOMS.filter(({ memberNames }) => memberNames.includes(persona));

export const serversOf = (persona: string) => roomsOf(persona).filter(({ kind }) => kind === 'server');

const EVERYBODY = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages | PermissionFlagsBits.EmbedLinks;
const ALL = Object.values(PermissionFlagsBits).reduce((sum, bit) => sum | bit, 0n);

/** What a person may do in a channel, as Discord computes it. */
export function permissionsOf(persona: string, { server }: Room): bigint {
  if (server?.ownerName === persona) return ALL;
  return server?.mayUseExternalApps === false ? EVERYBODY : EVERYBODY | PermissionFlagsBits.UseExternalApps;
}

export const authorOf = (persona: Persona): Author => ({
  id: persona.user.id,
  name: nameOf(persona),
  avatar_url: avatarPath(persona),
  is_bot: false,
});

/** @throws ChatError */
export function personaOf(name: string): Persona {
  const persona = findPersona(name);
  if (persona === undefined) throw new ChatError(`There is nobody called ${name} here.`);
  return persona;
}

/** @throws ChatError for a channel that they are not in */
export function roomOf(persona: string, channelId: string): Room {
  const { name } = personaOf(persona);
  const room = roomsOf(name).find(({ channels }) => channels.some(({ id }) => id === channelId));
  if (room === undefined) throw new ChatError('You are not in that channel.');
  return room;
}

/** Places as one person sees them: a private chat has the name of the other. */
export function placesOf(persona: string, bot: Author): readonly Place[] {
  const { name } = personaOf(persona);
  return roomsOf(name).map(({ kind, id, name: title, channels, memberNames }): Place => {
    const members = memberNames.map((member) => authorOf(personaOf(member)));
    if (kind === 'server') return { kind, id, name: title, channels, members };
    const other = members[memberNames.findIndex((member) => member !== name)] ?? bot;
    return {
      kind,
      id,
      name: other.name,
      channels: [{ id, name: other.name }],
      members: kind === 'bot_dm' ? [...members, bot] : members,
    };
  });
}
