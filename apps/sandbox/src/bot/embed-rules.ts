import {
  all,
  boolean,
  fault,
  inside,
  integer,
  isObject,
  lengthOf,
  list,
  model,
  objectsIn,
  type Rule,
  requiredFault,
  text,
  time,
  url,
} from './form.ts';

const MAX_EMBEDS = 10;
const MAX_CHARACTERS = 6000;
const MAX_COLOR = 0xffffff;

const picture = model({ required: { url: url({ schemes: ['http', 'https', 'attachment'] }) } });

/** One with nothing in it lacks a description, in Discord's eyes. */
const hasSomething: Rule = (value, spot) => {
  if (!isObject(value)) return;
  const parts = ['title', 'description', 'fields', 'footer', 'author', 'image', 'thumbnail'];
  const isThere = (part: unknown) => (Array.isArray(part) ? part.length > 0 : Boolean(part));
  if (!parts.some((part) => isThere(value[part]))) requiredFault(inside(spot, 'description'));
};

const embed = all(
  model({
    optional: {
      title: text({ max: 256 }),
      description: text({ max: 4096 }),
      url: url(),
      timestamp: time,
      color: integer({ min: 0, max: MAX_COLOR }),
      footer: model({
        required: { text: text({ min: 1, max: 2048 }) },
        optional: { icon_url: url({ schemes: ['http', 'https', 'attachment'] }) },
      }),
      author: model({
        required: { name: text({ min: 1, max: 256 }) },
        optional: { url: url(), icon_url: url({ schemes: ['http', 'https', 'attachment'] }) },
      }),
      image: picture,
      thumbnail: picture,
      fields: list(
        model({
          required: { name: text({ min: 1, max: 256 }), value: text({ min: 1, max: 1024 }) },
          optional: { inline: boolean },
        }),
        { max: 25 },
      ),
    },
  }),
  hasSomething,
);

const sizeOf = (value: unknown) => (typeof value === 'string' ? lengthOf(value) : 0);
const partOf = (value: unknown, name: string) => (isObject(value) ? value[name] : undefined);

function charactersIn({ title, description, fields, footer, author }: Record<string, unknown>): number {
  const inFields = objectsIn(fields).reduce((sum, one) => sum + sizeOf(one.name) + sizeOf(one.value), 0);
  const others = [title, description, partOf(footer, 'text'), partOf(author, 'name')];
  return others.reduce<number>((sum, one) => sum + sizeOf(one), inFields);
}

const fitTogether: Rule = (value, spot) => {
  const characters = objectsIn(value).reduce((sum, one) => sum + charactersIn(one), 0);
  if (characters <= MAX_CHARACTERS) return;
  fault(spot, 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${MAX_CHARACTERS}`);
};

/** Embeds of one message: at most ten, and 6,000 characters in all of them together. */
export const embeds = all(list(embed, { max: MAX_EMBEDS }), fitTogether);
