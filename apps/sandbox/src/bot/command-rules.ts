import {
  type APIApplicationCommand,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  Locale,
} from 'discord-api-types/v10';
import {
  all,
  boolean,
  byType,
  checkForm,
  choice,
  fault,
  float,
  inside,
  integer,
  isObject,
  lengthOf,
  list,
  matching,
  model,
  objectsIn,
  type Rule,
  text,
} from './form.ts';

const MAX_COMMANDS = 100;
const MAX_OPTIONS = 25;
const MAX_CHOICES = 25;
const MAX_SIZE = 8000;
const LARGEST = 2 ** 53;

/** Letters, marks of two scripts, digits: Discord's own expression (application commands, “naming”). */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const isLowerCase = (name: string) => name === name.toLowerCase();

const invalidName = 'Command name is invalid';
const name: Rule = (value, spot) => {
  text({ min: 1, max: 32 })(value, spot);
  if (typeof value !== 'string' || value === '' || lengthOf(value) > 32) return;
  if (!NAME.test(value) || !isLowerCase(value)) fault(spot, 'APPLICATION_COMMAND_INVALID_NAME', invalidName);
};
/** A context menu's command is called as people write. */
const plainName = text({ min: 1, max: 32 });
const description = text({ min: 1, max: 100 });
const choiceName = text({ min: 1, max: 100 });

const LOCALES: readonly string[] = Object.values(Locale);

/** Texts by locale; a locale that Discord doesn't have is a fault. */
export const localizations =
  (rule: Rule): Rule =>
  (value, spot) => {
    model({})(value, spot);
    if (!isObject(value)) return;
    for (const [locale, given] of Object.entries(value)) {
      const place = inside(spot, locale);
      if (!LOCALES.includes(locale)) choice(...LOCALES)(locale, place);
      else if (given !== null) rule(given, place);
    }
  };

const named = {
  required: { name, description },
  optional: { name_localizations: localizations(name), description_localizations: localizations(description) },
};

const choicesOf = (valueRule: Rule): Rule =>
  list(
    model({
      required: { name: choiceName, value: valueRule },
      optional: { name_localizations: localizations(choiceName) },
    }),
    { max: MAX_CHOICES },
  );

/** Whoever may choose only among choices has nothing to be suggested. */
const choicesOrSuggestions: Rule = (value, spot) => {
  if (!isObject(value) || value.autocomplete !== true || objectsIn(value.choices).length === 0) return;
  fault(
    inside(spot, 'autocomplete'),
    'APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_CHOICES_EXCLUSIVE',
    'Autocomplete and choices are mutually exclusive',
  );
};

const limitsInOrder =
  (least: string, most: string): Rule =>
  (value, spot) => {
    if (!isObject(value)) return;
    const { [least]: min, [most]: max } = value;
    if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return;
    const said = `int value should be less than or equal to ${max}.`;
    fault(inside(spot, least), 'NUMBER_TYPE_MAX', said);
  };

const parameter = (fields: Readonly<Record<string, Rule>> = {}) =>
  model({ required: named.required, optional: { ...named.optional, required: boolean, ...fields } });

const numberOption = (rule: Rule) =>
  all(
    parameter({ autocomplete: boolean, choices: choicesOf(rule), min_value: rule, max_value: rule }),
    choicesOrSuggestions,
    limitsInOrder('min_value', 'max_value'),
  );

const parameters = {
  [ApplicationCommandOptionType.String]: all(
    parameter({
      autocomplete: boolean,
      choices: choicesOf(text({ min: 1, max: 100 })),
      min_length: integer({ min: 0, max: 6000 }),
      max_length: integer({ min: 1, max: 6000 }),
    }),
    choicesOrSuggestions,
    limitsInOrder('min_length', 'max_length'),
  ),
  [ApplicationCommandOptionType.Integer]: numberOption(integer({ min: 1 - LARGEST, max: LARGEST - 1 })),
  [ApplicationCommandOptionType.Boolean]: parameter(),
  [ApplicationCommandOptionType.User]: parameter(),
  [ApplicationCommandOptionType.Channel]: parameter({ channel_types: list(integer({ min: 0 }), { max: 25 }) }),
  [ApplicationCommandOptionType.Role]: parameter(),
  [ApplicationCommandOptionType.Mentionable]: parameter(),
  [ApplicationCommandOptionType.Number]: numberOption(float({ min: -LARGEST, max: LARGEST })),
  [ApplicationCommandOptionType.Attachment]: parameter(),
};

