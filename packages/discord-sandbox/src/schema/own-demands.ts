import { type Fields, fieldsIn, isGiven, listIn, numberIn, repeatedIn, textIn } from './json.ts';
import { checkRepeated } from './rules/command-rules.ts';
import type { Sent } from './rules/message-rules.ts';
import { EPHEMERAL } from './rules/reply-rules.ts';

/** Rules beyond Discord's own: what Discord would drop in silence, and what would ping people or show a secret. */

const SUPPRESS_EMBEDS = 1 << 2;
const SUPPRESS_NOTIFICATIONS = 1 << 12;

const FLAGS = {
  new: EPHEMERAL | SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS,
  // Who sees a message was settled when it was sent.
  edit: SUPPRESS_EMBEDS,
} as const;

export const flagsOf = (message: Fields): number => numberIn(message.flags) ?? 0;

/** Names of people and folders stand in messages: none may ping anybody. */
function* mentionDemands(message: Fields, at: string): Generator<string> {
  if (JSON.stringify(message.allowed_mentions) === '{"parse":[]}') return;
  yield `${at || '/'}: lacks allowed_mentions with an empty parse, so words may ping`;
}

const PARTS = ['content', 'embeds', 'components'] as const;

/** A new message has something in it. An edit may leave a part as it is, but must not take all of them away. */
function isEmptyMessage(message: Fields, sent: Sent): boolean {
  const isEmpty = (value: unknown) =>
    !isGiven(value) ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0);
  if (sent === 'new') return PARTS.every((part) => isEmpty(message[part]));
  const isTaken = (part: string) => message[part] !== undefined && isEmpty(message[part]);
  return isTaken('content') && isTaken('embeds') && (message.components === undefined || isEmpty(message.components));
}

/** A key or a grant stands after the `#` of an address: only who is meant to have it may see it. */
function* secretDemands(message: Fields, sent: Sent, at: string): Generator<string> {
  if (sent === 'edit' || (flagsOf(message) & EPHEMERAL) !== 0) return;
  const [address] = /https?:\/\/[^\s"\\)>]*#\w/.exec(JSON.stringify(message)) ?? [];
  if (address !== undefined) yield `${at || '/'}: everybody sees an address with a secret after its #`;
}

/** @param sent `edit` for what changes a message that is there */
export function* messageDemands(value: unknown, sent: Sent, at = ''): Generator<string> {
  const message = fieldsIn(value);
  if (isEmptyMessage(message, sent)) yield `${at || '/'}: says nothing`;
  yield* mentionDemands(message, at);
  const forbidden = flagsOf(message) & ~FLAGS[sent];
  if (forbidden !== 0) yield `${at}/flags: ${forbidden} is not for ${sent === 'new' ? 'a message' : 'an edit'}`;
  yield* secretDemands(message, sent, at);
}

/** A modal has a field. */
export function* modalDemands(value: unknown, at: string): Generator<string> {
  const parts = listIn(fieldsIn(value).components);
  const fields = parts.flatMap(({ components, component }) => [...listIn(components), fieldsIn(component)]);
  if (fields.every(({ custom_id }) => textIn(custom_id) === '')) yield `${at}: asks for nothing`;
}

/** Names and values of choices differ, in each language: two equal choices can't be told apart. */
function* optionDemands(options: unknown, at: string): Generator<string> {
  for (const [index, option] of listIn(options).entries()) {
    const choices = listIn(option.choices);
    const place = `${at}/${index}/choices`;
    const repeated: string[] = [];
    checkRepeated(choices, (_at, name) => repeated.push(`${place}: ${name} is there twice`));
    yield* repeated;
    for (const value of repeatedIn(choices.map(({ value }) => JSON.stringify(value)))) {
      yield `${place}: the value ${value} is there twice`;
    }
  }
}

export function* commandDemands(value: unknown): Generator<string> {
  for (const [index, command] of listIn(value).entries()) {
    yield* optionDemands(command.options, `/${index}/options`);
  }
}
