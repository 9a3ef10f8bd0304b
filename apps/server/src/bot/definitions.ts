import { FOLDER_NAME_MAX } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  Locale,
  type LocalizationMap,
  type RESTPutAPIApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import type { Command } from './command.ts';
import { LANGUAGES, type Language, type Texts } from './language.ts';

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

const named = (names: Texts<string>, description: Texts<string>) => ({
  name: names.en,
  name_localizations: localized((language) => names[language]),
  description: description.en,
  description_localizations: localized((language) => description[language]),
});

const FOLDER_NAMES: Texts<string> = { en: 'folder', de: 'ordner', fr: 'dossier', es: 'carpeta' };

const folderOption = (description: Texts<string>) =>
  ({
    type: ApplicationCommandOptionType.String,
    ...named(FOLDER_NAMES, description),
    autocomplete: true,
    max_length: FOLDER_NAME_MAX,
  }) as const;

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

function expiresOption(tiers: Tiers): readonly APIApplicationCommandBasicOption[] {
  const hours = lifetimeHoursOf(tiers);
  if (hours.length === 0) return [];
  const choices = hours.map((value) => ({
    name: lifetimeText(value, 'en'),
    name_localizations: localized((language) => lifetimeText(value, language)),
    value,
  }));
  return [
    {
      type: ApplicationCommandOptionType.Integer,
      ...named(
        { en: 'expires', de: 'ablauf', fr: 'expiration', es: 'caducidad' },
        {
          en: 'After how long a new folder deletes itself',
          de: 'Nach welcher Zeit sich ein neuer Ordner selbst löscht',
          fr: 'Délai après lequel un nouveau dossier se supprime',
          es: 'Tras cuánto tiempo se borra sola una carpeta nueva',
        },
      ),
      choices,
    },
  ];
}

const ENCRYPTED_OPTION: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.Boolean,
  ...named(
    { en: 'encrypted', de: 'verschlüsselt', fr: 'chiffré', es: 'cifrada' },
    {
      en: 'Whether your browser encrypts the files of a new folder (it does unless you say no)',
      de: 'Ob dein Browser die Dateien eines neuen Ordners verschlüsselt (ja, außer du willst es nicht)',
      fr: 'Si ton navigateur chiffre les fichiers d’un nouveau dossier (oui, sauf si tu refuses)',
      es: 'Si tu navegador cifra los archivos de una carpeta nueva (sí, a menos que digas que no)',
    },
  ),
};

const PAGE_OPTION: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.Integer,
  ...named(
    { en: 'page', de: 'seite', fr: 'page', es: 'página' },
    {
      en: 'Which page, of ten folders each',
      de: 'Welche Seite, mit je zehn Ordnern',
      fr: 'Quelle page, de dix dossiers chacune',
      es: 'Qué página, de diez carpetas cada una',
    },
  ),
  min_value: 1,
};

const WITH_OPTION: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.User,
  ...named(
    { en: 'with', de: 'mit', fr: 'avec', es: 'con' },
    {
      en: 'Only this person gets in',
      de: 'Nur diese Person kommt hinein',
      fr: 'Seule cette personne peut entrer',
      es: 'Solo entra esta persona',
    },
  ),
};

const MEMBERS_ONLY_OPTION: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.Boolean,
  ...named(
    { en: 'members_only', de: 'nur_mitglieder', fr: 'membres_seulement', es: 'solo_miembros' },
    {
      en: 'Only members of this server get in',
      de: 'Nur Mitglieder dieses Servers kommen hinein',
      fr: 'Seuls les membres de ce serveur peuvent entrer',
      es: 'Solo entran los miembros de este servidor',
    },
  ),
};

/** In servers, in the bot's direct messages and in private chats; installed for a server or for a person. */
const EVERYWHERE = {
  type: ApplicationCommandType.ChatInput,
  integration_types: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM, InteractionContextType.PrivateChannel],
};

type CommandDefinition = RESTPutAPIApplicationCommandsJSONBody[number];

const COMMAND_NAMES: Readonly<Record<Command['name'], Texts<string>>> = {
  upload: { en: 'upload', de: 'hochladen', fr: 'envoyer', es: 'subir' },
  list: { en: 'list', de: 'liste', fr: 'liste', es: 'lista' },
  share: { en: 'share', de: 'teilen', fr: 'partager', es: 'compartir' },
  delete: { en: 'delete', de: 'löschen', fr: 'supprimer', es: 'borrar' },
};

function command(
  name: Command['name'],
  description: Texts<string>,
  options: APIApplicationCommandBasicOption[],
): CommandDefinition {
  return { ...EVERYWHERE, ...named(COMMAND_NAMES[name], description), options };
}

/** All commands. The settings decide the longest life on offer. */
export const commandDefinitions = (tiers: Tiers): CommandDefinition[] => [
  command(
    'upload',
    {
      en: 'Put files into a folder and share them by one short link',
      de: 'Leg Dateien in einen Ordner und teil sie mit einem kurzen Link',
      fr: 'Mets des fichiers dans un dossier et partage-les par un lien court',
      es: 'Pon archivos en una carpeta y compártelos con un enlace corto',
    },
    [
      folderOption({
        en: 'One of your folders, or the name of a new one',
        de: 'Einer deiner Ordner, oder der Name eines neuen',
        fr: 'Un de tes dossiers, ou le nom d’un nouveau',
        es: 'Una de tus carpetas, o el nombre de una nueva',
      }),
      ENCRYPTED_OPTION,
      ...expiresOption(tiers),
    ],
  ),
  command(
    'list',
    {
      en: 'See your folders: open, share or delete them',
      de: 'Sieh deine Ordner: öffne, teile oder lösche sie',
      fr: 'Vois tes dossiers : ouvre-les, partage-les ou supprime-les',
      es: 'Mira tus carpetas: ábrelas, compártelas o bórralas',
    },
    [PAGE_OPTION],
  ),
  command(
    'share',
    {
      en: 'Share one of your folders in this channel',
      de: 'Teile einen deiner Ordner in diesem Kanal',
      fr: 'Partage un de tes dossiers dans ce salon',
      es: 'Comparte una de tus carpetas en este canal',
    },
    [
      {
        ...folderOption({
          en: 'Which of your folders',
          de: 'Welcher deiner Ordner',
          fr: 'Lequel de tes dossiers',
          es: 'Cuál de tus carpetas',
        }),
        required: true,
      },
      WITH_OPTION,
      MEMBERS_ONLY_OPTION,
    ],
  ),
  command(
    'delete',
    {
      en: 'Delete one of your folders and all its files',
      de: 'Lösche einen deiner Ordner mit allen Dateien',
      fr: 'Supprime un de tes dossiers et tous ses fichiers',
      es: 'Borra una de tus carpetas y todos sus archivos',
    },
    [
      {
        ...folderOption({
          en: 'Which of your folders',
          de: 'Welcher deiner Ordner',
          fr: 'Lequel de tes dossiers',
          es: 'Cuál de tus carpetas',
        }),
        required: true,
      },
    ],
  ),
];
