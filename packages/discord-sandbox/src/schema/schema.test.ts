import { expect, test } from 'vitest';
import { checkCommands, checkFollowUp, checkInteractionResponse, checkMessageEdit } from './check.ts';
import { problemsBySchema } from './schema.ts';
import { button, command, embed, label, link, message, modal, reply, row, withOption } from './test-messages.ts';

const FIRST = '/components/0/components/0';
const buttons = (...components: object[]) => checkFollowUp(message({ components: [row(...components)] }));
const title = (length: number) => checkMessageEdit(message(embed({ title: 'x'.repeat(length) })));
const choices = Array(26).fill({ name: 'a', value: 'b' });

// A case of each kind of rule that the schema has; how many characters each field takes is the schema's own.
test.each([
  ['a key that there is none of', checkInteractionResponse(reply({ embed: {} })), '/data: has no embed'],
  ['one deep inside', buttons(button({ colour: 1 })), `${FIRST}: has no colour`],
  ['a long text', title(257), '/embeds/0/title: must NOT have more than 256 characters'],
  ['an empty row', buttons(), '/components/0/components: must NOT have fewer than 1 items'],
  ['a style of none', buttons(button({ style: 9 })), `${FIRST}/style: must be one of [1,2,3,4,5,6]`],
  ['a kind of none', buttons({ type: 99 }), `${FIRST}/type: must be one of [2,3]`],
  ['no address', buttons(link({ url: 'nowhere' })), `${FIRST}/url: must match format "uri"`],
  [
    'no time',
    checkFollowUp(message(embed({ timestamp: 'tomorrow' }))),
    '/embeds/0/timestamp: must match format "date-time"',
  ],
  [
    'no title',
    checkInteractionResponse({ ...modal(), data: { custom_id: 'a', components: [label()] } }),
    "/data: must have required property 'title'",
  ],
  [
    '26 choices',
    checkInteractionResponse({ type: 8, data: { choices } }),
    '/data/choices: must NOT have more than 25 items',
  ],
  ['an unknown key of a command', checkCommands([command({ descripton: 'x' })]), '/0: has no descripton'],
  ['an option of no kind', checkCommands(withOption({ type: 12 })), '/0/options/0/type: must be one of [3,4,5,6]'],
])('by the published schema is caught: %s', (_name, problems, expected) => {
  expect(problems).toContain(expected);
});

test('a name that there is none of is an error of who asks', () => {
  expect(() => problemsBySchema('Nothing', {})).toThrow("Discord's API has no schema Nothing");
});
