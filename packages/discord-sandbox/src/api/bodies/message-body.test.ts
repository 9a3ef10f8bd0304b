import { expect, test } from 'vitest';
import { DiscordError } from '../discord-error.ts';
import type { Json } from '../test-bot.ts';
import type { StoredMessage } from '../world/messages.ts';
import { readEdit, readNewMessage } from './message-body.ts';

/** The faults as libraries write them: `place[CODE]: text`. */
export function faultsOf(act: () => unknown): string[] {
  try {
    act();
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    return error.errors === undefined ? [`${error.code} ${error.message}`] : flat(error.errors, '');
  }
  return [];
}
const flat = (node: Json, place: string): string[] =>
  Object.entries<Json>(node).flatMap(([key, inner]) =>
    key === '_errors'
      ? inner.map(({ code, message }: Json) => `${place}[${code}]: ${message}`)
      : flat(inner, place === '' ? key : `${place}.${key}`),
  );

const faults = (body: unknown) => faultsOf(() => readNewMessage(body));
const long = (length: number) => 'x'.repeat(length);
const button = (more: object = {}) => ({ type: 2, style: 1, label: 'Go', custom_id: 'go', ...more });
const row = (...components: object[]) => ({ type: 1, components });
const embed = (more: object) => ({ embeds: [{ description: 'd', ...more }] });
const inRow = (...components: object[]) => ({ components: [row(...components)] });
const option = (value: string, more: object = {}) => ({ label: value, value, ...more });
const select = (more: object = {}) => ({ type: 3, custom_id: 's', options: [option('a')], ...more });
const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const many = (count: number) => times(count, (at) => button({ custom_id: `b${at}` }));

// Each limit from both sides: what is just taken, what no longer is, and what is said of that.
test.each<[string, unknown, unknown, string]>([
  [
    'characters, not code units',
    { content: '🗂'.repeat(2000) },
    { content: '🗂'.repeat(2001) },
    'content[BASE_TYPE_MAX_LENGTH]: Must be 2000 or fewer in length.',
  ],
  [
    'an embed with something in it',
    embed({}),
    { embeds: [{}] },
    'embeds.0.description[BASE_TYPE_REQUIRED]: This field is required',
  ],
  [
    'a footer',
    embed({ footer: { text: long(2048) } }),
    embed({ footer: { text: long(2049) } }),
    'embeds.0.footer.text[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 2048 in length.',
  ],
  [
    'a value at all',
    embed({ fields: [{ name: 'n', value: 'v' }] }),
    embed({ fields: [{ name: 'n', value: '' }] }),
    'embeds.0.fields.0.value[BASE_TYPE_REQUIRED]: This field is required',
  ],
  [
    'rows',
    { components: times(5, (at) => row(button({ custom_id: `r${at}` }))) },
    { components: times(6, (at) => row(button({ custom_id: `r${at}` }))) },
    'components[BASE_TYPE_MAX_LENGTH]: Must be 5 or fewer in length.',
  ],
  [
    'types that are numbers',
    inRow(button()),
    { components: [{ type: [1], components: [button()] }] },
    'components.0[UNION_TYPE_CHOICES]: Value of field "type" must be one of (1,).',
  ],
  [
    'rows only',
    inRow(button()),
    { components: [button()] },
    'components.0[UNION_TYPE_CHOICES]: Value of field "type" must be one of (1,).',
  ],
  [
    'a custom_id at all',
    inRow(button()),
    inRow(button({ custom_id: undefined })),
    'components.0.components.0.custom_id[BUTTON_COMPONENT_CUSTOM_ID_REQUIRED]: A custom id is required',
  ],
  [
    'different custom_ids',
    inRow(...many(2)),
    { components: [row(button()), row(button())] },
    'components.1.components.0.custom_id[COMPONENT_CUSTOM_ID_DUPLICATED]: Component custom id cannot be duplicated',
  ],
  [
    'a link with an address',
    inRow({ type: 2, style: 5, label: 'Go', url: 'https://a.example' }),
    inRow({ type: 2, style: 5, label: 'Go' }),
    'components.0.components.0.url[BUTTON_COMPONENT_URL_REQUIRED]: A url is required',
  ],
  [
    'a link without custom_id',
    inRow({ type: 2, style: 5, label: 'Go', url: 'https://a.example' }),
    inRow(button({ style: 5, url: 'https://a.example' })),
    'components.0.components.0.custom_id[BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE]: A custom id and url cannot both be specified',
  ],
  [
    'different values',
    inRow(select({ options: [option('a'), option('b')] })),
    inRow(select({ options: [option('a'), option('a')] })),
    'components.0.components.0.options.1.value[SELECT_COMPONENT_OPTION_VALUE_DUPLICATED]: The specified option value is already used',
  ],
  [
    'one default',
    inRow(select({ options: [option('a', { default: true }), option('b')] })),
    inRow(select({ options: [option('a', { default: true }), option('b', { default: true })] })),
    'components.0.components.0.options[SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES]: The specified number of default values exceeds the specified maximum values',
  ],
  [
    'a select by itself',
    inRow(select()),
    inRow(select(), button()),
    'components.0.components.1[COMPONENT_LAYOUT_WIDTH_EXCEEDED]: The specified component exceeds the maximum width',
  ],
  [
    'no files',
    { content: 'a', attachments: [] },
    { content: 'a', attachments: [{ id: 0 }] },
    'attachments[BASE_TYPE_MAX_LENGTH]: Must be 0 or fewer in length.',
  ],
])('a message takes %s', (_what, sound, wrong, said) => {
  expect(faults(sound)).toEqual([]);
  expect(faults(wrong)).toEqual([said]);
});

