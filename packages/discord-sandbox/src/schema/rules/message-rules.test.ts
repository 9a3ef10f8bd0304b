import { describe, expect, test } from 'vitest';
import { checkFollowUp, checkInteractionResponse, checkMessageEdit } from '../check.ts';
import { button, embed, input, label, link, menu, message, modal, NO_PINGS, reply, row } from '../test-messages.ts';

type Case = readonly [name: string, problems: readonly string[], expected: string];

describe('by the rules in words is caught:', () => {
  test.each<Case>([
    ['an answer of no kind', checkInteractionResponse({ type: 3 }), '/type: is of no answer that the bot gives'],
    ['no answer at all', checkInteractionResponse(null), '/type: is of no answer that the bot gives'],
    [
      'an empty message',
      checkInteractionResponse({ type: 4, data: { content: ' ', allowed_mentions: NO_PINGS } }),
      '/data: says nothing',
    ],
    ['a message without data', checkInteractionResponse({ type: 4 }), '/data: says nothing'],
    [
      'an edit that leaves nothing',
      checkMessageEdit({ content: '', embeds: [], allowed_mentions: NO_PINGS }),
      '/: says nothing',
    ],
    [
      'an empty card',
      checkFollowUp(message({ embeds: [{ color: 1 }] })),
      '/embeds/0/description: This field is required',
    ],
    [
      'an empty field of a card',
      checkFollowUp(message(embed({ fields: [{ name: 'a', value: '' }] }))),
      '/embeds/0/fields/0/value: This field is required',
    ],
    [
      'more than 6,000 in two cards',
      checkFollowUp(message({ embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] })),
      '/embeds: Embed size exceeds maximum size of 6000',
    ],
    [
      'a card that leads nowhere',
      checkFollowUp(message(embed({ url: 'javascript:alert(1)' }))),
      `/embeds/0/url: Scheme "javascript" is not supported. Scheme must be one of ('http', 'https').`,
    ],
    [
      'a card with a video',
      checkFollowUp(message(embed({ video: { url: 'https://a.example' } }))),
      '/embeds/0: an application sets no video',
    ],
    [
      'words that may ping',
      checkFollowUp(message({ allowed_mentions: undefined })),
      '/: lacks allowed_mentions with an empty parse, so words may ping',
    ],
    [
      'a ping of everyone',
      checkFollowUp(message({ allowed_mentions: { parse: ['everyone'] } })),
      '/allowed_mentions/parse: pings people',
    ],
    [
      'a ping of one',
      checkInteractionResponse(reply({ allowed_mentions: { parse: [], users: ['1'] } })),
      '/data/allowed_mentions/users: pings people',
    ],
    ['a private edit', checkMessageEdit(message({ flags: 64 })), '/flags: 64 is not for an edit'],
    ['a flag of a crosspost', checkFollowUp(message({ flags: 2 })), '/flags: 2 is not for a message'],
    [
      'a secret for all',
      checkFollowUp(message({ components: [row(link({ url: 'https://a.example/f/x#grant=y' }))] })),
      '/: everybody sees an address with a secret after its #',
    ],
    [
      'a secret in words for all',
      checkInteractionResponse(reply({ content: 'https://a.example/f/x#k2.abc' })),
      '/data: everybody sees an address with a secret after its #',
    ],
    [
      'a link button without address',
      checkFollowUp(message({ components: [row(link({ url: undefined }))] })),
      '/components/0/components/0/url: A url is required',
    ],
    [
      'a link button with custom_id',
      checkFollowUp(message({ components: [row(link({ custom_id: 'a' }))] })),
      '/components/0/components/0/custom_id: A custom id and url cannot both be specified',
    ],
    [
      'a link button to a script',
      checkFollowUp(message({ components: [row(link({ url: 'javascript:alert(1)' }))] })),
      `/components/0/components/0/url: Scheme "javascript" is not supported. Scheme must be one of ('http', 'https', 'discord').`,
    ],
    [
      'a button without custom_id',
      checkFollowUp(message({ components: [row(button({ custom_id: undefined }))] })),
      '/components/0/components/0/custom_id: A custom id is required',
    ],
    [
      'a button with an address',
      checkFollowUp(message({ components: [row(button({ url: 'https://a.example' }))] })),
      '/components/0/components/0/custom_id: A custom id and url cannot both be specified',
    ],
    [
      'a button without words',
      checkFollowUp(message({ components: [row(button({ label: '' }))] })),
      '/components/0/components/0/label: This field is required',
    ],
    [
      'one custom_id twice',
      checkFollowUp(message({ components: [row(button()), row(button())] })),
      '/components/1/components/0/custom_id: Component custom id cannot be duplicated',
    ],
    [
      'one id twice',
      checkFollowUp(message({ components: [row(button({ id: 7 }), link({ id: 7 }))] })),
      '/components/0/components/1/id: Component id cannot be duplicated',
    ],
    [
      'a menu beside a button',
      checkFollowUp(message({ components: [row(menu(), button())] })),
      '/components/0/components/1: The specified component exceeds the maximum width',
    ],
    [
      'six rows',
      checkFollowUp(message({ components: [1, 2, 3, 4, 5, 6].map((n) => row(button({ custom_id: `${n}` }))) })),
      '/components: Must be 5 or fewer in length.',
    ],
    [
      'one option twice',
      checkFollowUp(
        message({
          components: [
            row(
              menu({
                options: [
                  { label: 'a', value: '1' },
                  { label: 'b', value: '1' },
                ],
              }),
            ),
          ],
        }),
      ),
      '/components/0/components/0/options/1/value: The specified option value is already used',
    ],
    [
      'two chosen where one may be',
      checkFollowUp(
        message({
          components: [
            row(
              menu({
                options: [
                  { label: 'a', value: '1', default: true },
                  { label: 'b', value: '2', default: true },
                ],
              }),
            ),
          ],
        }),
      ),
      '/components/0/components/0/options: The specified number of default values exceeds the specified maximum values',
    ],
    [
      'more to choose than there are',
      checkFollowUp(message({ components: [row(menu({ max_values: 3 }))] })),
      '/components/0/components/0/options: Must be between 3 and 25 in length.',
    ],
    [
      'components of version 2 without their flag',
      checkFollowUp(message({ components: [{ type: 10, content: 'Hi' }] })),
      '/components/0: Value of field "type" must be one of (1,).',
    ],
    [
      'words beside components of version 2',
      checkFollowUp(message({ embeds: [], flags: 32_768 })),
      "/content: The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
    ],
    [
      'a defer with components of version 2',
      checkInteractionResponse({ type: 5, data: { flags: 32_768 } }),
      '/data/flags: 32768 is not for a deferred message',
    ],
    [
      'a defer with words',
      checkInteractionResponse({ type: 5, data: { content: 'Hi' } }),
      '/data: a deferred message has no content',
    ],
    [
      'a deferred update with data',
      checkInteractionResponse({ type: 6, data: message() }),
      '/: a deferred update has no data',
    ],
    ['no choices where a list belongs', checkInteractionResponse({ type: 8, data: {} }), '/data: lacks choices'],
    [
      'a choice of a long value',
      checkInteractionResponse({ type: 8, data: { choices: [{ name: 'a', value: 'x'.repeat(101) }] } }),
      '/data/choices/0/value: longer than 100',
    ],
    [
      'two fields of a row',
      checkInteractionResponse(modal(row(input({ label: 'a' }), input({ label: 'b', custom_id: 'b' })))),
      '/data/components/0/components: more than 1',
    ],
    [
      'a field of a row without label',
      checkInteractionResponse(modal(row(input()))),
      '/data/components/0/components/0/label: This field is required',
    ],
    [
      'a label in a label',
      checkInteractionResponse(modal(label({ component: input({ label: 'a' }) }))),
      '/data/components/0/component/label: A label holds no other label',
    ],
    [
      'one field twice',
      checkInteractionResponse(modal(label(), label())),
      '/data/components/1/component/custom_id: Component custom id cannot be duplicated',
    ],
    [
      'a form that asks for nothing',
      checkInteractionResponse(modal({ type: 10, content: 'Hi' })),
      '/data: asks for nothing',
    ],
    [
      'a filled in value that is too long',
      checkInteractionResponse(modal(label({ component: input({ value: '123', max_length: 2 }) }))),
      '/data/components/0/component/value: Must be between 0 and 2 in length.',
    ],
    [
      'a field of no length',
      checkInteractionResponse(modal(label({ component: input({ min_length: 3, max_length: 2 }) }))),
      '/data/components/0/component/min_length: int value should be less than or equal to 2.',
    ],
    [
      'six fields',
      checkInteractionResponse(
        modal(...[1, 2, 3, 4, 5, 6].map((n) => label({ component: input({ custom_id: `${n}` }) }))),
      ),
      '/data/components: more than 5',
    ],
    ['a card of another type', checkFollowUp(message(embed({ type: 'video' }))), '/embeds/0/type: must be "rich"'],
    [
      'a ping of whom is answered',
      checkFollowUp(message({ allowed_mentions: { parse: [], replied_user: true } })),
      '/allowed_mentions/replied_user: pings people',
    ],
    [
      'a premium button without its product',
      checkFollowUp(message({ components: [row({ type: 2, style: 6 })] })),
      '/components/0/components/0/sku_id: A sku id is required',
    ],
    [
      'a premium button with words',
      checkFollowUp(message({ components: [row({ type: 2, style: 6, sku_id: '1', label: 'Buy' })] })),
      '/components/0/components/0/label: A premium button has no label',
    ],
    [
      'a product of another button',
      checkFollowUp(message({ components: [row(button({ sku_id: '1' }))] })),
      '/components/0/components/0/sku_id: Only a premium button has a sku_id',
    ],
    [
      'a least number above the most',
      checkFollowUp(message({ components: [row(menu({ min_values: 2, max_values: 1 }))] })),
      '/components/0/components/0/min_values: int value should be less than or equal to 1.',
    ],
    [
      'more than 40 parts',
      checkFollowUp({
        components: Array.from({ length: 14 }, (_, n) => row(...[1, 2].map((m) => button({ custom_id: `${n} ${m}` })))),
        flags: 32_768,
        allowed_mentions: NO_PINGS,
      }),
      '/components: Total number of components cannot exceed 40',
    ],
    [
      'a button beside words that goes nowhere',
      checkFollowUp({
        components: [{ type: 9, components: [{ type: 10, content: 'Hi' }], accessory: link({ url: undefined }) }],
        flags: 32_768,
        allowed_mentions: NO_PINGS,
      }),
      '/components/0/accessory/url: A url is required',
    ],
    ['an update of nothing', checkInteractionResponse({ type: 7 }), '/: lacks data'],
    [
      'an update that may ping',
      checkInteractionResponse({ type: 7, data: { content: 'Hi' } }),
      '/data: lacks allowed_mentions with an empty parse, so words may ping',
    ],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toContain(expected);
  });
});
