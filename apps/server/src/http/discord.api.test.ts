import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Command } from '../bot/command.ts';
import { autocomplete, click, command, recordRest, send, submit } from '../testing/discord-kit.ts';
import { createTestApp, DATABASES, type TestApp } from '../testing/test-app.ts';

/** What Discord sends, and what it gets back. */

const PRIVATE = 64;
const said = recordRest();
const COMMANDS: readonly Command[] = [
  {
    name: 'list',
    run: async (_deps, { options }) => ({ kind: 'private', message: { content: `page ${options.page ?? 1}` } }),
    autocomplete: async (_deps, { options, focused }) => [{ name: `${focused}: ${options[focused]}`, value: 'x' }],
    clicks: {
      next: async (_deps, { args, values }) => ({
        kind: 'update',
        message: { content: `${args.join()} ${values.join()}` },
      }),
      fill: async (_deps, { fields }) => ({ kind: 'update', message: { content: JSON.stringify(fields) } }),
    },
  },
];
let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ database: DATABASES.at(-1)!, deps: { discordRest: said.rest, commands: COMMANDS } });
});
afterAll(() => app.close());

test('a PING is answered by a PONG', async () => {
  expect(await send(app, '{"type":1}')).toEqual({ status: 200, text: '{"type":1}' });
});

test('a command gets its options and answers privately, and nobody is pinged', async () => {
  const { status, body } = await command(app, 'mika', 'list', { page: 3 });
  expect({ status, body }).toEqual({
    status: 200,
    body: { type: 4, data: { content: 'page 3', flags: PRIVATE, allowed_mentions: { parse: [] } } },
  });
});

test('clicks, choices, forms and suggestions find their handlers', async () => {
  const update = (content: string) => ({
    type: 7,
    data: { content, embeds: [], components: [], allowed_mentions: { parse: [] } },
  });
  expect((await click(app, 'mika', 'list:next:a:b', { values: ['c'] })).body).toEqual(update('a,b c'));
  expect((await submit(app, 'mika', 'list:fill', { hours: '3' })).body).toEqual(update('{"hours":"3"}'));
  const suggested = await autocomplete(app, 'mika', 'list', { options: { folder: 'ho' }, focused: 'folder' });
  expect(suggested.body).toEqual({ type: 8, data: { choices: [{ name: 'folder: ho', value: 'x' }] } });
});
