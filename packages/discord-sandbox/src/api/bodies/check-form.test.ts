import { InteractionType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { DiscordError } from '../discord-error.ts';
import type { Interaction } from '../interactions/interactions.ts';
import type { Json } from '../test-bot.ts';
import { readAnswer } from './answer-body.ts';
import { readCommand, readCommands, readSettingsChange } from './application-body.ts';
import { readNewMessage } from './message-body.ts';

const click = { type: InteractionType.ApplicationCommand, source: null, focused: null } as unknown as Interaction;
const READERS = [
  readNewMessage,
  readCommand,
  readCommands,
  readSettingsChange,
  (body: unknown) => readAnswer(body, click),
];

function refusalOf(read: (body: unknown) => unknown, body: unknown): DiscordError | null {
  try {
    read(body);
    return null;
  } catch (error) {
    if (error instanceof DiscordError) return error;
    throw error;
  }
}

const WHOLE: readonly Json[] = [
  { content: 'a', embeds: [{ title: 't', fields: [{ name: 'n', value: 'v' }], footer: { text: 'f' } }] },
  { content: 'a', allowed_mentions: { parse: ['users'] }, flags: 64 },
  { components: [{ type: 1, components: [{ type: 3, custom_id: 's', options: [{ label: 'l', value: 'v' }] }] }] },
  { flags: 32_768, components: [{ type: 17, components: [{ type: 10, content: 'c' }] }] },
  {
    name: 'n',
    description: 'd',
    options: [{ type: 3, name: 'o', description: 'd', choices: [{ name: 'c', value: 'v' }] }],
  },
  [{ name: 'n', description: 'd', name_localizations: { de: 'n' } }],
  { interactions_endpoint_url: 'https://a.example', integration_types_config: { 0: {} }, tags: ['t'] },
  { type: 4, data: { content: 'a' } },
  { type: 9, data: { custom_id: 'c', title: 't', components: [{ type: 18, label: 'l', component: { type: 4 } }] } },
];
const HOSTILE: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  'x',
  [],
  {},
  [null],
  [[]],
  { type: [2] },
  'x'.repeat(9000),
];

/** The body with one of its parts, at any depth, as each of the hostile values. */
function* variants(value: Json, put: (changed: Json) => Json): Generator<Json> {
  for (const hostile of HOSTILE) yield put(hostile);
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    yield* variants(value[key], (changed) => {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      copy[key] = changed;
      return put(copy);
    });
  }
}

test('whatever a body is made of, it is taken or refused in the words of Discord', () => {
  let count = 0;
  for (const whole of WHOLE) {
    for (const body of variants(whole, (changed) => changed)) {
      for (const read of READERS) refusalOf(read, body);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(500);
});

test('fields that are named like those of every object are only names', () => {
  const names = '{"__proto__":"A","constructor":"B","toString":"C"}';
  const body = JSON.parse(`{"name":"n","description":"d","name_localizations":${names}}`);
  const { errors } = refusalOf(readCommand, body)?.body ?? {};
  expect(JSON.stringify(errors).match(/BASE_TYPE_CHOICES/g)).toHaveLength(3);
  expect(Object.keys(JSON.parse(JSON.stringify(errors)).name_localizations)).toEqual([
    '__proto__',
    'constructor',
    'toString',
  ]);
  expect(({} as Json)._errors).toBeUndefined();
  expect((Object as Json)._errors).toBeUndefined();
});

test('a body too deep to mean anything is refused as it stands', () => {
  const deep = (depth: number, part: string) => JSON.parse(`${`{"${part}":[`.repeat(depth)}1${']}'.repeat(depth)}`);
  for (const part of ['components', 'options', 'embeds']) {
    for (const read of READERS) expect(refusalOf(read, deep(20_000, part))?.code).toBe(50_109);
  }
});
