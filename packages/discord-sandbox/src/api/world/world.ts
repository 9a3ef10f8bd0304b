import { InteractionContextType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Author, Place } from '../../chat/chat-entities.ts';
import { ChatError } from '../../chat/chat-error.ts';
import { avatarPath, findPersona, nameOf, type Persona, personas } from '../../personas/personas.ts';

/** Who and what there is in the sandbox: servers, private chats, and where the application is installed. */

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly locale: string;
  readonly channels: readonly { readonly id: string; readonly name: string }[];
  readonly memberNames: readonly string[];
  /** May do everything there. */
  readonly ownerName: string;
  /** Whether members may let everybody see what their own apps answer. */
  readonly mayUseExternalApps: boolean;
}

/** A channel with what surrounds it. */
export interface Room {
  readonly channelId: string;
  readonly name: string;
  readonly context: InteractionContextType;
  readonly guild: Guild | null;
  readonly memberNames: readonly string[];
}

const BRASS_LANTERN: Guild = {
  id: '9131000000000000001',
  name: 'Brass Lantern',
  locale: 'en-US',
  channels: [
    { id: '310000000000000011', name: 'general' },
    { id: '310000000000000012', name: 'raid-night' },
  ],
  memberNames: ['mika', 'jonas', 'ava', 'lena'],
  ownerName: 'mika',
  mayUseExternalApps: true,
};

// Its owner is neither of the two who meet there: an owner may use external apps even if the members may not.
const QUIET_LIBRARY: Guild = {
  id: '9132000000000000001',
  name: 'Quiet Library',
  locale: 'de',
  channels: [{ id: '320000000000000011', name: 'reading-room' }],
  memberNames: ['mika', 'jonas', 'otto'],
  ownerName: 'otto',
  mayUseExternalApps: false,
};

/** Their ids have times in the future, as the personas' ids have. */
export const GUILDS: readonly Guild[] = [BRASS_LANTERN, QUIET_LIBRARY];

/** The servers of a person, in the fields of Discord. */
export const guildsOf = (name: string) =>
  GUILDS.filter(({ memberNames }) => memberNames.includes(name)).map(({ id, name: title, ownerName }) => ({
    id,
    name: title,
    icon: null,
    banner: null,
    owner: name === ownerName,
    permissions: '0',
    features: [],
  }));

const PRIVATE_CHAT = { id: '330000000000000001', memberNames: ['mika', 'jonas'] };
const dmIdOf = (persona: Persona) => `34000000000000000${personas.indexOf(persona) + 1}`;

const rooms: readonly Room[] = [
  ...GUILDS.flatMap((guild) =>
    guild.channels.map(({ id, name }) => ({
      channelId: id,
      name,
      context: InteractionContextType.Guild,
      guild,
      memberNames: guild.memberNames,
    })),
  ),
  {
    channelId: PRIVATE_CHAT.id,
    name: '',
    context: InteractionContextType.PrivateChannel,
    guild: null,
    memberNames: PRIVATE_CHAT.memberNames,
  },
  ...personas.map((persona) => ({
    channelId: dmIdOf(persona),
    name: 'Satchel',
    context: InteractionContextType.BotDM,
    guild: null,
    memberNames: [persona.name],
  })),
];

const EVERYBODY =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.AddReactions |
  PermissionFlagsBits.UseApplicationCommands;
const ALL = Object.values(PermissionFlagsBits).reduce((sum, bit) => sum | bit, 0n);

/** What a person may do in a server, as Discord computes it for a channel. */
export function permissionsOf(persona: string, guild: Guild): bigint {
  if (guild.ownerName === persona) return ALL;
  return guild.mayUseExternalApps ? EVERYBODY | PermissionFlagsBits.UseExternalApps : EVERYBODY;
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
  const room = rooms.find((one) => one.channelId === channelId);
  if (!room?.memberNames.includes(personaOf(persona).name)) throw new ChatError('You are not in that channel.');
  return room;
}

const membersOf = (names: readonly string[]) => names.map((name) => authorOf(personaOf(name)));

/** Places as one person sees them: a private chat has the others' names. */
export function placesOf(name: string, bot: Author): readonly Place[] {
  const persona = personaOf(name);
  const servers = GUILDS.filter((guild) => guild.memberNames.includes(name)).map((guild): Place => {
    const members = membersOf(guild.memberNames);
    return { kind: 'server', id: guild.id, name: guild.name, channels: guild.channels, members };
  });
  const dmId = dmIdOf(persona);
  const botDm: Place = {
    kind: 'bot_dm',
    id: dmId,
    name: bot.name,
    channels: [{ id: dmId, name: bot.name }],
    members: [authorOf(persona), bot],
  };
  if (!PRIVATE_CHAT.memberNames.includes(name)) return [...servers, botDm];
  const members = membersOf(PRIVATE_CHAT.memberNames);
  const others = members.filter(({ id }) => id !== persona.user.id).map((member) => member.name);
  const title = others.join(', ');
  const privateChat: Place = {
    kind: 'private',
    id: PRIVATE_CHAT.id,
    name: title,
    channels: [{ id: PRIVATE_CHAT.id, name: title }],
    members,
  };
  return [...servers, botDm, privateChat];
}

/** Where the application is: at first in the one server and with everybody. */
export function createInstallations() {
  const guildIds = new Set([BRASS_LANTERN.id]);
  const names = new Set(personas.map(({ name }) => name));
  return {
    isInGuild: (guild: Guild) => guildIds.has(guild.id),
    isWith: (persona: string) => names.has(persona),
    /** Whether a server of theirs has it: then they may write to it even without having it themselves. */
    sharesGuildWith: (persona: string) =>
      GUILDS.some(({ id, memberNames }) => guildIds.has(id) && memberNames.includes(persona)),
    addToGuild: (id: string) => void guildIds.add(id),
    addTo: (persona: string) => void names.add(persona),
    removeFrom: (persona: string) => void names.delete(persona),
  };
}
export type InstalledPlaces = ReturnType<typeof createInstallations>;

/** The servers to which a person may add applications. */
export const managedGuildsOf = (persona: string): readonly Guild[] =>
  GUILDS.filter((guild) => (permissionsOf(persona, guild) & PermissionFlagsBits.ManageGuild) !== 0n);
