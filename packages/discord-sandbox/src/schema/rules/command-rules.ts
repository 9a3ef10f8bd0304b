import { bySchema } from '../by-schema.ts';
import { all, fault, inside, type Rule, requiredFault, type Spot, typeFault } from '../faults.ts';
import { type Fields, fieldsIn, isGiven, lengthOf, listIn, numberIn, textIn } from '../json.ts';

/** What Discord demands of the definitions of commands and says in words only. */

const CHAT_INPUT = 1;
const SUBCOMMANDS: ReadonlySet<unknown> = new Set([1, 2]);
const MAX_COMMANDS = 100;
const MAX_SIZE = 8000;
/** Letters, marks of two scripts, digits: Discord's own expression (application commands, “naming”). */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES = (
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja ' +
  'zh-TW ko'
).split(' ');

const isChatInput = ({ type }: Fields) => (numberIn(type) ?? CHAT_INPUT) === CHAT_INPUT;

/** What people type has no capitals, in any language; how long it may be is said by the schema. */
function checkName(value: unknown, spot: Spot) {
  if (typeof value !== 'string' || value === '' || lengthOf(value) > 32) return;
  if (NAME.test(value) && value === value.toLowerCase()) return;
  fault(spot, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
}

function checkLocales(localizations: unknown, spot: Spot, check: (value: unknown, spot: Spot) => void) {
  for (const [locale, value] of Object.entries(fieldsIn(localizations))) {
    const place = inside(spot, locale);
    if (LOCALES.includes(locale)) check(value, place);
    else fault(place, 'BASE_TYPE_CHOICES', `Value must be one of {${LOCALES.map((one) => `'${one}'`).join(', ')}}.`);
  }
}

const anyText = () => undefined;

/** @param isTyped a command's or an option's name, unlike a choice's */
function checkTexts(item: Fields, spot: Spot, { isTyped }: { isTyped: boolean }) {
  if (isTyped) checkName(item.name, inside(spot, 'name'));
  checkLocales(item.name_localizations, inside(spot, 'name_localizations'), isTyped ? checkName : anyText);
  checkLocales(item.description_localizations, inside(spot, 'description_localizations'), anyText);
}

/** Whether the texts of a choice by itself, as of an autocomplete, are in languages of Discord. */
export const choiceRule: Rule = (value, spot) => checkTexts(fieldsIn(value), spot, { isTyped: false });

/** Which names of a list are there twice in a language: where there is no translation, the name itself counts. */
export function checkRepeated(items: readonly Fields[], tell: (at: number, name: string) => void) {
  const locales = new Set(items.flatMap(({ name_localizations }) => Object.keys(fieldsIn(name_localizations))));
  const languages = [
    items.map(({ name }) => textIn(name)),
    ...[...locales].map((locale) =>
      items.map((item) => textIn(fieldsIn(item.name_localizations)[locale] ?? item.name)),
    ),
  ];
  for (const names of languages) {
    for (const [at, name] of names.entries()) if (name !== '' && names.indexOf(name) < at) tell(at, name);
  }
}

function checkChoices({ choices: given, autocomplete }: Fields, spot: Spot) {
  const choices = listIn(given);
  const place = inside(spot, 'choices');
  for (const [at, choice] of choices.entries()) choiceRule(choice, inside(place, at));
  if (autocomplete !== true || choices.length === 0) return;
  fault(
    inside(spot, 'autocomplete'),
    'APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_CHOICES_EXCLUSIVE',
    'Autocomplete and choices are mutually exclusive',
  );
}

/** The least of two limits is not above the most. */
export function checkLimits(item: Fields, spot: Spot, least: string, most: string) {
  const [min, max] = [numberIn(item[least]), numberIn(item[most])];
  if (min === undefined || max === undefined || min <= max) return;
  fault(inside(spot, least), 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`);
}

function checkOptions(given: unknown, spot: Spot) {
  const options = listIn(given);
  // A command has either parameters or subcommands.
  const isNested = options.some(({ type }) => SUBCOMMANDS.has(type));
  let isOptional = false;
  for (const [at, option] of options.entries()) {
    const place = inside(spot, at);
    if (isNested && isGiven(option.type) && !SUBCOMMANDS.has(option.type)) typeFault(place, [...SUBCOMMANDS]);
    if (option.required !== true) isOptional = true;
    else if (isOptional) {
      const said = 'Required options must be placed before non-required options';
      fault(place, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', said);
    }
    checkTexts(option, place, { isTyped: true });
    checkChoices(option, place);
    checkLimits(option, place, 'min_value', 'max_value');
    checkLimits(option, place, 'min_length', 'max_length');
    checkOptions(option.options, inside(place, 'options'));
  }
  checkRepeated(options, (at, name) =>
    fault(
      inside(spot, at),
      'APPLICATION_COMMAND_OPTIONS_NAME_INVALID',
      `Option name ${name} is already used in these options`,
    ),
  );
}

/** The texts of a command count together, the longest of its languages for each. */
function sizeOf(part: Fields): number {
  const longest = (field: string) => {
    const texts = [part[field], ...Object.values(fieldsIn(part[`${field}_localizations`]))];
    return Math.max(...texts.map((one) => lengthOf(textIn(one))));
  };
  const within = [...listIn(part.options), ...listIn(part.choices)].reduce((sum, one) => sum + sizeOf(one), 0);
  return longest('name') + longest('description') + lengthOf(textIn(part.value)) + within;
}

function checkDescription(command: Fields, spot: Spot) {
  const place = inside(spot, 'description');
  if (isChatInput(command)) {
    if (!isGiven(command.description)) requiredFault(place);
  } else if (isGiven(command.description) && command.description !== '') {
    fault(place, 'BASE_TYPE_MAX_LENGTH', 'Must be 0 or fewer in length.');
  }
}

function checkSets(command: Fields, spot: Spot) {
  for (const name of ['contexts', 'integration_types']) {
    const values: unknown[] = Array.isArray(command[name]) ? command[name] : [];
    for (const [at, value] of values.entries()) {
      if (values.indexOf(value) === at) continue;
      fault(inside(spot, name, at), 'SET_TYPE_ALREADY_CONTAINS_VALUE', 'The set already contains this value');
    }
  }
}

const inWords: Rule = (value, spot) => {
  const command = fieldsIn(value);
  checkTexts(command, spot, { isTyped: isChatInput(command) });
  checkDescription(command, spot);
  checkOptions(command.options, inside(spot, 'options'));
  checkSets(command, spot);
  if (sizeOf(command) <= MAX_SIZE) return;
  fault(spot, 'APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${MAX_SIZE})`);
};

const bySchemaAlone = bySchema('ApplicationCommandUpdateRequest');

/** A command's definition. Without a type it is a slash command. */
export const commandRule: Rule = (value, spot) => {
  const { description, ...rest } = fieldsIn(value);
  // A context menu's command says nothing of itself, which is written as nothing or as an empty text.
  bySchemaAlone(description === '' && !isChatInput(rest) ? rest : value, spot);
  inWords(value, spot);
};

const differentCommands: Rule = (value, spot) => {
  const kinds = Map.groupBy(listIn(value).entries(), ([, { type }]) => numberIn(type) ?? CHAT_INPUT);
  for (const entries of kinds.values()) {
    checkRepeated(
      entries.map(([, command]) => command),
      (at) => {
        const place = inside(spot, entries[at]?.[0] ?? at);
        fault(place, 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
      },
    );
  }
};

const listOf =
  (rule: Rule): Rule =>
  (value, spot) => {
    if (!Array.isArray(value)) {
      return fault(spot, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
    }
    if (value.length > MAX_COMMANDS) fault(spot, 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_COMMANDS} or fewer in length.`);
    for (const [at, one] of value.entries()) rule(one, inside(spot, at));
  };

/** What replaces all commands of an application, by the rules in words alone. */
export const commandsInWords = all(listOf(inWords), differentCommands);

/** What replaces all commands of an application. */
export const commandsRule = all(listOf(commandRule), differentCommands);