test('all embeds together have 6,000 characters, of whatever part', () => {
  const parts = { title: long(256), footer: { text: long(1000) }, author: { name: long(244) } };
  const whole = [{ ...parts, fields: [{ name: long(100), value: long(400) }] }, { description: long(4000) }];
  expect(faults({ embeds: whole })).toEqual([]);
  const said = 'embeds[MAX_EMBED_SIZE_EXCEEDED]: Embed size exceeds maximum size of 6000';
  expect(faults({ embeds: [...whole, { title: 'x' }] })).toEqual([said]);
});

test('a message without anything is refused, also by an edit that would leave nothing', () => {
  const empty = ['50006 Cannot send an empty message'];
  for (const body of [{}, { content: '' }, { content: ' \n' }, { embeds: [], components: [] }]) {
    expect(faults(body)).toEqual(empty);
  }
  const edited = { content: 'a', embeds: [], components: [], flags: 0 } as unknown as StoredMessage;
  expect(faultsOf(() => readEdit({ content: null }, edited))).toEqual(empty);
  expect(faultsOf(() => readEdit({ content: null, embeds: [{ title: 'b' }] }, edited))).toEqual([]);
});

test('every fault is told, each at its place', () => {
  const wrong = { content: long(2001), embeds: [{ title: long(257) }], components: [row(button({ label: long(81) }))] };
  expect(faults(wrong).map((fault) => fault.split('[')[0])).toEqual([
    'content',
    'embeds.0.title',
    'components.0.components.0.label',
  ]);
});

test('components get ids of their own, but for those that have one', () => {
  const { components } = readNewMessage(inRow(button({ id: 2 }), button({ custom_id: 'b' })));
  expect(components).toMatchObject([{ id: 1, components: [{ id: 2 }, { id: 3 }] }]);
});

test('a select says how many may be chosen, whether it was told or not', () => {
  const options = [
    { label: 'A', value: 'a' },
    { label: 'B', value: 'b' },
  ];
  const told = { type: 3, custom_id: 'c', options };
  expect(readNewMessage(inRow(told)).components).toMatchObject([{ components: [{ min_values: 1, max_values: 1 }] }]);
  const more = { ...told, min_values: 0, max_values: 2 };
  expect(readNewMessage(inRow(more)).components).toMatchObject([{ components: [{ min_values: 0, max_values: 2 }] }]);
});
