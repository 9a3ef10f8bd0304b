import {
  type APIApplicationCommand,
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType,
} from 'discord-api-types/v10';
import type { OptionValues } from '../../chat/chat-entities.ts';
import { ChatError } from '../../chat/chat-error.ts';
import { findPersonaByUserId, type Persona } from '../../personas/personas.ts';

export interface SentOption {
  readonly name: string;
  readonly type: number;
  readonly value: string | number | boolean;
  readonly focused?: true;
}

type Value = string | number | boolean;
type BasicOption = APIApplicationCommandBasicOption;

const basicOptions = ({ options = [] }: APIApplicationCommand) => options as readonly BasicOption[];

function refuse(option: BasicOption, reason: string): never {
  throw new ChatError(`${option.name}: ${reason}`);
}

function checkText(option: BasicOption, value: string) {
  if (option.type !== ApplicationCommandOptionType.String) return;
  const length = [...value].length;
  if (length > (option.max_length ?? 6000)) refuse(option, `at most ${option.max_length ?? 6000} characters`);
  if (length < (option.min_length ?? 0)) refuse(option, `at least ${option.min_length} characters`);
}

function checkNumber(option: BasicOption, value: number) {
  const isInteger = option.type === ApplicationCommandOptionType.Integer;
  if (!isInteger && option.type !== ApplicationCommandOptionType.Number) return;
  if (isInteger && !Number.isSafeInteger(value)) refuse(option, 'a whole number');
  if (option.min_value !== undefined && value < option.min_value) refuse(option, `at least ${option.min_value}`);
  if (option.max_value !== undefined && value > option.max_value) refuse(option, `at most ${option.max_value}`);
}

function checkChoice(option: BasicOption, value: Value) {
  const choices = 'choices' in option ? (option.choices ?? []) : [];
  if (choices.length > 0 && !choices.some((choice) => choice.value === value)) refuse(option, 'one of the choices');
}

/** What Discord's own client lets through: the right type, within the limits, one of the choices. */
function checkValue(option: BasicOption, value: Value) {
  const { type } = option;
  if (type === ApplicationCommandOptionType.Boolean) {
    if (typeof value !== 'boolean') refuse(option, 'True or False');
  } else if (type === ApplicationCommandOptionType.Integer || type === ApplicationCommandOptionType.Number) {
    if (typeof value !== 'number') refuse(option, 'a number');
    checkNumber(option, value);
  } else if (typeof value !== 'string') {
    refuse(option, 'a text');
  } else if (type === ApplicationCommandOptionType.User) {
    if (findPersonaByUserId(value) === undefined) refuse(option, 'somebody who is here');
  } else {
    checkText(option, value);
  }
  checkChoice(option, value);
}

function optionOf(command: APIApplicationCommand, name: string): BasicOption {
  const option = basicOptions(command).find((one) => one.name === name);
  if (option === undefined) throw new ChatError(`/${command.name} has no option ${name}.`);
  return option;
}

/** @throws ChatError as Discord's client would not send it */
export function optionsToSend(command: APIApplicationCommand, values: OptionValues): readonly SentOption[] {
  for (const name of Object.keys(values)) checkValue(optionOf(command, name), values[name] ?? '');
  const missing = basicOptions(command).find(({ name, required }) => required && values[name] === undefined);
  if (missing !== undefined) refuse(missing, 'this option is required');
  return Object.entries(values).map(([name, value]) => ({ name, type: optionOf(command, name).type, value }));
}

/** What has been typed so far: nothing of it needs to be valid yet. */
export function optionsTyped(
  command: APIApplicationCommand,
  values: OptionValues,
  focused: string,
): readonly SentOption[] {
  const option = optionOf(command, focused);
  if (!('autocomplete' in option) || option.autocomplete !== true) refuse(option, 'has no suggestions');
  return Object.entries({ [focused]: '', ...values }).map(([name, value]) => ({
    name,
    type: optionOf(command, name).type,
    // Discord sends numbers that are being typed as text.
    value: name === focused ? String(value) : value,
    ...(name === focused && { focused: true as const }),
  }));
}

/** The people that options name. */
export const peopleIn = (options: readonly SentOption[]): readonly Persona[] =>
  options.flatMap(({ type, value }) => {
    const person = type === ApplicationCommandOptionType.User ? findPersonaByUserId(String(value)) : undefined;
    return person === undefined ? [] : [person];
  });
