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
    ['one command twice', checkCommands([command(), command()]), '/1: Application command names must be unique'],
    [
      'one command twice in a language',
      checkCommands([command(), command({ name: 'give' })]),
      '/1: Application command names must be unique',
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
      'a language of a name that there is none of',
      checkCommands([command({ name_localizations: { xx: 'a' } })]),
      `/0/name_localizations/xx: ${NO_LANGUAGE}`,
    ],
    [
      'a language of a choice that there is none of',
      checkCommands(withOption({ choices: [{ name: 'a', value: 'b', name_localizations: { xx: 'a' } }] })),
      `/0/options/0/choices/0/name_localizations/xx: ${NO_LANGUAGE}`,
    ],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toContain(expected);
  });
});