const requiredFirst: Rule = (value, spot) => {
  let isOptional = false;
  for (const [at, option] of objectsIn(value).entries()) {
    if (option.required !== true) isOptional = true;
    else if (isOptional) {
      const said = 'Required options must be placed before non-required options';
      fault(inside(spot, at), 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', said);
    }
  }
};

const uniqueOptions: Rule = (value, spot) => {
  const seen = new Set<unknown>();
  for (const [at, option] of objectsIn(value).entries()) {
    if (seen.has(option.name)) {
      const said = `Option name ${option.name} is already used in these options`;
      fault(inside(spot, at), 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID', said);
    }
    seen.add(option.name);
  }
};

const optionsOf = (rules: Readonly<Record<number, Rule>>): Rule =>
  all(list(byType(rules), { max: MAX_OPTIONS }), requiredFirst, uniqueOptions);

const leafOptions = optionsOf(parameters);
const subcommand = model({ required: named.required, optional: { ...named.optional, options: leafOptions } });
const group = model({
  required: {
    ...named.required,
    options: optionsOf({ [ApplicationCommandOptionType.Subcommand]: subcommand }),
  },
  optional: named.optional,
});
const nested = {
  [ApplicationCommandOptionType.Subcommand]: subcommand,
  [ApplicationCommandOptionType.SubcommandGroup]: group,
};

/** A command has either parameters or subcommands. */
const options: Rule = (value, spot) => {
  const types = objectsIn(value).map(({ type }) => Number(type));
  const isNested = types.some((type) => type in nested);
  (isNested ? optionsOf(nested) : leafOptions)(value, spot);
};

const everywhere = {
  default_member_permissions: matching(
    /^\d{1,20}$/,
    text({ max: 20 }),
    'NUMBER_TYPE_COERCE',
    'Value is not a bit set of permissions.',
  ),
  nsfw: boolean,
  integration_types: list(choice(0, 1), { min: 1, max: 2 }),
  contexts: list(choice(0, 1, 2), { min: 1, max: 3 }),
};

/** The texts of a command count together, its longest localisation in the place of each. */
function sizeOf(part: Record<string, unknown>): number {
  const longest = (field: string) => {
    const others = part[`${field}_localizations`];
    const texts = [part[field], ...(isObject(others) ? Object.values(others) : [])];
    return Math.max(...texts.map((one) => (typeof one === 'string' ? lengthOf(one) : 0)));
  };
  const value = typeof part.value === 'string' ? lengthOf(part.value) : 0;
  const within = [...objectsIn(part.options), ...objectsIn(part.choices)];
  return within.reduce((sum, one) => sum + sizeOf(one), longest('name') + longest('description') + value);
}

const fits: Rule = (value, spot) => {
  if (!isObject(value) || sizeOf(value) <= MAX_SIZE) return;
  fault(spot, 'APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${MAX_SIZE})`);
};

const chatInput = all(model({ ...named, optional: { ...named.optional, ...everywhere, options } }), fits);
const contextMenu = model({
  required: { name: plainName },
  optional: { ...everywhere, name_localizations: localizations(plainName), description: text({ max: 0 }) },
});

/** Without a type it is a slash command. */
const command: Rule = (value, spot) => {
  const typed = isObject(value) ? { ...value, type: value.type ?? ApplicationCommandType.ChatInput } : value;
  byType({
    [ApplicationCommandType.ChatInput]: chatInput,
    [ApplicationCommandType.User]: contextMenu,
    [ApplicationCommandType.Message]: contextMenu,
  })(typed, spot);
};

const uniqueCommands: Rule = (value, spot) => {
  const seen = new Set<string>();
  for (const [at, one] of objectsIn(value).entries()) {
    const key = `${one.type ?? ApplicationCommandType.ChatInput} ${one.name}`;
    if (seen.has(key)) {
      fault(inside(spot, at), 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
    }
    seen.add(key);
  }
};

export type GivenCommand = Partial<APIApplicationCommand> & Pick<APIApplicationCommand, 'name'>;

/** @throws DiscordError 50035 */
export function readCommands(body: unknown): readonly GivenCommand[] {
  checkForm(body, all(list(command, { max: MAX_COMMANDS }), uniqueCommands));
  return body as readonly GivenCommand[];
}

/** @throws DiscordError 50035 */
export function readCommand(body: unknown): GivenCommand {
  checkForm(body, command);
  return body as GivenCommand;
}
