import { componentProblems, isOfNewKind } from './component-rules.ts';
import { type Fields, fieldsIn, isGiven, lengthOf, listIn, numberIn, repeatedIn, textIn } from './json.ts';

/** What Discord demands of a message and says in words only, and what this project demands of its own messages. */

export const EPHEMERAL = 1 << 6;
const SUPPRESS_EMBEDS = 1 << 2;
const COMPONENTS_V2 = 1 << 15;
const SUPPRESS_NOTIFICATIONS = 1 << 12;
const MAX_EMBED_CHARACTERS = 6000;
const MAX_ROWS = 5;

/** What a message is sent as: that decides which flags it may have, and whether it may leave things as they are. */
export type Sent = 'new' | 'edit';

const FLAGS = {
  new: EPHEMERAL | SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS | COMPONENTS_V2,
  // Who sees a message was settled when it was sent.
  edit: SUPPRESS_EMBEDS | COMPONENTS_V2,
} as const;

export const flagsOf = (message: Fields): number => numberIn(message.flags) ?? 0;

const embedText = (embed: Fields): string =>
  [
    embed.title,
    embed.description,
    fieldsIn(embed.footer).text,
    fieldsIn(embed.author).name,
    ...listIn(embed.fields).flatMap(({ name, value }) => [name, value]),
  ]
    .map(textIn)
    .join('');

function* embedProblems(embed: Fields, at: string): Generator<string> {
  const pictures = [embed.image, embed.thumbnail].map((picture) => textIn(fieldsIn(picture).url));
  if (embedText(embed).trim() === '' && pictures.join('') === '') yield `${at}: shows nothing`;
  for (const [index, field] of listIn(embed.fields).entries()) {
    for (const key of ['name', 'value']) {
      if (textIn(field[key]).trim() === '') yield `${at}/fields/${index}/${key}: is empty`;
    }
  }
  const addresses = [embed.url, fieldsIn(embed.author).url, fieldsIn(embed.author).icon_url, ...pictures];
  for (const address of [...addresses, fieldsIn(embed.footer).icon_url].map(textIn)) {
    if (address && !/^(https?|attachment):/i.test(address))
      yield `${at}: ${address} is no address of a page or a picture`;
  }
  // What an application cannot set: Discord makes it of links.
  for (const key of ['provider', 'video']) if (isGiven(embed[key])) yield `${at}: an application sets no ${key}`;
  if (isGiven(embed.type) && embed.type !== 'rich') yield `${at}/type: must be "rich"`;
}

function* mentionProblems(message: Fields, at: string): Generator<string> {
  const mentions = fieldsIn(message.allowed_mentions);
  const pinged = ['parse', 'users', 'roles'].filter((key) => Array.isArray(mentions[key]) && mentions[key].length > 0);
  for (const key of pinged) yield `${at}/allowed_mentions/${key}: somebody would be pinged`;
  if (mentions.replied_user === true) yield `${at}/allowed_mentions/replied_user: somebody would be pinged`;
  if (!Array.isArray(mentions.parse))
    yield `${at || '/'}: lacks allowed_mentions with an empty parse, so words may ping`;
}

function* flagProblems(message: Fields, sent: Sent, at: string): Generator<string> {
  const forbidden = flagsOf(message) & ~FLAGS[sent];
  if (forbidden !== 0) yield `${at}/flags: ${forbidden} is not for ${sent === 'new' ? 'a message' : 'an edit'}`;
  const components = listIn(message.components);
  const isV2 = (flagsOf(message) & COMPONENTS_V2) !== 0;
  if (!isV2 && components.some(isOfNewKind)) yield `${at}/components: of a kind that needs the flag ${COMPONENTS_V2}`;
  if (!isV2 && components.length > MAX_ROWS) yield `${at}/components: more than ${MAX_ROWS}`;
  for (const key of ['content', 'embeds', 'poll', 'stickers']) {
    const value = message[key];
    const isEmpty = !isGiven(value) || value === '' || (Array.isArray(value) && value.length === 0);
    if (isV2 && !isEmpty) yield `${at}/${key}: is not for a message with the flag ${COMPONENTS_V2}`;
  }
}

const PARTS = ['content', 'embeds', 'components', 'attachments', 'poll'] as const;

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
function* secretProblems(message: Fields, sent: Sent, at: string): Generator<string> {
  if (sent === 'edit' || (flagsOf(message) & EPHEMERAL) !== 0) return;
  const [address] = /https?:\/\/[^\s"\\)>]*#\w/.exec(JSON.stringify(message)) ?? [];
  if (address !== undefined) yield `${at || '/'}: everybody sees an address with a secret after its #`;
}

/** @param sent `edit` for what changes a message that is there */
export function* messageProblems(value: unknown, sent: Sent, at = ''): Generator<string> {
  const message = fieldsIn(value);
  const embeds = listIn(message.embeds);
  if (isEmptyMessage(message, sent)) yield `${at || '/'}: says nothing`;
  for (const [index, embed] of embeds.entries()) yield* embedProblems(embed, `${at}/embeds/${index}`);
  if (lengthOf(embeds.map(embedText).join('')) > MAX_EMBED_CHARACTERS) {
    yield `${at}/embeds: longer than ${MAX_EMBED_CHARACTERS} in all`;
  }
  yield* mentionProblems(message, at);
  yield* flagProblems(message, sent, at);
  yield* secretProblems(message, sent, at);
  yield* componentProblems(listIn(message.components), `${at}/components`);
}

/** A modal's parts. */
export function* modalProblems(value: unknown, at: string): Generator<string> {
  const components = listIn(fieldsIn(value).components);
  if (components.length > MAX_ROWS) yield `${at}/components: more than ${MAX_ROWS}`;
  const fields: Fields[] = [];
  for (const [index, component] of components.entries()) {
    const place = `${at}/components/${index}`;
    const row = listIn(component.components);
    if (row.length > 1) yield `${place}/components: more than 1`;
    for (const field of row) if (textIn(field.label) === '') yield `${place}: a field in a row lacks its label`;
    const labelled = fieldsIn(component.component);
    if (isGiven(labelled.label)) yield `${place}/component: has a label in a label`;
    fields.push(...row, labelled);
    for (const field of [...row, labelled]) yield* inputProblems(field, place);
  }
  const ids = fields.map(({ custom_id }) => textIn(custom_id)).filter((id) => id !== '');
  for (const id of repeatedIn(ids)) yield `${at}: the custom_id ${id} is there twice`;
  if (ids.length === 0) yield `${at}: asks for nothing`;
}

function* inputProblems(field: Fields, at: string): Generator<string> {
  const [least, most] = [numberIn(field.min_length) ?? 0, numberIn(field.max_length) ?? 4000];
  if (least > most) yield `${at}: min_length is above max_length`;
  const length = lengthOf(textIn(field.value));
  if (length > 0 && (length < least || length > most)) yield `${at}: its own value would not be accepted`;
}
