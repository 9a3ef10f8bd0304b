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
    "an option's name",
    withOption({ name: 'with-whom' }),
    withOption({ name: 'With' }),
    '/0/options/0/name APPLICATION_COMMAND_INVALID_NAME',
  ],
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
    "a choice's value",
    withOption({ choices: [choice('n', long(100))] }),
    withOption({ choices: [choice('n', long(101))] }),
    '/0/options/0/choices/0/value BASE_TYPE_BAD_LENGTH',
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
  [
    'different commands',
    [...command(), ...command({ name: 'list' })],
    [...command(), ...command()],
    '/1 APPLICATION_COMMANDS_DUPLICATE_NAME',
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
