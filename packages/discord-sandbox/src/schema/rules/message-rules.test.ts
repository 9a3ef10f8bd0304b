import { describe, expect, test } from 'vitest';
import { checkFollowUp, checkInteractionResponse, checkMessageEdit } from '../check.ts';
import { button, input, label, link, message, modal, NO_PINGS, reply, row } from '../test-messages.ts';

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
      'more than 6,000 in two cards',
      checkFollowUp(message({ embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] })),
      '/embeds: Embed size exceeds maximum size of 6000',
    ],
    [
      'words that may ping',
      checkFollowUp(message({ allowed_mentions: undefined })),
      '/: lacks allowed_mentions with an empty parse, so words may ping',
    ],
    [
      'a ping of everyone',
      checkFollowUp(message({ allowed_mentions: { parse: ['everyone'] } })),
      '/: lacks allowed_mentions with an empty parse, so words may ping',
    ],
    [
      'a ping of one',
      checkInteractionResponse(reply({ allowed_mentions: { parse: [], users: ['1'] } })),
      '/data: lacks allowed_mentions with an empty parse, so words may ping',
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
