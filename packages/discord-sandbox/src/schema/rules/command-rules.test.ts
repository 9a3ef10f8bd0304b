import { describe, expect, test } from 'vitest';
import { checkCommands } from './check.ts';
import { command, option, withOption } from './test-messages.ts';

type Case = readonly [name: string, problems: readonly string[], expected: string];

describe('by the rules in words is caught:', () => {
  test.each<Case>([
    ['commands that are no list', checkCommands({}), '/: must be array'],
    ['capitals in a name', checkCommands([command({ name: 'Share' })]), '/0/name: "Share" has capitals'],
    [
      'a space in a name',
      checkCommands([command({ name: 'share it' })]),
      '/0/name: "share it" is no name of a command or an option',
    ],
    [
      'capitals in a translation',
      checkCommands([command({ name_localizations: { de: 'Teilen' } })]),
      '/0/name_localizations/de: "Teilen" has capitals',
    ],
    [
      'a language that there is none of',
      checkCommands([command({ description_localizations: { es: 'x' } })]),
      '/0/description_localizations/es: is no language of Discord',
    ],
    [
      'capitals in the name of an option',
      checkCommands(withOption({ name: 'Folder' })),
      '/0/options/0/name: "Folder" has capitals',
    ],
    [
      'required after optional',
      checkCommands([command({ options: [option(), option({ name: 'b', required: true })] })]),
      '/0/options/1: is required but comes after an optional one',
    ],
    ['one command twice', checkCommands([command(), command()]), '/: share is there twice'],
    [
      'one command twice in a language',
      checkCommands([command(), command({ name: 'give' })]),
      '/: teilen is there twice in de',
    ],
    [
      'one option twice',
      checkCommands([command({ options: [option(), option()] })]),
      '/0/options: folder is there twice',
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
      '/0/options/0: has choices beside autocomplete',
    ],
    [
      'a least above the most',
      checkCommands(withOption({ type: 4, min_value: 2, max_value: 1 })),
      '/0/options/0: min_value is above max_value',
    ],
    [
      'options beside a subcommand',
      checkCommands([command({ options: [option({ type: 1 }), option({ name: 'b' })] })]),
      '/0/options: has options beside subcommands',
    ],
    ['no description', checkCommands([command({ description: undefined })]), '/0: lacks description'],
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
      '/0: its texts are longer than 8000 in all',
    ],
    ['one context twice', checkCommands([command({ contexts: [0, 0] })]), '/0/contexts: 0 is there twice'],
    [
      'a language of a name that there is none of',
      checkCommands([command({ name_localizations: { xx: 'a' } })]),
      '/0/name_localizations/xx: is no language of Discord',
    ],
    [
      'a language of a choice that there is none of',
      checkCommands(withOption({ choices: [{ name: 'a', value: 'b', name_localizations: { xx: 'a' } }] })),
      '/0/options/0/choices/0/name_localizations/xx: is no language of Discord',
    ],
    [
      'a long value of a choice',
      checkCommands(withOption({ choices: [{ name: 'a', value: 'x'.repeat(101) }] })),
      '/0/options/0/choices/0/value: longer than 100',
    ],
    [
      'capitals below a subcommand',
      checkCommands(withOption({ type: 1, options: [option({ name: 'B' })] })),
      '/0/options/0/options/0/name: "B" has capitals',
    ],
    [
      'a description of what is no slash command',
      checkCommands([{ type: 2, name: 'Share', description: 'x' }]),
      '/0: only a slash command has a description',
    ],
    [
      'a setting of before',
      checkCommands([command({ dm_permission: true })]),
      '/0: has dm_permission, for which there is contexts',
    ],
    [
      '101 commands',
      checkCommands(Array.from({ length: 101 }, (_, n) => command({ name: `n${n}`, name_localizations: {} }))),
      '/: more than 100 commands',
    ],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toContain(expected);
  });
});
