import { describe, expect, test } from 'vitest';
import { checkCommands, checkFollowUp, checkInteractionResponse, checkMessageEdit } from './check.ts';
import { command, input, label, link, message, modal, NO_PINGS, reply, row } from './test-messages.ts';

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
