import type { NewLinkMode } from '@satchel/contract/entities';
import { DISCORD_KEY_HOURS, FOLDER_NAME_MAX } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  Locale,
  type LocalizationMap,
  PermissionFlagsBits,
  type RESTPutAPIApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import type { Command } from './command.ts';
import { LANGUAGES, type Language, type Texts, textsIn } from './language.ts';

/**
 * The slash commands as registered with Discord, in four languages. The English names work in every language: people
 * tell them each other, and the site names them (docs/decisions/013).
 */

const LOCALES: Texts<readonly Locale[]> = {
  en: [],
  de: [Locale.German],
  fr: [Locale.French],
  es: [Locale.SpanishES, Locale.SpanishLATAM],
};

const localized = (textOf: (language: Language) => string): LocalizationMap =>
  Object.fromEntries(LANGUAGES.flatMap((language) => LOCALES[language].map((locale) => [locale, textOf(language)])));

const NAMES = textsIn('command_names', {
  upload: 'upload',
  folder: 'folder',
  who_opens: 'who_opens',
  expires: 'expires',
  list: 'list',
  page: 'page',
  share: 'share',
  with: 'with',
  members_only: 'members_only',
  delete: 'delete',
  settings: 'settings',
  longest_life: 'longest_life',
  share_here: 'share_here',
  log_webhook: 'log_webhook',
  help: 'help',
});

const DESCRIPTIONS = textsIn('command_descriptions', {
  upload: 'Put files into a folder and share them by one short link',
  folder: 'One of your folders, or the name of a new one',
  who_opens: 'Who can open a new folder (as last time if you don’t say; at first, my full link)',
  expires: 'After how long a new folder deletes itself',
  list: 'See your folders: open, share or delete them',
  page: 'Which page, of ten folders each',
  share: 'Share one of your folders in this channel',
  own_folder: 'Which of your folders',
  with: 'Only this person gets in',
  members_only: 'Only members of this server get in',
  delete: 'Delete one of your folders and all its files',
  settings: 'See and change the rules of this server',
  default_opener: 'Who can open a new folder, if its owner has not chosen yet',
  longest_life: 'How long a folder may live that is made or shared here',
  every_member: 'Whether /share lets in members of this server alone',
  share_here: 'Whether /share may post in this channel; at first it may in every channel',
  log_webhook: 'The address of a webhook of your log channel, or “off”',
  help: 'What the commands do',
});

/** The answers to "Who can open it?", as the page that makes a folder has them. */
const OPENERS = textsIn('openers', {
  private: 'Anyone with my full link (we can’t read your files)',
  discord: 'People in a Discord channel or chat (short link; our server holds the key for at most {hours})',
  plain: 'Everyone (not encrypted)',
  /** Of a rule of a server: it has none. */
  none: 'No rule',
});
type Name = keyof (typeof NAMES)['en'];
type Description = keyof (typeof DESCRIPTIONS)['en'];

/** @param description its key, where that is not the name's */
const named = (name: Name, description: Description = name) => ({
  name: NAMES.en[name],
  name_localizations: localized((language) => NAMES[language][name]),
  description: DESCRIPTIONS.en[description],
  description_localizations: localized((language) => DESCRIPTIONS[language][description]),
});

const folderOption = (description: 'folder' | 'own_folder') =>
  ({
    type: ApplicationCommandOptionType.String,
    ...named('folder', description),
    autocomplete: true,
    max_length: FOLDER_NAME_MAX,
  }) as const;

const WEBHOOK_MAX = 300;
const CHOICE_HOURS = [1, 3, 6, 12, 24, 48, 72, 168, 336, 720];
const DAYS_FROM_HOURS = 48;

/** Cached: creating a format takes far longer than using it. */
const lifetimeFormats = new Map<string, Intl.NumberFormat>();

function lifetimeFormat(language: Language, unit: 'day' | 'hour'): Intl.NumberFormat {
  const name = `${language} ${unit}`;
  const known = lifetimeFormats.get(name);
  if (known) return known;
  const made = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  lifetimeFormats.set(name, made);
  return made;
}

