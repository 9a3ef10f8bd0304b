import { bySchema } from '../by-schema.ts';
import { all, fault, inside, type Rule, type Spot } from '../faults.ts';
import { type Fields, fieldsIn, lengthOf, listIn, textIn } from '../json.ts';

/** What Discord demands of the definitions of commands and says in words only. */

const MAX_SIZE = 8000;
/** Letters, marks of two scripts, digits: Discord's own expression (application commands, “naming”). */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES = (
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja ' +
  'zh-TW ko'
).split(' ');

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

function checkOptions(given: unknown, spot: Spot) {
  const options = listIn(given);
  let isOptional = false;
  for (const [at, option] of options.entries()) {
    const place = inside(spot, at);
    if (option.required !== true) isOptional = true;
    else if (isOptional) {
      const said = 'Required options must be placed before non-required options';
      fault(place, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', said);
    }
    checkTexts(option, place, { isTyped: true });
    for (const [choiceAt, choice] of listIn(option.choices).entries()) {
      checkTexts(choice, inside(place, 'choices', choiceAt), { isTyped: false });
    }
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

const inWords: Rule = (value, spot) => {
  const command = fieldsIn(value);
  checkTexts(command, spot, { isTyped: true });
  checkOptions(command.options, inside(spot, 'options'));
  if (sizeOf(command) <= MAX_SIZE) return;
  fault(spot, 'APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${MAX_SIZE})`);
};

/** A command's definition. */
export const commandRule = all(bySchema('ApplicationCommandUpdateRequest'), inWords);

const differentCommands: Rule = (value, spot) =>
  checkRepeated(listIn(value), (at) =>
    fault(inside(spot, at), 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique'),
  );

const listOf =
  (rule: Rule): Rule =>
  (value, spot) => {
    if (!Array.isArray(value)) {
      return fault(spot, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
    }
    for (const [at, one] of value.entries()) rule(one, inside(spot, at));
  };

/** What replaces all commands of an application, by the rules in words alone. */
export const commandsInWords = all(listOf(inWords), differentCommands);

/** What replaces all commands of an application. */
export const commandsRule = all(listOf(commandRule), differentCommands);
