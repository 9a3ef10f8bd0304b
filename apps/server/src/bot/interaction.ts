import {
  ApplicationIntegrationType,
  InteractionContextType,
  InteractionType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { z } from 'zod';
import type { Person } from '../domain/discord/persons.ts';
import { type Language, languageOf } from './language.ts';

/** The parts of an interaction (Discord API v10) that the bot reads. */

const Snowflake = z.string().regex(/^\d{1,20}$/);
const User = z.object({ id: Snowflake });

/** An option and its value. Our commands have no nested options. */
const Option = z.object({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  focused: z.boolean().optional(),
});

const Common = z.object({
  id: Snowflake,
  application_id: Snowflake,
  token: z.string().min(1).max(2048),
  locale: z.string().optional(),
  guild_locale: z.string().optional(),
  context: z.number().optional(),
  channel_id: Snowflake.optional(),
  guild_id: Snowflake.optional(),
  member: z.object({ user: User, permissions: z.string().regex(/^\d{1,40}$/) }).optional(),
  user: User.optional(),
  authorizing_integration_owners: z.record(z.string(), z.string()).optional(),
});

const Command = Common.extend({
  type: z.literal(InteractionType.ApplicationCommand),
  data: z.object({ name: z.string(), options: z.array(Option).optional() }),
});
const Autocomplete = Common.extend({
  type: z.literal(InteractionType.ApplicationCommandAutocomplete),
  data: z.object({ name: z.string(), options: z.array(Option).optional() }),
});
const Component = Common.extend({
  type: z.literal(InteractionType.MessageComponent),
  data: z.object({ custom_id: z.string().max(100), values: z.array(z.string()).optional() }),
});
/** A modal's field, under a label. */
const Field = z.object({ custom_id: z.string(), value: z.string().optional() });
const Submit = Common.extend({
  type: z.literal(InteractionType.ModalSubmit),
  /** Only if a click on a message opened the form. */
  message: z.object({ id: Snowflake }).optional(),
  data: z.object({
    custom_id: z.string().max(100),
    components: z.array(z.object({ component: Field })),
  }),
});
const Ping = z.object({ type: z.literal(InteractionType.Ping) });

export const Interaction = z.discriminatedUnion('type', [Ping, Command, Autocomplete, Component, Submit]);
export type Interaction = z.infer<typeof Interaction>;

/** The person who acted in Discord, and where. */
export interface Caller {
  readonly interaction_id: string;
  readonly application_id: string;
  /** Edits and follows up the answer for 15 minutes. A credential: never logged, never stored in the clear. */
  readonly token: string;
  readonly discord_id: string;
  readonly language: Language;
  /** The server's; outside of servers the caller's. */
  readonly placeLanguage: Language;
  /** The server, if the caller is its member; null in direct messages. */
  readonly guild_id: string | null;
  readonly channel_id: string | null;
  /** May change the bot's settings in this server. */
  readonly isManager: boolean;
  /** May delete other people's messages in this channel. */
  readonly isModerator: boolean;
  /** True in the bot's own direct messages, which only the caller reads. */
  readonly isAlone: boolean;
  /**
   * True if Discord hides every answer from others: the caller brought the app to a server that forbids external apps.
   */
  readonly isForcedPrivate: boolean;
}

export type Values = Readonly<Record<string, string | number | boolean>>;

/** The person who acted, and their account here. */
export interface KnownCaller extends Caller {
  /** Null for a person who has never signed in. */
  readonly profile: Person['profile'];
}
/** An act of a person. */
export interface Acting extends KnownCaller {
  /** By the database's clock. */
  readonly received_at: Date;
}
/** A command with its options. */
export interface Call extends Acting {
  readonly options: Values;
}
/** The text typed so far into one option of a command. */
export interface Typing extends KnownCaller {
  readonly options: Values;
  readonly focused: string;
}
/** A button, a select or a form, with the `custom_id` that the bot gave it. */
export interface Click extends Acting {
  /** The parts of the custom_id after the command's name and the act's. */
  readonly args: readonly string[];
  /** Chosen in a select menu. */
  readonly values: readonly string[];
  /** A modal's fields by their custom_id. */
  readonly fields: Readonly<Record<string, string>>;
}

const may = (member: z.infer<typeof Common>['member'], permission: bigint): boolean =>
  member !== undefined && (BigInt(member.permissions) & permission) !== 0n;

/** In a server, everyone sees the answers of a person's own app only if that person may use external apps. */
function isForcedPrivate({ member, authorizing_integration_owners: owners }: z.infer<typeof Common>): boolean {
  const isOfServer = owners === undefined || String(ApplicationIntegrationType.GuildInstall) in owners;
  if (member === undefined || isOfServer) return false;
  return !may(member, PermissionFlagsBits.UseExternalApps);
}

/** @returns null if the interaction names no user */
export function callerOf(interaction: Exclude<Interaction, { type: InteractionType.Ping }>): Caller | null {
  const discord_id = interaction.member?.user.id ?? interaction.user?.id;
  if (discord_id === undefined) return null;
  return {
    interaction_id: interaction.id,
    application_id: interaction.application_id,
    token: interaction.token,
    discord_id,
    language: languageOf(interaction.locale),
    placeLanguage: languageOf(interaction.guild_locale ?? interaction.locale),
    guild_id: (interaction.member && interaction.guild_id) ?? null,
    channel_id: interaction.channel_id ?? null,
    isManager: may(interaction.member, PermissionFlagsBits.ManageGuild),
    isModerator: may(interaction.member, PermissionFlagsBits.ManageMessages | PermissionFlagsBits.ManageGuild),
    isAlone: interaction.context === InteractionContextType.BotDM,
    isForcedPrivate: isForcedPrivate(interaction),
  };
}

/** The options that have a value, by name. */
export const valuesOf = (options: readonly z.infer<typeof Option>[] = []): Values =>
  Object.fromEntries(options.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));

/** A modal's fields by their custom_id. */
export const fieldsOf = ({ data: { components } }: z.infer<typeof Submit>): Readonly<Record<string, string>> =>
  Object.fromEntries(components.map(({ component: { custom_id, value = '' } }) => [custom_id, value]));
