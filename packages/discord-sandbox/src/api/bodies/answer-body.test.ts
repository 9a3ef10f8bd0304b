import { InteractionType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { DiscordError, type FieldErrors } from '../discord-error.ts';
import type { Interaction } from '../interactions/interactions.ts';
import { readAnswer } from './answer-body.ts';

const interaction = (type: InteractionType, more: object = {}) =>
  ({ type, source: null, focused: null, ...more }) as unknown as Interaction;

/** `place CODE` of each fault. */
function faults(body: unknown, to: Interaction): string[] {
  const flat = (node: FieldErrors, place: string): string[] =>
    Object.entries(node).flatMap(([key, inner]) =>
      Array.isArray(inner) ? inner.map(({ code }) => `${place} ${code}`) : flat(inner, `${place}/${key}`),
    );
  try {
    readAnswer(body, to);
    return [];
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    return flat(error.errors ?? {}, '');
  }
}

const long = (length: number) => 'x'.repeat(length);
const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const input = (more: object = {}) => ({ type: 4, custom_id: 'i', style: 1, ...more });
const label = (more: object = {}, of: object = {}) => ({ type: 18, label: 'L', component: input(of), ...more });
const modal = (more: object = {}) => ({
  type: 9,
  data: { custom_id: 'm', title: 'T', components: [label()], ...more },
});

test.each<[string, unknown, unknown, string]>([
  ['something to fill in', modal(), modal({ components: [] }), '/data/components BASE_TYPE_BAD_LENGTH'],
  [
    'five fields',
    modal({ components: times(5, (at) => label({}, { custom_id: `i${at}` })) }),
    modal({ components: times(6, (at) => label({}, { custom_id: `i${at}` })) }),
    '/data/components BASE_TYPE_BAD_LENGTH',
  ],
  [
    'different custom_ids',
    modal(),
    modal({ components: [label(), label()] }),
    '/data/components/1/component/custom_id COMPONENT_CUSTOM_ID_DUPLICATED',
  ],
])('a modal takes %s', (_what, sound, wrong, said) => {
  const command = interaction(InteractionType.ApplicationCommand);
  expect(faults(sound, command)).toEqual([]);
  expect(faults(wrong, command)).toEqual([said]);
});

const choices = (...given: object[]) => ({ type: 8, data: { choices: given } });
test.each<[string, unknown, unknown, string]>([
  [
    '25 choices',
    choices(...times(25, () => ({ name: 'n', value: 'v' }))),
    choices(...times(26, () => ({ name: 'n', value: 'v' }))),
    '/data/choices BASE_TYPE_MAX_LENGTH',
  ],
  [
    'a value',
    choices({ name: 'n', value: long(100) }),
    choices({ name: 'n', value: long(101) }),
    '/data/choices/0/value BASE_TYPE_BAD_LENGTH',
  ],
  ['a list, if an empty one', choices(), { type: 8, data: {} }, '/data/choices BASE_TYPE_REQUIRED'],
])('suggestions take %s', (_what, sound, wrong, said) => {
  const typing = interaction(InteractionType.ApplicationCommandAutocomplete);
  expect(faults(sound, typing)).toEqual([]);
  expect(faults(wrong, typing)).toEqual([said]);
});

test('a deferral says only whether its answer will be ephemeral', () => {
  const command = interaction(InteractionType.ApplicationCommand);
  for (const data of [undefined, {}, { flags: 0 }, { flags: 64 }])
    expect(faults({ type: 5, data }, command)).toEqual([]);
  for (const flags of [4, 64 | 32_768]) {
    expect(faults({ type: 5, data: { flags } }, command)).toEqual(['/data/flags BASE_TYPE_CHOICES']);
  }
});

test('an answer is an object with a type, and one that says something has data', () => {
  const command = interaction(InteractionType.ApplicationCommand);
  expect(faults('Hello', command)).toEqual([' MODEL_TYPE_CONVERT']);
  expect(faults({}, command)).toEqual(['/type BASE_TYPE_REQUIRED']);
  expect(faults({ type: '4' }, command)).toEqual(['/type BASE_TYPE_CHOICES']);
  expect(faults({ type: 4 }, command)).toEqual(['/data BASE_TYPE_REQUIRED']);
  expect(faults({ type: 4, data: { embeds: [{ title: long(257) }] } }, command)).toEqual([
    '/data/embeds/0/title BASE_TYPE_MAX_LENGTH',
  ]);
});
