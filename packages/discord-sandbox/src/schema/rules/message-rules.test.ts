import { describe, expect, test } from 'vitest';
import { checkFollowUp, checkInteractionResponse, checkMessageEdit } from './check.ts';
import { button, embed, input, label, link, menu, message, modal, NO_PINGS, reply, row } from './test-messages.ts';

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
    ['an empty card', checkFollowUp(message({ embeds: [{ color: 1 }] })), '/embeds/0: shows nothing'],
    [
      'an empty field of a card',
      checkFollowUp(message(embed({ fields: [{ name: 'a', value: '' }] }))),
      '/embeds/0/fields/0/value: is empty',
    ],
    [
      'more than 6,000 in two cards',
      checkFollowUp(message({ embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] })),
      '/embeds: longer than 6000 in all',
    ],
    [
      'a card that leads nowhere',
      checkFollowUp(message(embed({ url: 'javascript:alert(1)' }))),
      '/embeds/0: javascript:alert(1) is no address of a page or a picture',
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
      '/allowed_mentions/parse: somebody would be pinged',
    ],
    [
      'a ping of one',
      checkInteractionResponse(reply({ allowed_mentions: { parse: [], users: ['1'] } })),
      '/data/allowed_mentions/users: somebody would be pinged',
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
      '/components/0/components/0: a link button lacks its url',
    ],
    [
      'a link button with custom_id',
      checkFollowUp(message({ components: [row(link({ custom_id: 'a' }))] })),
      '/components/0/components/0: a link button has a custom_id',
    ],
    [
      'a link button to a script',
      checkFollowUp(message({ components: [row(link({ url: 'javascript:alert(1)' }))] })),
      '/components/0/components/0/url: is no address of a page',
    ],
    [
      'a button without custom_id',
      checkFollowUp(message({ components: [row(button({ custom_id: undefined }))] })),
      '/components/0/components/0: a button lacks its custom_id',
    ],
    [
      'a button with an address',
      checkFollowUp(message({ components: [row(button({ url: 'https://a.example' }))] })),
      '/components/0/components/0: only a link button has a url',
    ],
    [
      'a button without words',
      checkFollowUp(message({ components: [row(button({ label: '' }))] })),
      '/components/0/components/0: a button shows nothing',
    ],
    [
      'one custom_id twice',
      checkFollowUp(message({ components: [row(button()), row(button())] })),
      '/components: the custom_id share:open:1 is there twice',
    ],
    [
      'one id twice',
      checkFollowUp(message({ components: [row(button({ id: 7 }), link({ id: 7 }))] })),
      '/components: the id 7 is there twice',
    ],
    [
      'a menu beside a button',
      checkFollowUp(message({ components: [row(menu(), button())] })),
      '/components/0: a menu takes a row to itself',
    ],
    [
      'six rows',
      checkFollowUp(message({ components: [1, 2, 3, 4, 5, 6].map((n) => row(button({ custom_id: `${n}` }))) })),
      '/components: more than 5',
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
      '/components/0/components/0/options: the value 1 is there twice',
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
      '/components/0/components/0/options: more are chosen than may be',
    ],
    [
      'more to choose than there are',
      checkFollowUp(message({ components: [row(menu({ max_values: 3 }))] })),
      '/components/0/components/0: max_values is above the number of options',
    ],
    [
      'components of version 2 without their flag',
      checkFollowUp(message({ components: [{ type: 10, content: 'Hi' }] })),
      '/components: of a kind that needs the flag 32768',
    ],
    [
      'words beside components of version 2',
      checkFollowUp(message({ embeds: [], flags: 32_768 })),
      '/content: is not for a message with the flag 32768',
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
      '/data/components/0: a field in a row lacks its label',
    ],
    [
      'a label in a label',
      checkInteractionResponse(modal(label({ component: input({ label: 'a' }) }))),
      '/data/components/0/component: has a label in a label',
    ],
    ['one field twice', checkInteractionResponse(modal(label(), label())), '/data: the custom_id hours is there twice'],
    [
      'a form that asks for nothing',
      checkInteractionResponse(modal({ type: 10, content: 'Hi' })),
      '/data: asks for nothing',
    ],
    [
      'a filled in value that is too long',
      checkInteractionResponse(modal(label({ component: input({ value: '123', max_length: 2 }) }))),
      '/data/components/0: its own value would not be accepted',
    ],
    [
      'a field of no length',
      checkInteractionResponse(modal(label({ component: input({ min_length: 3, max_length: 2 }) }))),
      '/data/components/0: min_length is above max_length',
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
      '/allowed_mentions/replied_user: somebody would be pinged',
    ],
    [
      'a premium button without its product',
      checkFollowUp(message({ components: [row({ type: 2, style: 6 })] })),
      '/components/0/components/0: a premium button lacks its sku_id',
    ],
    [
      'a premium button with words',
      checkFollowUp(message({ components: [row({ type: 2, style: 6, sku_id: '1', label: 'Buy' })] })),
      '/components/0/components/0: a premium button has a label',
    ],
    [
      'a product of another button',
      checkFollowUp(message({ components: [row(button({ sku_id: '1' }))] })),
      '/components/0/components/0: only a premium button has a sku_id',
    ],
    [
      'a least number above the most',
      checkFollowUp(message({ components: [row(menu({ min_values: 2, max_values: 1 }))] })),
      '/components/0/components/0: min_values is above max_values',
    ],
    [
      'more than 40 parts',
      checkFollowUp({
        components: Array.from({ length: 14 }, (_, n) => row(...[1, 2].map((m) => button({ custom_id: `${n} ${m}` })))),
        flags: 32_768,
        allowed_mentions: NO_PINGS,
      }),
      '/components: more than 40 in all',
    ],
    [
      'a button beside words that goes nowhere',
      checkFollowUp({
        components: [{ type: 9, components: [{ type: 10, content: 'Hi' }], accessory: link({ url: undefined }) }],
        flags: 32_768,
        allowed_mentions: NO_PINGS,
      }),
      '/components/0/accessory: a link button lacks its url',
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
