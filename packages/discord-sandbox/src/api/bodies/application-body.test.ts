import { expect, test } from 'vitest';
import { DiscordError } from '../discord-error.ts';
import { readCommands } from './application-body.ts';

function codesOf(commands: unknown): string[] {
  try {
    readCommands(commands);
    return [];
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    expect([error.statusCode, error.code, error.message]).toEqual([400, 50_035, 'Invalid Form Body']);
    const flat = (node: object, place: string): string[] =>
      Object.entries(node).flatMap(([key, inner]) =>
        key === '_errors'
          ? inner.map(({ code }: { code: string }) => `${place} ${code}`)
          : flat(inner, `${place}/${key}`),
      );
    return flat(error.errors ?? {}, '');
  }
}

const long = (length: number) => 'x'.repeat(length);
const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const command = (more: object = {}) => [{ name: 'upload', description: 'Uploads', ...more }];
const option = (more: object = {}) => ({ type: 3, name: 'folder', description: 'Folder', ...more });
const withOption = (more: object) => command({ options: [option(more)] });
const choice = (name: string, value: unknown = name) => ({ name, value });

test.each<[string, unknown, unknown, string]>([
  ['a name', command({ name: long(32) }), command({ name: long(33) }), '/0/name BASE_TYPE_BAD_LENGTH'],
  ['a name at all', command(), [{ description: 'a' }], '/0/name BASE_TYPE_REQUIRED'],
  [
    'a name in lower case',
    command({ name: 'größe' }),
    command({ name: 'Upload' }),
    '/0/name APPLICATION_COMMAND_INVALID_NAME',
  ],
  [
    'letters of any script',
    command({ name: 'ファイル-1_a' }),
    command({ name: 'up load' }),
    '/0/name APPLICATION_COMMAND_INVALID_NAME',
  ],
  [
    'marks of Devanagari and Thai',
    command({ name: 'अपलोड' }),
    command({ name: 'up.load' }),
    '/0/name APPLICATION_COMMAND_INVALID_NAME',
  ],
  [
    'a description',
    command({ description: long(100) }),
    command({ description: long(101) }),
    '/0/description BASE_TYPE_BAD_LENGTH',
  ],
  [
    'a description at all',
    command({ description: 'a' }),
    command({ description: '' }),
    '/0/description BASE_TYPE_REQUIRED',
  ],
  [
    'options',
    command({ options: times(25, (at) => option({ name: `o${at}` })) }),
    command({ options: times(26, (at) => option({ name: `o${at}` })) }),
    '/0/options BASE_TYPE_MAX_LENGTH',
  ],
  [
    "an option's name",
    withOption({ name: 'with-whom' }),
    withOption({ name: 'With' }),
    '/0/options/0/name APPLICATION_COMMAND_INVALID_NAME',
  ],
  [
    "an option's description",
    withOption({ description: long(100) }),
    withOption({ description: long(101) }),
    '/0/options/0/description BASE_TYPE_BAD_LENGTH',
  ],
  ['types', withOption({ type: 11 }), withOption({ type: 12 }), '/0/options/0 UNION_TYPE_CHOICES'],
  [
    'required options first',
    command({ options: [option({ required: true }), option({ name: 'b' })] }),
    command({ options: [option(), option({ name: 'b', required: true })] }),
    '/0/options/1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
  ],
  [
    'different options',
    command({ options: [option(), option({ name: 'b' })] }),
    command({ options: [option(), option()] }),
    '/0/options/1 APPLICATION_COMMAND_OPTIONS_NAME_INVALID',
  ],
  [
    'choices',
    withOption({ choices: times(25, (at) => choice(`c${at}`)) }),
    withOption({ choices: times(26, (at) => choice(`c${at}`)) }),
    '/0/options/0/choices BASE_TYPE_MAX_LENGTH',
  ],
  [
    "a choice's name",
    withOption({ choices: [choice(long(100), 'v')] }),
    withOption({ choices: [choice(long(101), 'v')] }),
    '/0/options/0/choices/0/name BASE_TYPE_BAD_LENGTH',
  ],
  [
    "a choice's value",
    withOption({ choices: [choice('n', long(100))] }),
    withOption({ choices: [choice('n', long(101))] }),
    '/0/options/0/choices/0/value BASE_TYPE_BAD_LENGTH',
  ],
  [
    'values of the right type',
    withOption({ type: 4, choices: [choice('n', 1)] }),
    withOption({ type: 4, choices: [choice('n', '1')] }),
    '/0/options/0/choices/0/value NUMBER_TYPE_COERCE',
  ],
  [
    'either choices or suggestions',
    withOption({ autocomplete: true, choices: [] }),
    withOption({ autocomplete: true, choices: [choice('a')] }),
    '/0/options/0/autocomplete APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_CHOICES_EXCLUSIVE',
  ],
  [
    'lengths',
    withOption({ min_length: 0, max_length: 6000 }),
    withOption({ max_length: 6001 }),
    '/0/options/0/max_length NUMBER_TYPE_MAX',
  ],
  [
    'some length',
    withOption({ max_length: 1 }),
    withOption({ max_length: 0 }),
    '/0/options/0/max_length NUMBER_TYPE_MIN',
  ],
  [
    'lengths in order',
    withOption({ min_length: 5, max_length: 5 }),
    withOption({ min_length: 6, max_length: 5 }),
    '/0/options/0/min_length NUMBER_TYPE_MAX',
  ],
  [
    'values in order',
    withOption({ type: 4, min_value: 1, max_value: 1 }),
    withOption({ type: 4, min_value: 2, max_value: 1 }),
    '/0/options/0/min_value NUMBER_TYPE_MAX',
  ],
  [
    'whole numbers',
    withOption({ type: 4, min_value: 1 }),
    withOption({ type: 4, min_value: 1.5 }),
    '/0/options/0/min_value NUMBER_TYPE_COERCE',
  ],
  [
    'languages of Discord',
    command({ name_localizations: { de: 'hochladen', 'es-419': 'subir' } }),
    command({ name_localizations: { 'de-DE': 'hochladen' } }),
    '/0/name_localizations/de-DE BASE_TYPE_CHOICES',
  ],
  [
    'names by the same rules in each',
    command({ name_localizations: { de: 'größe' } }),
    command({ name_localizations: { de: 'Größe' } }),
    '/0/name_localizations/de APPLICATION_COMMAND_INVALID_NAME',
  ],
  ['contexts', command({ contexts: [0, 1, 2] }), command({ contexts: [3] }), '/0/contexts/0 BASE_TYPE_CHOICES'],
  [
    'integration types',
    command({ integration_types: [0, 1] }),
    command({ integration_types: [] }),
    '/0/integration_types BASE_TYPE_BAD_LENGTH',
  ],
  [
    'different commands',
    [...command(), ...command({ name: 'list' })],
    [...command(), ...command()],
    '/1 APPLICATION_COMMANDS_DUPLICATE_NAME',
  ],
  [
    '100 commands',
    times(100, (at) => command({ name: `c${at}` })[0]),
    times(101, (at) => command({ name: `c${at}` })[0]),
    ' BASE_TYPE_MAX_LENGTH',
  ],
  ['a list', [], {}, ' LIST_TYPE_CONVERT'],
])('a list of commands takes %s', (_what, sound, wrong, code) => {
  expect(codesOf(sound)).toEqual([]);
  expect(codesOf(wrong)).toEqual([code]);
});

