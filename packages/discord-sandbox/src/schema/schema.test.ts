import { describe, expect, test } from 'vitest';
import { checkCommands, checkFollowUp, checkInteractionResponse, checkMessageEdit } from './check.ts';
import { problemsBySchema } from './schema.ts';
import {
  button,
  command,
  embed,
  label,
  link,
  menu,
  message,
  modal,
  option,
  reply,
  row,
  withOption,
} from './test-messages.ts';

type Case = readonly [name: string, problems: readonly string[], expected: string];

describe('by the published schema is caught:', () => {
  test.each<Case>([
    ['a key that there is none of', checkInteractionResponse(reply({ embed: {} })), '/data: has no embed'],
    [
      'one deep inside',
      checkFollowUp(message({ components: [row(button({ colour: 1 }))] })),
      '/components/0/components/0: has no colour',
    ],
    [
      'content of more than 2,000',
      checkInteractionResponse(reply({ content: 'x'.repeat(2001) })),
      '/data/content: must NOT have more than 2000 characters',
    ],
    [
      'a title of more than 256',
      checkMessageEdit(message(embed({ title: 'x'.repeat(257) }))),
      '/embeds/0/title: must NOT have more than 256 characters',
    ],
    [
      'eleven cards',
      checkFollowUp(message({ embeds: Array(11).fill({ title: 'x' }) })),
      '/embeds: must NOT have more than 10 items',
    ],
    [
      '26 fields',
      checkFollowUp(message(embed({ fields: Array(26).fill({ name: 'a', value: 'b' }) }))),
      '/embeds/0/fields: must NOT have more than 25 items',
    ],
    [
      'six buttons in a row',
      checkFollowUp(message({ components: [row(...[1, 2, 3, 4, 5, 6].map((n) => button({ custom_id: `${n}` })))] })),
      '/components/0/components: must NOT have more than 5 items',
    ],
    [
      'an empty row',
      checkFollowUp(message({ components: [row()] })),
      '/components/0/components: must NOT have fewer than 1 items',
    ],
    [
      'a style that there is none of',
      checkFollowUp(message({ components: [row(button({ style: 9 }))] })),
      '/components/0/components/0/style: must be one of [1,2,3,4,5,6]',
    ],
    [
      'a kind that there is none of',
      checkFollowUp(message({ components: [row({ type: 99 })] })),
      '/components/0/components/0/type: must be one of [2,3]',
    ],
    [
      'a label of more than 80',
      checkFollowUp(message({ components: [row(button({ label: 'x'.repeat(81) }))] })),
      '/components/0/components/0/label: must NOT have more than 80 characters',
    ],
    [
      'a custom_id of more than 100',
      checkFollowUp(message({ components: [row(button({ custom_id: 'x'.repeat(101) }))] })),
      '/components/0/components/0/custom_id: must NOT have more than 100 characters',
    ],
    [
      '26 options',
      checkFollowUp(
        message({
          components: [row(menu({ options: Array.from({ length: 26 }, (_, n) => ({ label: 'x', value: `${n}` })) }))],
        }),
      ),
      '/components/0/components/0/options: must NOT have more than 25 items',
    ],
    [
      'an address that is none',
      checkFollowUp(message({ components: [row(link({ url: 'nowhere' }))] })),
      '/components/0/components/0/url: must match format "uri"',
    ],
    [
      'a time that is none',
      checkFollowUp(message(embed({ timestamp: 'tomorrow' }))),
      '/embeds/0/timestamp: must match format "date-time"',
    ],
    [
      'a modal without a title',
      checkInteractionResponse({ type: 9, data: { custom_id: 'a', components: [label()] } }),
      "/data: must have required property 'title'",
    ],
    [
      'a long title of a modal',
      checkInteractionResponse({ ...modal(label()), data: { ...modal(label()).data, title: 'x'.repeat(46) } }),
      '/data/title: must NOT have more than 45 characters',
    ],
    [
      '26 choices',
      checkInteractionResponse({ type: 8, data: { choices: Array(26).fill({ name: 'a', value: 'b' }) } }),
      '/data/choices: must NOT have more than 25 items',
    ],
    [
      'a long choice',
      checkInteractionResponse({ type: 8, data: { choices: [{ name: 'x'.repeat(101), value: 'b' }] } }),
      '/data/choices/0/name: must NOT have more than 100 characters',
    ],
    [
      'a long description',
      checkCommands([command({ description: 'x'.repeat(101) })]),
      '/0/description: must NOT have more than 100 characters',
    ],
    ['an unknown key of a command', checkCommands([command({ descripton: 'x' })]), '/0: has no descripton'],
    ['an unknown place of use', checkCommands([command({ contexts: [3] })]), '/0/contexts/0: must be one of [0,1,2]'],
    [
      '26 options of a command',
      checkCommands([command({ options: Array.from({ length: 26 }, (_, n) => option({ name: `n${n}` })) })]),
      '/0/options: must NOT have more than 25 items',
    ],
    [
      'an option of no kind',
      checkCommands(withOption({ type: 12 })),
      '/0/options/0/type: must be one of [11,5,7,4,9,10,8,3,6]',
    ],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toContain(expected);
  });

  test('a name that there is none of is an error of who asks', () => {
    expect(() => problemsBySchema('Nothing', {})).toThrow("Discord's API has no schema Nothing");
  });
});
