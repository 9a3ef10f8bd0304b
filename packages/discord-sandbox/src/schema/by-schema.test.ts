import { expect, test } from 'vitest';
import { bySchema } from './by-schema.ts';
import { linesBy } from './faults.ts';

const lines = (name: string, value: unknown) => linesBy(bySchema(name), value);
const option = (more: object) => ({ name: 'n', description: 'd', ...more });

test.each<[string, string, unknown, string[]]>([
  ['what is missing', 'RichEmbedField', { name: 'n' }, ['/value: This field is required']],
  ['null, which is nothing', 'RichEmbedField', { name: null, value: 'v' }, ['/name: This field is required']],
  ['an empty text', 'RichEmbedField', { name: '', value: 'v' }, ['/name: This field is required']],
  ['no text', 'RichEmbed', { title: 1 }, ['/title: Could not interpret "1" as string.']],
  ['no number', 'RichEmbed', { color: 'red' }, ['/color: Value "red" is not int.']],
  ['no whole number', 'RichEmbed', { color: 1.5 }, ['/color: Value "1.5" is not int.']],
  [
    'no number, where fractions are numbers',
    'ApplicationCommandOptionNumberChoice',
    { name: 'n', value: 'one' },
    ['/value: Value "one" is not float.'],
  ],
  [
    'neither true nor false',
    'RichEmbedField',
    { name: 'n', value: 'v', inline: 1 },
    ['/inline: Must be either true or false.'],
  ],
  ['no list', 'RichEmbed', { fields: {} }, ['/fields: Only iterables may be used in a ListType']],
  ['no object', 'RichEmbed', { footer: [] }, ['/footer: Expected an object/dictionary.']],
  ['no object at all', 'RichEmbed', 'card', ['/: Expected an object/dictionary.']],
  ['no id', 'MessageAllowedMentionsRequest', { users: ['me'] }, ['/users/0: Value "me" is not snowflake.']],
  ['too small', 'RichEmbed', { color: -1 }, ['/color: int value should be greater than or equal to 0.']],
  [
    'a type that is none of several',
    'SectionComponentForMessageRequest',
    { type: 9, components: [{ type: 10, content: 'c' }], accessory: { type: 99, content: 1 } },
    ['/accessory: Value of field "type" must be one of (2, 11).'],
  ],
  [
    'a type that is not the only one',
    'ApplicationCommandSubcommandGroupOption',
    option({ type: 2, options: [option({ type: 3, name: 1 })] }),
    ['/options/0: Value of field "type" must be one of (1,).'],
  ],
  [
    'several faults, each at its place',
    'RichEmbed',
    { title: 'x'.repeat(257), fields: [{ name: 'n', value: 'v' }, { name: 'n' }] },
    ['/title: Must be 256 or fewer in length.', '/fields/1/value: This field is required'],
  ],
])('%s is told in the words of Discord', (_what, schema, value, told) => {
  expect(lines(schema, value)).toEqual(told);
});

test('what Discord ignores is no fault: keys that it does not know, and null for what may be left out', () => {
  expect(lines('RichEmbed', { title: null, colour: 'red', fields: [{ name: 'n', value: 'v', inline: null }] })).toEqual(
    [],
  );
});

test('fractions are numbers where Discord takes them', () => {
  expect(lines('ApplicationCommandOptionNumberChoice', { name: 'n', value: 1.5 })).toEqual([]);
});
