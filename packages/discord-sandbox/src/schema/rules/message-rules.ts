import { bySchema } from '../by-schema.ts';
import { all, fault, inside, type Rule, requiredFault } from '../faults.ts';
import { type Fields, fieldsIn, lengthOf, listIn, textIn } from '../json.ts';
import { componentsRule } from './component-rules.ts';

/** What Discord demands of a message and says in words only. */

const MAX_CHARACTERS = 6000;

function textsOf({ title, description, footer, author, fields }: Fields): readonly string[] {
  const inFields = listIn(fields).flatMap(({ name, value }) => [name, value]);
  return [title, description, fieldsIn(footer).text, fieldsIn(author).name, ...inFields].map(textIn);
}

/** Cards of one message: 6,000 characters in all of them together. One that shows nothing lacks a description. */
const embedsRule: Rule = (value, spot) => {
  const embeds = listIn(value);
  for (const [at, embed] of embeds.entries()) {
    const hasPicture = [embed.image, embed.thumbnail].some((picture) => fieldsIn(picture).url);
    const isEmpty = !hasPicture && textsOf(embed).every((text) => text.trim() === '');
    if (isEmpty) requiredFault(inside(spot, at, 'description'));
  }
  const characters = embeds.flatMap(textsOf).reduce((sum, text) => sum + lengthOf(text), 0);
  if (characters <= MAX_CHARACTERS) return;
  fault(spot, 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${MAX_CHARACTERS}`);
};

/** A message by the rules in words alone. */
export const messageInWords: Rule = (value, spot) => {
  const { embeds, components } = fieldsIn(value);
  embedsRule(embeds, inside(spot, 'embeds'));
  componentsRule(components, inside(spot, 'components'));
};

/** A message, or what changes one. */
export const messageRules = {
  new: all(messageInWords, bySchema('IncomingWebhookInteractionRequest')),
  edit: all(messageInWords, bySchema('IncomingWebhookUpdateRequestPartial')),
};

/** What a message is sent as. */
export type Sent = keyof typeof messageRules;
