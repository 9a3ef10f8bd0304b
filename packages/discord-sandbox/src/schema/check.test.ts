import { describe, expect, test } from 'vitest';
import { checkCommands, checkFollowUp, checkInteractionResponse, checkMessageEdit, checkReplyTo } from './check.ts';
import {
  button,
  command,
  input,
  label,
  link,
  message,
  modal,
  NO_PINGS,
  option,
  reply,
  row,
  withOption,
} from './test-messages.ts';

describe('what is as Discord takes it has no problem:', () => {
  test.each<[string, readonly string[]]>([
    ['a message', checkInteractionResponse(reply({ flags: 64 }))],
    ['a public message', checkInteractionResponse(reply())],
    ['an update', checkInteractionResponse(reply({}, 7))],
    [
      'an update that takes words and cards away, and leaves buttons',
      checkMessageEdit(message({ content: '', embeds: [] })),
    ],
    ['a deferred message', checkInteractionResponse({ type: 5, data: { flags: 64 } })],
    ['a deferred message for all', checkInteractionResponse({ type: 5 })],
    ['a deferred update', checkInteractionResponse({ type: 6 })],
    ['a pong', checkInteractionResponse({ type: 1 })],
    ['choices', checkInteractionResponse({ type: 8, data: { choices: [{ name: 'Holiday', value: 'id' }] } })],
    ['no choices', checkInteractionResponse({ type: 8, data: { choices: [] } })],
    ['a modal', checkInteractionResponse(modal(label()))],
    ['an edit', checkMessageEdit(message())],
    ['an edit that takes the buttons away', checkMessageEdit({ components: [], allowed_mentions: NO_PINGS })],
    ['a further message', checkFollowUp(message({ flags: 64 }))],
    [
      'commands',
      checkCommands([command(), command({ name: 'list', name_localizations: { fr: 'liste' }, options: [] })]),
    ],
    [
      'a grant for one person',
      checkFollowUp({ ...message({ components: [row(link({ url: 'https://a.example/f/x#grant=y' }))] }), flags: 64 }),
    ],
  ])('%s', (_name, problems) => {
    expect(problems).toEqual([]);
  });
});

const FIRST = '/components/0/components/0';
const buttons = (...components: object[]) => checkFollowUp(message({ components: [row(...components)] }));

