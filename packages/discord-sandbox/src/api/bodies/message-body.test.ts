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
const v2 = (...components: object[]) => ({ flags: 32_768, components });
const display = (content: string) => ({ type: 10, content });

// Each limit from both sides: what is just taken, what no longer is, and what is said of that.
test.each<[string, unknown, unknown, string]>([
  [
    'a content',
    { content: long(2000) },
    { content: long(2001) },
    'content[BASE_TYPE_MAX_LENGTH]: Must be 2000 or fewer in length.',
  ],
  [
    'characters, not code units',
    { content: '🗂'.repeat(2000) },
    { content: '🗂'.repeat(2001) },
    'content[BASE_TYPE_MAX_LENGTH]: Must be 2000 or fewer in length.',
  ],
  [
    'a text',
    { content: 'a' },
    { content: ['a'] },
    'content[STRING_TYPE_CONVERT]: Could not interpret "["a"]" as string.',
  ],
  [
    'embeds',
    { embeds: times(10, () => ({ title: 't' })) },
    { embeds: times(11, () => ({ title: 't' })) },
    'embeds[BASE_TYPE_MAX_LENGTH]: Must be 10 or fewer in length.',
  ],
  [
    'an embed with something in it',
    embed({}),
    { embeds: [{}] },
    'embeds.0.description[BASE_TYPE_REQUIRED]: This field is required',
  ],
  [
    'a title',
    embed({ title: long(256) }),
    embed({ title: long(257) }),
    'embeds.0.title[BASE_TYPE_MAX_LENGTH]: Must be 256 or fewer in length.',
  ],
  [
    'a description',
    embed({ description: long(4096) }),
    embed({ description: long(4097) }),
    'embeds.0.description[BASE_TYPE_MAX_LENGTH]: Must be 4096 or fewer in length.',
  ],
  [
    'a footer',
    embed({ footer: { text: long(2048) } }),
    embed({ footer: { text: long(2049) } }),
    'embeds.0.footer.text[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 2048 in length.',
  ],
  [
    'an author',
    embed({ author: { name: long(256) } }),
    embed({ author: { name: long(257) } }),
    'embeds.0.author.name[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 256 in length.',
  ],
  [
    'fields',
    embed({ fields: times(25, () => ({ name: 'n', value: 'v' })) }),
    embed({ fields: times(26, () => ({ name: 'n', value: 'v' })) }),
    'embeds.0.fields[BASE_TYPE_MAX_LENGTH]: Must be 25 or fewer in length.',
  ],
  [
    "a field's name",
    embed({ fields: [{ name: long(256), value: 'v' }] }),
    embed({ fields: [{ name: long(257), value: 'v' }] }),
    'embeds.0.fields.0.name[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 256 in length.',
  ],
  [
    "a field's value",
    embed({ fields: [{ name: 'n', value: long(1024) }] }),
    embed({ fields: [{ name: 'n', value: long(1025) }] }),
    'embeds.0.fields.0.value[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 1024 in length.',
  ],
  [
    'a value at all',
    embed({ fields: [{ name: 'n', value: 'v' }] }),
    embed({ fields: [{ name: 'n', value: '' }] }),
    'embeds.0.fields.0.value[BASE_TYPE_REQUIRED]: This field is required',
  ],
  [
    'a colour',
    embed({ color: 0xffffff }),
    embed({ color: 0x1000000 }),
    'embeds.0.color[NUMBER_TYPE_MAX]: int value should be less than or equal to 16777215.',
  ],
  [
    'a number',
    embed({ color: 0 }),
    embed({ color: '#fff' }),
    'embeds.0.color[NUMBER_TYPE_COERCE]: Value "#fff" is not int.',
  ],
  [
    'a time',
    embed({ timestamp: '2026-01-01T00:00:00Z' }),
    embed({ timestamp: 'now' }),
    'embeds.0.timestamp[DATE_TIME_TYPE_PARSE]: Could not parse now. Should be ISO8601.',
  ],
  [
    'an address',
    embed({ url: 'https://a.example/b' }),
    embed({ url: 'a.example' }),
    'embeds.0.url[URL_TYPE_INVALID_URL]: Not a well formed URL.',
  ],
  [
    'an address of the web',
    embed({ url: 'http://a.example' }),
    embed({ url: 'ftp://a.example' }),
    `embeds.0.url[URL_TYPE_INVALID_SCHEME]: Scheme "ftp" is not supported. Scheme must be one of ('http', 'https').`,
  ],
  [
    'rows',
    { components: times(5, (at) => row(button({ custom_id: `r${at}` }))) },
    { components: times(6, (at) => row(button({ custom_id: `r${at}` }))) },
    'components[BASE_TYPE_MAX_LENGTH]: Must be 5 or fewer in length.',
  ],
  [
    'buttons in a row',
    inRow(...many(5)),
    inRow(...many(6)),
    'components.0.components[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 5 in length.',
  ],
  [
    'something in a row',
    inRow(button()),
    inRow(),
    'components.0.components[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 5 in length.',
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
    'no text input',
    inRow(select()),
    inRow({ type: 4, custom_id: 'i', style: 1 }),
    'components.0.components.0[UNION_TYPE_CHOICES]: Value of field "type" must be one of (2, 3, 5, 6, 7, 8).',
  ],
  [
    'a label',
    inRow(button({ label: long(80) })),
    inRow(button({ label: long(81) })),
    'components.0.components.0.label[BASE_TYPE_MAX_LENGTH]: Must be 80 or fewer in length.',
  ],
  [
    'a custom_id',
    inRow(button({ custom_id: long(100) })),
    inRow(button({ custom_id: long(101) })),
    'components.0.components.0.custom_id[BASE_TYPE_MAX_LENGTH]: Must be 100 or fewer in length.',
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
    'a style',
    inRow(button({ style: 4 })),
    inRow(button({ style: 7 })),
    'components.0.components.0.style[BASE_TYPE_CHOICES]: Value must be one of {1, 2, 3, 4, 5, 6}.',
  ],
  [
    "a link's address",
    inRow({ type: 2, style: 5, label: 'Go', url: `https://a.example/${long(494)}` }),
    inRow({ type: 2, style: 5, label: 'Go', url: `https://a.example/${long(495)}` }),
    'components.0.components.0.url[BASE_TYPE_MAX_LENGTH]: Must be 512 or fewer in length.',
  ],
  [
    'options',
    inRow(select({ options: times(25, (at) => option(`o${at}`)) })),
    inRow(select({ options: times(26, (at) => option(`o${at}`)) })),
    'components.0.components.0.options[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 25 in length.',
  ],
  [
    "an option's label",
    inRow(select({ options: [option('a', { label: long(100) })] })),
    inRow(select({ options: [option('a', { label: long(101) })] })),
    'components.0.components.0.options.0.label[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 100 in length.',
  ],
  [
    "an option's value",
    inRow(select({ options: [option(long(100))] })),
    inRow(select({ options: [{ label: 'a', value: long(101) }] })),
    'components.0.components.0.options.0.value[BASE_TYPE_BAD_LENGTH]: Must be between 1 and 100 in length.',
  ],
  [
    "an option's description",
    inRow(select({ options: [option('a', { description: long(100) })] })),
    inRow(select({ options: [option('a', { description: long(101) })] })),
    'components.0.components.0.options.0.description[BASE_TYPE_MAX_LENGTH]: Must be 100 or fewer in length.',
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
    'as many options as may be chosen',
    inRow(select({ options: [option('a'), option('b')], max_values: 2 })),
    inRow(select({ options: [option('a')], max_values: 2 })),
    'components.0.components.0.options[BASE_TYPE_BAD_LENGTH]: Must be between 2 and 25 in length.',
  ],
  [
    'a placeholder',
    inRow(select({ placeholder: long(150) })),
    inRow(select({ placeholder: long(151) })),
    'components.0.components.0.placeholder[BASE_TYPE_MAX_LENGTH]: Must be 150 or fewer in length.',
  ],
  [
    'a select by itself',
    inRow(select()),
    inRow(select(), button()),
    'components.0.components.1[COMPONENT_LAYOUT_WIDTH_EXCEEDED]: The specified component exceeds the maximum width',
  ],
  [
    'whom to mention',
    { content: 'a', allowed_mentions: { parse: ['users'], roles: ['1'] } },
    { content: 'a', allowed_mentions: { parse: ['users'], users: ['1'] } },
    'allowed_mentions[MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE]: parse:["users"] and users: [ids...] are mutually exclusive.',
  ],
  [
    'no files',
    { content: 'a', attachments: [] },
    { content: 'a', attachments: [{ id: 0 }] },
    'attachments.0[ATTACHMENT_NOT_FOUND]: Attachment data not found',
  ],
  [
    'components v2 with their flag',
    v2(display('a')),
    { components: [display('a')] },
    'components.0[UNION_TYPE_CHOICES]: Value of field "type" must be one of (1,).',
  ],
  [
    'no content beside components v2',
    v2(display('a')),
    { ...v2(display('a')), content: 'a' },
    "content[MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2]: The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
  ],
  [
    '40 components in all',
    v2({ type: 17, components: times(39, () => display('a')) }),
    v2({ type: 17, components: times(40, () => display('a')) }),
    'components[COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED]: Total number of components cannot exceed 40',
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

test('a message of components v2 stays one', () => {
  const edited = { content: '', embeds: [], components: [display('a')], flags: 32_768 } as unknown as StoredMessage;
  expect(faultsOf(() => readEdit({ components: [display('b')] }, edited))).toEqual([]);
  expect(faultsOf(() => readEdit({ content: 'b' }, edited))).toEqual([
    expect.stringContaining('content[MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2]'),
  ]);
  expect(faultsOf(() => readEdit({ flags: 0 }, edited))).toEqual([
    expect.stringContaining('flags[MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG]'),
  ]);
  const classic = { content: 'a', embeds: [], components: [], flags: 0 } as unknown as StoredMessage;
  expect(readEdit(v2(display('b')), classic)).toMatchObject({ content: '', embeds: [], flags: 32_768 });
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
