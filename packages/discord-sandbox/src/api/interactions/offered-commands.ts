import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  ApplicationIntegrationType,
  InteractionContextType,
} from 'discord-api-types/v10';
import type { OfferedCommand } from '../../chat/chat-entities.ts';
import type { Persona } from '../../personas/personas.ts';
import type { InstalledPlaces, Room } from '../world/world.ts';

type Owners = Readonly<Record<string, string>>;

const ALL_CONTEXTS = [
  InteractionContextType.Guild,
  InteractionContextType.BotDM,
  InteractionContextType.PrivateChannel,
];

/** By which installations the application may be used in a room: a server's, or the person's own. */
export function installationsIn(room: Room, { name, user }: Persona, installed: InstalledPlaces): Owners {
  const owners: Record<string, string> = {};
  if (room.guild !== null && installed.isInGuild(room.guild)) owners['0'] = room.guild.id;
  if (room.context === InteractionContextType.BotDM && installed.sharesGuildWith(name)) owners['0'] = '0';
  if (installed.isWith(name)) owners['1'] = user.id;
  return owners;
}

/** By which of those a command may be used there; null where it may not. */
export function ownersOf(command: APIApplicationCommand, room: Room, installations: Owners): Owners | null {
  if (!(command.contexts ?? ALL_CONTEXTS).includes(room.context)) return null;
  const types = command.integration_types ?? [ApplicationIntegrationType.GuildInstall];
  const owners = Object.entries(installations).filter(([type]) => types.includes(Number(type)));
  return owners.length === 0 ? null : Object.fromEntries(owners);
}

type Localized = { readonly name: string; readonly name_localizations?: Partial<Record<string, string | null>> | null };

const localName = ({ name, name_localizations: names }: Localized, locale: string) => names?.[locale] ?? name;

function localOption(option: APIApplicationCommandOption, locale: string): APIApplicationCommandOption {
  const choices =
    'choices' in option && option.choices
      ? { choices: option.choices.map((choice) => ({ ...choice, name: localName(choice, locale) })) }
      : {};
  const description = option.description_localizations?.[locale as 'de'] ?? option.description;
  return { ...option, ...choices, description } as APIApplicationCommandOption;
}

/** Names stay what the application knows them by; `name_localizations` has how they are called in a language. */
export const inLanguage = (
  { id, name, description, description_localizations, options = [] }: APIApplicationCommand,
  locale: string,
): OfferedCommand => ({
  id,
  name,
  description: description_localizations?.[locale as 'de'] ?? description,
  options: options.map((option) => localOption(option, locale)),
});