/** Every value in a JSON with where it is. */
function* placesIn(value: unknown, path: (string | number)[] = []): Generator<(string | number)[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* placesIn(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

/** A copy in which the value at a place is another. */
function changed(value: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const fields = copy as Record<string | number, unknown>;
  fields[key] = changed(fields[key], rest, to);
  return copy;
}

describe('of valid ones in which one value is of another kind, every one is caught:', () => {
  test.each<[string, (body: unknown) => string[], unknown]>([
    ['answers', checkInteractionResponse, reply({ flags: 64 })],
    ['updates', checkInteractionResponse, reply({}, 7)],
    [
      'modals',
      checkInteractionResponse,
      modal(label({ component: input({ value: '12', min_length: 1, max_length: 3 }) })),
    ],
    ['choices', checkInteractionResponse, { type: 8, data: { choices: [{ name: 'a', value: 'b' }] } }],
    ['edits', checkMessageEdit, message()],
    ['further messages', checkFollowUp, message({ flags: 64 })],
    ['commands', checkCommands, [command()]],
  ])('%s', (_name, check, valid) => {
    expect(check(valid)).toEqual([]);
    const places = [...placesIn(valid)];
    expect(places.length).toBeGreaterThan(3);
    const missed = places.filter((place) => check(changed(valid, place, { strange: true })).length === 0);
    expect(missed).toEqual([]);
  });
});

type Case = readonly [name: string, problems: readonly string[], expected: string];
const choice = (name: string, value: string, more: object = {}) => ({ name, value, ...more });

describe('by the rules in words is caught:', () => {
  test.each<Case>([
    ['an answer of no kind', checkInteractionResponse({ type: 3 }), '/type: is of no answer that the bot gives'],
    ['no answer at all', checkInteractionResponse(null), '/type: is of no answer that the bot gives'],
    [
      'an empty message',
      checkInteractionResponse(reply({ content: ' ', embeds: [], components: [] })),
      '/data: says nothing',
    ],
    ['a message without data', checkInteractionResponse({ type: 4 }), '/: lacks data'],
    ['an edit that leaves nothing', checkMessageEdit({ content: '', embeds: [] }), '/: says nothing'],
    [
      'more than 6,000 in two cards',
      checkFollowUp(message({ embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] })),
      '/embeds: more than 6000 characters in all',
    ],
    ...[undefined, { parse: ['everyone'] }, { parse: [], users: ['1'] }].map(
      (allowed_mentions): Case => [
        `words that may ping by ${JSON.stringify(allowed_mentions)}`,
        checkFollowUp(message({ allowed_mentions })),
        '/: lacks allowed_mentions with an empty parse, so words may ping',
      ],
    ),
    [
      'an update that may ping',
      checkInteractionResponse({ type: 7, data: { content: 'Hi' } }),
      '/data: lacks allowed_mentions with an empty parse, so words may ping',
    ],
    ['a private edit', checkMessageEdit(message({ flags: 64 })), '/flags: an edit can’t hide a message'],
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
    ['a button without words', buttons(button({ label: '' })), `${FIRST}: lacks label`],
    ['one button twice', buttons(button(), button()), '/components: the custom_id share:open:1 is there twice'],
    [
      'a filled in value that is too long',
      checkInteractionResponse(modal(label({ component: input({ value: '123', max_length: 2 }) }))),
      '/data/components/0/component/value: longer than 2',
    ],
    ['one command twice', checkCommands([command(), command()]), '/: share is there twice'],
    [
      'one command twice in a language',
      checkCommands([command(), command({ name: 'give' })]),
      '/: teilen is there twice',
    ],
    ['a name with capitals', checkCommands([command({ name: 'Share' })]), '/0/name: “Share” is no name to type'],
    [
      'a name with capitals in a language',
      checkCommands([command({ name_localizations: { de: 'Teilen' } })]),
      '/0/name: “Teilen” is no name to type',
    ],
    [
      "an option's name with a blank",
      checkCommands(withOption({ name: 'a b' })),
      '/0/options/0/name: “a b” is no name to type',
    ],
    [
      'a required option behind another',
      checkCommands([command({ options: [option({ name: 'a' }), option({ required: true })] })]),
      '/0/options: required options come first',
    ],
    [
      'one option twice',
      checkCommands([command({ options: [option(), option()] })]),
      '/0/options: folder is there twice',
    ],
    [
      'one choice twice',
      checkCommands(withOption({ choices: [choice('a', 'b'), choice('a', 'c')] })),
      '/0/options/0/choices: a is there twice',
    ],
    [
      'one value twice',
      checkCommands(withOption({ choices: [choice('a', 'b'), choice('c', 'b')] })),
      '/0/options/0/choices: the value "b" is there twice',
    ],
    [
      'more than 8,000 in the longest language of a command',
      checkCommands([
        command({
          options: Array.from({ length: 2 }, (_, n) =>
            option({
              name: `n${n}`,
              choices: Array.from({ length: 25 }, (_, m) => ({
                name: `${m}`.padEnd(80, 'x'),
                value: `${m}`.padEnd(80, 'x'),
              })),
            }),
          ),
        }),
      ]),
      '/0: more than 8000 characters',
    ],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toContain(expected);
  });

  test('an answer that does not fit its interaction', () => {
    expect(checkReplyTo({ type: 2 }, { type: 7 })).toEqual(['/type: 7 answers no 2']);
    expect(checkReplyTo({ type: 5, message: {} }, { type: 7 })).toEqual([]);
  });
});
