import { type Fields, fieldsIn, isGiven, lengthOf, listIn, numberIn, repeatedIn, textIn } from './json.ts';

/** What Discord demands of the definitions of slash commands and says in words only. */

const CHAT_INPUT = 1;
const SUBCOMMAND = 1;
const SUBCOMMAND_GROUP = 2;
const MAX_COMMANDS = 100;
const MAX_CHARACTERS = 8000;
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES = new Set(
  (
    'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja ' +
    'zh-TW ko'
  ).split(' '),
);

const isChatInput = ({ type }: Fields) => (numberIn(type) ?? CHAT_INPUT) === CHAT_INPUT;

/** A name in whatever language is what people type: no capitals, nothing but letters, digits, `-`, `_` and `'`. */
function* nameProblems(name: string, at: string): Generator<string> {
  if (!NAME.test(name)) yield `${at}: ${JSON.stringify(name)} is no name of a command or an option`;
  if (name !== name.toLowerCase()) yield `${at}: ${JSON.stringify(name)} has capitals`;
}

function* localeProblems(localizations: unknown, at: string): Generator<string> {
  for (const locale of Object.keys(fieldsIn(localizations))) {
    if (!LOCALES.has(locale)) yield `${at}/${locale}: is no language of Discord`;
  }
}

/** @param name.isTyped a command's or an option's, unlike a choice's */
function* textProblems(item: Fields, at: string, { isTyped }: { isTyped: boolean }): Generator<string> {
  yield* localeProblems(item.name_localizations, `${at}/name_localizations`);
  yield* localeProblems(item.description_localizations, `${at}/description_localizations`);
  if (!isTyped) return;
  yield* nameProblems(textIn(item.name), `${at}/name`);
  for (const [locale, name] of Object.entries(fieldsIn(item.name_localizations))) {
    yield* nameProblems(textIn(name), `${at}/name_localizations/${locale}`);
  }
}

/** Names must differ in each language: where there is no translation, the name itself stands. */
function* repeatedNames(items: readonly Fields[], at: string): Generator<string> {
  const locales = new Set(items.flatMap(({ name_localizations }) => Object.keys(fieldsIn(name_localizations))));
  for (const name of repeatedIn(items.map((item) => textIn(item.name)))) yield `${at}: ${name} is there twice`;
  for (const locale of locales) {
    const names = items.map((item) => textIn(fieldsIn(item.name_localizations)[locale] ?? item.name));
    for (const name of repeatedIn(names)) yield `${at}: ${name} is there twice in ${locale}`;
  }
}

function* choiceProblems(option: Fields, at: string): Generator<string> {
  const choices = listIn(option.choices);
  yield* repeatedNames(choices, `${at}/choices`);
  for (const value of repeatedIn(choices.map(({ value }) => JSON.stringify(value)))) {
    yield `${at}/choices: the value ${value} is there twice`;
  }
  for (const [index, choice] of choices.entries()) {
    const place = `${at}/choices/${index}`;
    yield* textProblems(choice, place, { isTyped: false });
    if (lengthOf(textIn(choice.value)) > 100) yield `${place}/value: longer than 100`;
  }
  if (option.autocomplete === true && choices.length > 0) yield `${at}: has choices beside autocomplete`;
}

function* optionProblems(option: Fields, at: string): Generator<string> {
  yield* textProblems(option, at, { isTyped: true });
  yield* choiceProblems(option, at);
  const pairs = [
    ['min_value', 'max_value'],
    ['min_length', 'max_length'],
  ] as const;
  for (const [low, high] of pairs) {
    const [least, most] = [numberIn(option[low]), numberIn(option[high])];
    if (least !== undefined && most !== undefined && least > most) yield `${at}: ${low} is above ${high}`;
  }
  yield* optionsProblems(listIn(option.options), `${at}/options`);
}

function* optionsProblems(options: readonly Fields[], at: string): Generator<string> {
  yield* repeatedNames(options, at);
  const firstOptional = options.findIndex(({ required }) => required !== true);
  const isSub = ({ type }: Fields) => type === SUBCOMMAND || type === SUBCOMMAND_GROUP;
  if (options.some(isSub) && !options.every(isSub)) yield `${at}: has options beside subcommands`;
  for (const [index, option] of options.entries()) {
    if (option.required === true && firstOptional !== -1 && firstOptional < index) {
      yield `${at}/${index}: is required but comes after an optional one`;
    }
    yield* optionProblems(option, `${at}/${index}`);
  }
}

/** Of a text and its translations the longest counts. */
const longestOf = (text: unknown, localizations: unknown): number =>
  Math.max(...[text, ...Object.values(fieldsIn(localizations))].map((each) => lengthOf(textIn(each))));

function charactersOf(item: Fields): number {
  const own =
    longestOf(item.name, item.name_localizations) + longestOf(item.description, item.description_localizations);
  const below = [...listIn(item.options), ...listIn(item.choices)].reduce((sum, each) => sum + charactersOf(each), 0);
  return own + lengthOf(textIn(item.value)) + below;
}

function* commandProblems(command: Fields, at: string): Generator<string> {
  if (isChatInput(command)) {
    yield* textProblems(command, at, { isTyped: true });
    if (textIn(command.description) === '') yield `${at}: lacks description`;
  } else if (isGiven(command.description) && command.description !== '') {
    yield `${at}: only a slash command has a description`;
  }
  yield* optionsProblems(listIn(command.options), `${at}/options`);
  if (charactersOf(command) > MAX_CHARACTERS) yield `${at}: its texts are longer than ${MAX_CHARACTERS} in all`;
  for (const key of ['contexts', 'integration_types']) {
    const values = Array.isArray(command[key]) ? command[key].map(String) : [];
    for (const value of repeatedIn(values)) yield `${at}/${key}: ${value} is there twice`;
  }
  if (isGiven(command.dm_permission)) yield `${at}: has dm_permission, for which there is contexts`;
}

/** @param body what replaces all global commands */
export function* commandsProblems(body: unknown): Generator<string> {
  const commands = listIn(body);
  const ofSlash = commands.filter(isChatInput);
  if (ofSlash.length > MAX_COMMANDS) yield `/: more than ${MAX_COMMANDS} commands`;
  yield* repeatedNames(ofSlash, '/');
  for (const [index, command] of commands.entries()) yield* commandProblems(command, `/${index}`);
}
