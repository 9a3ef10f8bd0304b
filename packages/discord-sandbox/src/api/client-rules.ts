import {
  type APIApplicationCommand,
  type APIApplicationCommandBasicOption,
  type APIMessageTopLevelComponent,
  type APIModalInteractionResponseCallbackData,
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  ComponentType,
} from 'discord-api-types/v10';
import { ChatError, type Component, type OfferedCommand, type OptionValues } from '../chat/chat-entities.ts';
import { findPersonaByUserId, type Persona } from '../personas/personas.ts';
import type { Application } from './application.ts';
import type { Owners } from './messages.ts';
import { CONTEXTS, type Room, serversOf } from './world.ts';

/** What Discord's own client offers people, and lets them send. */

type Option = APIApplicationCommandBasicOption;
type Value = OptionValues[string];

/** By which installations the application may be used in a room: a server's, or the person's own. */
function installationsIn(room: Room, { name, user }: Persona, { isAt }: Application): Owners {
  const owners: Record<string, string> = {};
  if (room.kind === 'server' && isAt(room.id)) owners['0'] = room.id;
  // A server of theirs that has it is enough to write to it directly.
  if (room.kind === 'bot_dm' && serversOf(name).some(({ id }) => isAt(id))) owners['0'] = '0';
  if (isAt(user.id)) owners['1'] = user.id;
  return owners;
}

/** The commands that a person may use in a room, each with the installations that allow it. */
export function offeredIn(application: Application, persona: Persona, room: Room) {
  const installations = Object.entries(installationsIn(room, persona, application));
  return application.commands().flatMap((command) => {
    const types = command.integration_types ?? [ApplicationIntegrationType.GuildInstall];
    const owners = installations.filter(([type]) => types.includes(Number(type)));
    const isHere = command.contexts?.includes(CONTEXTS[room.kind]) ?? true;
    return isHere && owners.length > 0 ? [{ command, owners: Object.fromEntries(owners) as Owners }] : [];
  });
}

type Localized = { readonly [field in 'name_localizations' | 'description_localizations']?: object | null };
const translated = (part: Localized, field: keyof Localized, locale: string): string | undefined =>
  (part[field] as Record<string, string> | null | undefined)?.[locale];

function localOption(option: Option, locale: string): Option {
  const description = translated(option, 'description_localizations', locale) ?? option.description;
  if (!('choices' in option) || option.choices === undefined) return { ...option, description };
  const choices = option.choices.map((choice) => ({
    ...choice,
    name: translated(choice, 'name_localizations', locale) ?? choice.name,
  }));
  return { ...option, description, choices } as Option;
}

const optionsOf = ({ options = [] }: APIApplicationCommand) => options as readonly Option[];

/** A command with its texts in a language. The names of the command and of its options stay the application's own. */
export const inLanguage = (command: APIApplicationCommand, locale: string): OfferedCommand => ({
  name: command.name,
  description: translated(command, 'description_localizations', locale) ?? command.description,
  options: optionsOf(command).map((option) => localOption(option, locale)),
});

const VALUES: Readonly<Record<number, string>> = {
  [ApplicationCommandOptionType.Boolean]: 'boolean',
  [ApplicationCommandOptionType.Integer]: 'number',
};

function problemWith(option: Option, value: Value): string | null {
  const { type } = option;
  if (typeof value !== (VALUES[type] ?? 'string')) return `must be a ${VALUES[type] ?? 'text'}`;
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return 'must be a whole number';
  if (type === ApplicationCommandOptionType.User && findPersonaByUserId(String(value)) === undefined) {
    return 'must be somebody who is here';
  }
  const choices = 'choices' in option ? (option.choices ?? []) : [];
  if (choices.length > 0 && !choices.some((choice) => choice.value === value)) return 'must be one of the choices';
  if ('min_value' in option && Number(value) < Number(option.min_value)) return `must be at least ${option.min_value}`;
  if ('max_length' in option && [...String(value)].length > Number(option.max_length)) {
    return `must have at most ${option.max_length} characters`;
  }
  return null;
}

function optionOf(command: APIApplicationCommand, name: string): Option {
  const option = optionsOf(command).find((one) => one.name === name);
  if (option === undefined) throw new ChatError(`/${command.name} has no option ${name}.`);
  return option;
}

/** A command's options as they are sent. @throws ChatError where Discord's client would not send them */
export function optionsToSend(command: APIApplicationCommand, values: OptionValues) {
  const missing = optionsOf(command).find(({ name, required }) => required && values[name] === undefined);
  if (missing !== undefined) throw new ChatError(`${missing.name}: this option is required.`);
  return Object.entries(values).map(([name, value]) => {
    const option = optionOf(command, name);
    const problem = problemWith(option, value);
    if (problem !== null) throw new ChatError(`${name}: ${problem}.`);
    return { name, type: option.type, value };
  });
}

/** Options as a person has typed them so far, valid or not. @throws ChatError for an option without suggestions */
export function optionsTyped(command: APIApplicationCommand, values: OptionValues, focused: string) {
  const option = optionOf(command, focused);
  if (!('autocomplete' in option) || option.autocomplete !== true)
    throw new ChatError(`${focused} has no suggestions.`);
  return Object.entries({ [focused]: '', ...values }).map(([name, value]) => ({
    name,
    type: optionOf(command, name).type,
    value: name === focused ? String(value) : value,
    ...(name === focused && { focused: true }),
  }));
}

/** A click on a button, or a choice of a menu, as it is sent. @throws ChatError if the message doesn't offer that */
export function clickToSend(
  rows: readonly APIMessageTopLevelComponent[],
  { custom_id, values = [] }: { readonly custom_id: string; readonly values?: readonly string[] },
) {
  const parts = (rows as readonly Component[]).flatMap(({ components = [] }) => components);
  const part = parts.find((one) => one.custom_id === custom_id);
  if (part === undefined || part.disabled) throw new ChatError('There is no such button to click on.');
  const click = { custom_id, component_type: part.type };
  if (part.type === ComponentType.Button) return click;
  const isChoice = values.length === 1 && part.options?.some(({ value }) => value === values[0]);
  if (!isChoice) throw new ChatError('That can’t be chosen.');
  return { ...click, values };
}

type Fields = Readonly<Record<string, string>>;

/** A modal's fields as they are sent. @throws ChatError where Discord's client would not send them */
export function fieldsToSend({ custom_id, components }: APIModalInteractionResponseCallbackData, fields: Fields) {
  const labels = (components as readonly Component[]).map(({ type, label, component: field }) => {
    const { custom_id: name = '', required = true, max_length = 4000 } = field ?? {};
    const value = fields[name] ?? '';
    if (required && value === '') throw new ChatError(`${label}: this field is required.`);
    if ([...value].length > max_length) throw new ChatError(`${label}: at most ${max_length} characters.`);
    return { type, component: { type: field?.type, custom_id: name, value } };
  });
  return { custom_id, components: labels };
}