export function lifetimeText(hours: number, language: Language): string {
  const isDays = hours >= DAYS_FROM_HOURS && hours % 24 === 0;
  return lifetimeFormat(language, isDays ? 'day' : 'hour').format(isDays ? hours / 24 : hours);
}

/** The lives on offer for a new folder: whole hours up to the longest life; none if that is below one hour. */
function lifetimeHoursOf({ free }: Tiers): readonly number[] {
  const longest = Math.floor(free.folder_lifetime_hours);
  const shorter = CHOICE_HOURS.filter((hours) => hours < longest);
  return longest < 1 ? [] : [...shorter, longest];
}

/** A choice with its name in each language. */
const choice = <Value>(value: Value, textOf: (language: Language) => string) => ({
  name: textOf('en'),
  name_localizations: localized(textOf),
  value,
});

/** An option that takes one of the lives on offer; none where none is. */
function lifeOption(
  name: 'expires' | 'longest_life',
  tiers: Tiers,
  more: readonly ReturnType<typeof choice<number>>[] = [],
): readonly APIApplicationCommandBasicOption[] {
  const hours = lifetimeHoursOf(tiers);
  if (hours.length === 0) return [];
  const choices = [...hours.map((value) => choice(value, (language) => lifetimeText(value, language))), ...more];
  return [{ type: ApplicationCommandOptionType.Integer, ...named(name), choices }];
}

export function openerText(mode: NewLinkMode, language: Language): string {
  const texts = OPENERS[language];
  return mode === 'discord' ? texts.discord({ hours: lifetimeText(DISCORD_KEY_HOURS, language) }) : texts[mode];
}

const OPENER_CHOICES = (['private', 'discord', 'plain'] as const satisfies readonly NewLinkMode[]).map((value) =>
  choice<string>(value, (language) => openerText(value, language)),
);
const NO_RULE = (language: Language) => OPENERS[language].none;

/** In servers, in the bot's direct messages and in private chats; installed for a server or for a person. */
const EVERYWHERE = {
  type: ApplicationCommandType.ChatInput,
  integration_types: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM, InteractionContextType.PrivateChannel],
};

type CommandDefinition = RESTPutAPIApplicationCommandsJSONBody[number];

const command = (name: Command['name'], options: APIApplicationCommandBasicOption[]): CommandDefinition => ({
  ...EVERYWHERE,
  ...named(name),
  options,
});

/** For people who may manage a server that has the bot; Discord hides it from all others. */
const settings = (tiers: Tiers): CommandDefinition => ({
  ...command('settings', [
    {
      type: ApplicationCommandOptionType.String,
      ...named('who_opens', 'default_opener'),
      choices: [...OPENER_CHOICES, choice<string>('off', NO_RULE)],
    },
    ...lifeOption('longest_life', tiers, [choice(0, NO_RULE)]),
    { type: ApplicationCommandOptionType.Boolean, ...named('members_only', 'every_member') },
    { type: ApplicationCommandOptionType.Boolean, ...named('share_here') },
    { type: ApplicationCommandOptionType.String, ...named('log_webhook'), max_length: WEBHOOK_MAX },
  ]),
  integration_types: [ApplicationIntegrationType.GuildInstall],
  contexts: [InteractionContextType.Guild],
  default_member_permissions: String(PermissionFlagsBits.ManageGuild),
});

const OWN_FOLDER = { ...folderOption('own_folder'), required: true };

/** All commands. The settings decide the longest life on offer. */
export const commandDefinitions = (tiers: Tiers): CommandDefinition[] => [
  command('upload', [
    folderOption('folder'),
    { type: ApplicationCommandOptionType.String, ...named('who_opens'), choices: [...OPENER_CHOICES] },
    ...lifeOption('expires', tiers),
  ]),
  command('list', [{ type: ApplicationCommandOptionType.Integer, ...named('page'), min_value: 1 }]),
  command('share', [
    OWN_FOLDER,
    { type: ApplicationCommandOptionType.User, ...named('with') },
    { type: ApplicationCommandOptionType.Boolean, ...named('members_only') },
  ]),
  command('delete', [OWN_FOLDER]),
  settings(tiers),
  command('help', []),
];