test('a command has 8,000 characters, in its longest language', () => {
  const choices = (size: number) => times(20, (at) => choice(String(at).padEnd(100, 'x'), long(size)));
  const options = [0, 1].map((at) => option({ name: `o${at}`, description: long(50), choices: choices(96) }));
  // upload + Uploads (13) + 2 × (o0 + 50 + 20 × 196) = 7,957
  expect(codesOf(command({ options }))).toEqual([]);
  const description_localizations = { de: long(50), fr: long(20) };
  expect(codesOf(command({ options, description_localizations }))).toEqual([]);
  expect(codesOf(command({ options, description_localizations: { de: long(51) } }))).toEqual([
    '/0 APPLICATION_COMMAND_TOO_LARGE',
  ]);
});

test('subcommands and groups nest two deep, and parameters do not stand beside them', () => {
  const sub = { type: 1, name: 'sub', description: 'd', options: [option()] };
  const group = { type: 2, name: 'group', description: 'd', options: [sub] };
  expect(codesOf(command({ options: [sub, group] }))).toEqual([]);
  expect(codesOf(command({ options: [sub, option()] }))).toEqual(['/0/options/1 UNION_TYPE_CHOICES']);
  const deep = { ...group, options: [group] };
  expect(codesOf(command({ options: [deep] }))).toEqual(['/0/options/0/options/0 UNION_TYPE_CHOICES']);
});

test('a command of a context menu is called as people write, and says nothing of itself', () => {
  expect(codesOf([{ type: 2, name: 'Share With' }])).toEqual([]);
  expect(codesOf([{ type: 3, name: 'Save', description: 'd' }])).toEqual(['/0/description BASE_TYPE_MAX_LENGTH']);
});
