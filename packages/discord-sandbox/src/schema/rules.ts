import { Locale } from 'discord-api-types/v10';
import { lineOf } from './schema.ts';

/**
 * What Discord demands in words only, of what Satchel's bot sends and no compiler checks by the types of
 * discord-api-types. Each problem is a line with its place.
 */

const BUTTON = 2;
const MAX_EMBED_CHARACTERS = 6000;
const MAX_COMMAND_CHARACTERS = 8000;
/** Letters, marks of two scripts, digits: Discord's own expression (application commands, “naming”). */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES: readonly string[] = Object.values(Locale);

/** A value of unknown shape: what is not there is empty, since its absence is the schema's to tell. */
export type Fields = Readonly<Record<string, unknown>>;

export const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsIn) : []);
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
/** Characters as they are counted in limits. */
const lengthOf = (value: unknown): number => [...textIn(value)].length;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Values that are in a list more than once. */
const repeatedIn = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, at) => values.indexOf(value) !== at)),
];

/** A message, or what changes one. */
export function* messageInWords(value: unknown, at: string): Generator<string> {
  const { embeds, components } = fieldsIn(value);
  const characters = listIn(embeds).map(
    ({ title, description, footer }) => lengthOf(title) + lengthOf(description) + lengthOf(fieldsIn(footer).text),
  );
  if (sum(characters) > MAX_EMBED_CHARACTERS) {
    yield lineOf(`${at}/embeds`, `more than ${MAX_EMBED_CHARACTERS} characters in all`);
  }
  const ids: string[] = [];
  for (const [rowIndex, row] of listIn(components).entries()) {
    for (const [index, part] of listIn(row.components).entries()) {
      const place = `${at}/components/${rowIndex}/components/${index}`;
      if (part.type === BUTTON && textIn(part.label).trim() === '') yield lineOf(place, 'lacks label');
      if (part.custom_id) ids.push(textIn(part.custom_id));
    }
  }
  for (const id of repeatedIn(ids)) yield lineOf(`${at}/components`, `the custom_id ${id} is there twice`);
}

/** A modal: what a field is filled with fits into it. */
export function* modalInWords(value: unknown, at: string): Generator<string> {
  for (const [index, { component }] of listIn(fieldsIn(value).components).entries()) {
    const { max_length: most, value: filled } = fieldsIn(component);
    const place = `${at}/components/${index}/component/value`;
    if (lengthOf(filled) > Number(most ?? Number.POSITIVE_INFINITY)) yield lineOf(place, `longer than ${most}`);
  }
}

/** What people type has no capitals, in any language. */
function* nameProblems({ name, name_localizations }: Fields, at: string): Generator<string> {
  for (const one of [name, ...Object.values(fieldsIn(name_localizations))].map(textIn)) {
    if (!NAME.test(one) || one !== one.toLowerCase()) yield lineOf(`${at}/name`, `“${one}” is no name to type`);
  }
}

/** Names differ in each language: where there is no translation, the name itself counts. */
function* repeatedNames(items: readonly Fields[], at: string): Generator<string> {
  for (const locale of ['', ...LOCALES]) {
    const names = items.map((item) => textIn(fieldsIn(item.name_localizations)[locale] ?? item.name));
    for (const name of repeatedIn(names)) yield lineOf(at, `${name} is there twice`);
  }
}

function* optionProblems(options: readonly Fields[], at: string): Generator<string> {
  const order = options.map(({ required }) => required === true);
  if (order.lastIndexOf(true) > order.indexOf(false) && order.includes(false)) {
    yield lineOf(at, 'required options come first');
  }
  for (const [index, option] of options.entries()) {
    const place = `${at}/${index}`;
    const choices = listIn(option.choices);
    yield* nameProblems(option, place);
    yield* repeatedNames(choices, `${place}/choices`);
    for (const value of repeatedIn(choices.map((choice) => JSON.stringify(choice.value)))) {
      yield lineOf(`${place}/choices`, `the value ${value} is there twice`);
    }
  }
  yield* repeatedNames(options, at);
}

/** The texts of a command count together, the longest of its languages for each. */
function sizeOf(part: Fields): number {
  const longest = (field: string) =>
    Math.max(...[part[field], ...Object.values(fieldsIn(part[`${field}_localizations`]))].map(lengthOf));
  const within = [...listIn(part.options), ...listIn(part.choices)].map(sizeOf);
  return longest('name') + longest('description') + lengthOf(part.value) + sum(within);
}

/** All commands of an application. */
export function* commandsInWords(value: unknown): Generator<string> {
  const commands = listIn(value);
  for (const [index, command] of commands.entries()) {
    const place = `/${index}`;
    yield* nameProblems(command, place);
    yield* optionProblems(listIn(command.options), `${place}/options`);
    if (sizeOf(command) > MAX_COMMAND_CHARACTERS) yield lineOf(place, `more than ${MAX_COMMAND_CHARACTERS} characters`);
  }
  yield* repeatedNames(commands, '/');
}
