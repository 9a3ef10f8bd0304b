import { Locale } from 'discord-api-types/v10';
import { type Fields, fieldsIn, isGiven, lengthOf, listIn, numberIn, repeatedIn, textIn } from './json.ts';
import { lineOf } from './schema.ts';

/** What Discord demands in words only, of what Satchel's bot sends. Each problem is a line with its place. */

const BUTTON = 2;
const LINK = 5;
const MAX_EMBED_CHARACTERS = 6000;
const MAX_COMMAND_CHARACTERS = 8000;
/** Letters, marks of two scripts, digits: Discord's own expression (application commands, “naming”). */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES: readonly string[] = Object.values(Locale);

/** Every component with its place, also the components within others. */
function* partsIn(value: unknown, at: string): Generator<readonly [part: Fields, place: string]> {
  for (const [index, part] of listIn(value).entries()) {
    const place = `${at}/${index}`;
    yield [part, place];
    yield* partsIn(part.components, `${place}/components`);
    if (isGiven(part.component)) yield [fieldsIn(part.component), `${place}/component`];
  }
}

/** A link has an address and no custom_id; any other button has it the other way round. */
function* buttonProblems({ style, url, custom_id, label, emoji }: Fields, at: string): Generator<string> {
  const isLink = style === LINK;
  if (isLink ? !url : !custom_id) yield lineOf(at, `lacks ${isLink ? 'url' : 'custom_id'}`);
  if (isLink ? custom_id : url) yield lineOf(at, `has no ${isLink ? 'custom_id' : 'url'}`);
  if (textIn(label).trim() === '' && !emoji) yield lineOf(at, 'lacks label');
}

/** The components of a message or a modal. */
function* componentProblems(value: unknown, at: string): Generator<string> {
  const parts = [...partsIn(value, at)];
  for (const [part, place] of parts) if (part.type === BUTTON) yield* buttonProblems(part, place);
  for (const name of repeatedIn(parts.map(([{ custom_id }]) => textIn(custom_id)))) {
    if (name !== '') yield lineOf(at, `the custom_id ${name} is there twice`);
  }
}

function textsOf({ title, description, footer, author, fields }: Fields): readonly string[] {
  const inFields = listIn(fields).flatMap(({ name, value }) => [name, value]);
  return [title, description, fieldsIn(footer).text, fieldsIn(author).name, ...inFields].map(textIn);
}

/** A message, or what changes one. */
export function* messageInWords(value: unknown, at: string): Generator<string> {
  const { embeds, components } = fieldsIn(value);
  const characters = listIn(embeds)
    .flatMap(textsOf)
    .reduce((sum, text) => sum + lengthOf(text), 0);
  if (characters > MAX_EMBED_CHARACTERS) {
    yield lineOf(`${at}/embeds`, `more than ${MAX_EMBED_CHARACTERS} characters in all`);
  }
  yield* componentProblems(components, `${at}/components`);
}

/** A modal: what a field is filled with fits into it. */
export function* modalInWords(value: unknown, at: string): Generator<string> {
  const { components } = fieldsIn(value);
  yield* componentProblems(components, `${at}/components`);
  for (const [part, place] of partsIn(components, `${at}/components`)) {
    const most = numberIn(part.max_length);
    if (most !== undefined && lengthOf(textIn(part.value)) > most)
      yield lineOf(`${place}/value`, `longer than ${most}`);
  }
}

/** What people type has no capitals, in any language. */
function* nameProblems({ name, name_localizations }: Fields, at: string): Generator<string> {
  for (const one of [name, ...Object.values(fieldsIn(name_localizations))].map(textIn)) {
    if (!NAME.test(one) || one !== one.toLowerCase()) yield lineOf(`${at}/name`, `“${one}” is no name to type`);
  }
}

function* languageProblems(part: Fields, at: string): Generator<string> {
  for (const field of ['name_localizations', 'description_localizations']) {
    for (const locale of Object.keys(fieldsIn(part[field]))) {
      if (!LOCALES.includes(locale)) yield lineOf(`${at}/${field}`, `Discord has no language ${locale}`);
    }
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
    yield* languageProblems(option, place);
    for (const [choiceIndex, choice] of choices.entries()) {
      yield* languageProblems(choice, `${place}/choices/${choiceIndex}`);
    }
    yield* repeatedNames(choices, `${place}/choices`);
    for (const value of repeatedIn(choices.map(({ value }) => JSON.stringify(value)))) {
      yield lineOf(`${place}/choices`, `the value ${value} is there twice`);
    }
  }
  yield* repeatedNames(options, at);
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

/** All commands of an application. */
export function* commandsInWords(value: unknown): Generator<string> {
  const commands = listIn(value);
  for (const [index, command] of commands.entries()) {
    const place = `/${index}`;
    yield* nameProblems(command, place);
    yield* languageProblems(command, place);
    yield* optionProblems(listIn(command.options), `${place}/options`);
    if (sizeOf(command) > MAX_COMMAND_CHARACTERS) yield lineOf(place, `more than ${MAX_COMMAND_CHARACTERS} characters`);
  }
  yield* repeatedNames(commands, '/');
}
