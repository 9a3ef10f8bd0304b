import { describe, expect, test } from 'vitest';
import { checkCommands } from '../check.ts';
import { command, option, withOption } from '../test-messages.ts';

const LANGUAGES = (
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja ' +
  'zh-TW ko'
).split(' ');
const NO_LANGUAGE = `Value must be one of {${LANGUAGES.map((one) => `'${one}'`).join(', ')}}.`;

type Case = readonly [name: string, problems: readonly string[], expected: string];

describe('by the rules in words is caught:', () => {
  test.each<Case>([
    ['commands that are no list', checkCommands({}), '/: must be array'],
    ['capitals in a name', checkCommands([command({ name: 'Share' })]), '/0/name: Command name is invalid'],
    ['a space in a name', checkCommands([command({ name: 'share it' })]), '/0/name: Command name is invalid'],
    [
      'capitals in a translation',
      checkCommands([command({ name_localizations: { de: 'Teilen' } })]),
      '/0/name_localizations/de: Command name is invalid',
    ],
    [
      'a language that there is none of',
      checkCommands([command({ description_localizations: { es: 'x' } })]),
      `/0/description_localizations/es: ${NO_LANGUAGE}`,
    ],
    [
      'capitals in the name of an option',
      checkCommands(withOption({ name: 'Folder' })),
      '/0/options/0/name: Command name is invalid',
    ],
    [
      'required after optional',
      checkCommands([command({ options: [option(), option({ name: 'b', required: true })] })]),
      '/0/options/1: Required options must be placed before non-required options',
    ],
    ['one command twice', checkCommands([command(), command()]), '/1: Application command names must be unique'],
    [
      'one command twice in a language',
      checkCommands([command(), command({ name: 'give' })]),
      '/1: Application command names must be unique',
    ],
    [
      'one option twice',
      checkCommands([command({ options: [option(), option()] })]),
      '/0/options/1: Option name folder is already used in these options',
    ],
    [
      'one choice twice',
      checkCommands(
        withOption({
          choices: [
            { name: 'a', value: 'b' },
            { name: 'a', value: 'c' },
          ],
        }),
      ),
      '/0/options/0/choices: a is there twice',
    ],
    [
      'one value twice',
      checkCommands(
        withOption({
          choices: [
            { name: 'a', value: 'b' },
            { name: 'c', value: 'b' },
          ],
        }),
      ),
      '/0/options/0/choices: the value "b" is there twice',
    ],
    [
      'choices beside autocomplete',
      checkCommands(withOption({ autocomplete: true, choices: [{ name: 'a', value: 'b' }] })),
      '/0/options/0/autocomplete: Autocomplete and choices are mutually exclusive',
    ],
    [
      'a least above the most',
      checkCommands(withOption({ type: 4, min_value: 2, max_value: 1 })),
      '/0/options/0/min_value: int value should be less than or equal to 1.',
    ],
    [
      'options beside a subcommand',
      checkCommands([command({ options: [option({ type: 1 }), option({ name: 'b' })] })]),
      '/0/options/1: Value of field "type" must be one of (1, 2).',
    ],
    ['no description', checkCommands([command({ description: undefined })]), '/0/description: This field is required'],
    [
      'more than 8,000 in one command',
      checkCommands([
        command({
          options: Array.from({ length: 25 }, (_, n) =>
            option({
              name: `n${n}`,
              choices: Array.from({ length: 4 }, (_, m) => ({ name: `${m}`.repeat(80), value: `${m}` })),
            }),
          ),
        }),
      ]),
      '/0: Command exceeds maximum size (8000)',
    ],
    [
      'one context twice',
      checkCommands([command({ contexts: [0, 0] })]),
      '/0/contexts/1: The set already contains this value',
    ],
    [
      'a language of a name that there is none of',
      checkCommands([command({ name_localizations: { xx: 'a' } })]),
      `/0/name_localizations/xx: ${NO_LANGUAGE}`,
    ],
    [
      'a language of a choice that there is none of',
      checkCommands(withOption({ choices: [{ name: 'a', value: 'b', name_localizations: { xx: 'a' } }] })),
      `/0/options/0/choices/0/name_localizations/xx: ${NO_LANGUAGE}`,
    ],
    [
      'a long value of a choice',
      checkCommands(withOption({ choices: [{ name: 'a', value: 'x'.repeat(101) }] })),
      '/0/options/0/choices/0/value: longer than 100',
    ],
    [
      'capitals below a subcommand',
      checkCommands(withOption({ type: 1, options: [option({ name: 'B' })] })),
      '/0/options/0/options/0/name: Command name is invalid',
    ],
    [
      'a description of what is no slash command',
      checkCommands([{ type: 2, name: 'Share', description: 'x' }]),
      '/0/description: Must be 0 or fewer in length.',
    ],
    [
      'a setting of before',
      checkCommands([command({ dm_permission: true })]),
      '/0: has dm_permission, for which there is contexts',
    ],
    [
      '101 commands',
      checkCommands(Array.from({ length: 101 }, (_, n) => command({ name: `n${n}`, name_localizations: {} }))),
      '/: Must be 100 or fewer in length.',
    ],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toContain(expected);
  });
});
