import { fault, inside, type Rule, requiredFault, type Spot } from '../faults.ts';
import { type Fields, fieldsIn, lengthOf, listIn, textIn } from '../json.ts';
import { checkScheme } from './url-schemes.ts';

/** What Discord demands of the cards of a message, and says in words only. */

const MAX_CHARACTERS = 6000;
const PAGE = ['http', 'https'];
const PICTURE = [...PAGE, 'attachment'];

function textsOf({ title, description, footer, author, fields }: Fields): readonly string[] {
  const inFields = listIn(fields).flatMap(({ name, value }) => [name, value]);
  return [title, description, fieldsIn(footer).text, fieldsIn(author).name, ...inFields].map(textIn);
}

function checkEmbed(embed: Fields, spot: Spot) {
  const { url, author, footer, fields } = embed;
  checkScheme(url, inside(spot, 'url'), PAGE);
  checkScheme(fieldsIn(author).url, inside(spot, 'author', 'url'), PAGE);
  checkScheme(fieldsIn(author).icon_url, inside(spot, 'author', 'icon_url'), PICTURE);
  checkScheme(fieldsIn(footer).icon_url, inside(spot, 'footer', 'icon_url'), PICTURE);
  const pictures = ['image', 'thumbnail'].map((name) => fieldsIn(embed[name]).url);
  for (const [at, name] of ['image', 'thumbnail'].entries()) {
    checkScheme(pictures[at], inside(spot, name, 'url'), PICTURE);
  }
  for (const [at, field] of listIn(fields).entries()) {
    for (const name of ['name', 'value']) {
      if (typeof field[name] === 'string' && field[name].trim() === '') requiredFault(inside(spot, 'fields', at, name));
    }
  }
  // One that shows nothing lacks a description, in Discord's eyes.
  const isEmpty = textsOf(embed).every((text) => text.trim() === '') && pictures.every((picture) => !picture);
  if (isEmpty) requiredFault(inside(spot, 'description'));
}

/** Cards of one message: 6,000 characters in all of them together. */
export const embedsRule: Rule = (value, spot) => {
  const embeds = listIn(value);
  for (const [at, embed] of embeds.entries()) checkEmbed(embed, inside(spot, at));
  const characters = embeds.flatMap(textsOf).reduce((sum, text) => sum + lengthOf(text), 0);
  if (characters <= MAX_CHARACTERS) return;
  fault(spot, 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${MAX_CHARACTERS}`);
};
