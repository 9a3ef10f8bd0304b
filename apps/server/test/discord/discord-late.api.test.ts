import { once } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Command } from '../../src/bot/command.ts';
import { ERROR_TEXTS, LATE_TEXTS } from '../../src/bot/error-texts.ts';
import type { Interaction } from '../../src/bot/interaction.ts';
import { BOT_TIMES, createBot } from '../../src/bot/interactions.ts';
import { sealedAnswerOf } from '../../src/domain/discord/interactions.ts';
import { signedHeaders } from '../support/discord/discord-keys.ts';
import {
  click,
  command,
  commandBody,
  makeInteraction,
  recordRest,
  send,
  submit,
} from '../support/discord/discord-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** Answers that take longer than Discord waits, and the work after an answer. */

const PRIVATE = 64;
const NO_MENTIONS = { allowed_mentions: { parse: [] } };
const EMPTY = { embeds: [], components: [] };
const TOKEN = 'token-of-this-interaction';
const SERVER = { guild_id: '42', token: TOKEN };

/** All events in order: calls to Discord, and the work after answers. */
const events: unknown[] = [];
let answer: Answer;
let gate: Promise<void>;
let open: () => void;
let runs = 0;
const said = recordRest(({ what, token, message }) => void events.push([what, token, message]));
const act = async (): Promise<Answer> => {
  runs += 1;
  await gate;
  return { ...answer, afterwards: async () => void events.push('afterwards') };
};
const COMMANDS: readonly Command[] = [{ name: 'list', run: act, clicks: { go: act } }];

const deps = { discordRest: said.rest, commands: COMMANDS };
/** Here every answer that queries the database is late. */
const app = await createTestApp({ deps: { ...deps, botTimes: { ...BOT_TIMES, deferAfterMs: 0 } } });
/** Here no answer is late. */
const quick = await createTestApp({ deps: { ...deps, botTimes: { ...BOT_TIMES, deferAfterMs: 600_000 } } });
beforeEach(() => {
  events.length = 0;
  runs = 0;
  ({ promise: gate, resolve: open } = Promise.withResolvers<void>());
});

const message = { content: 'At last' };
/** The bot's calls in the end, once the command may continue. */
async function finish(count: number): Promise<unknown[]> {
  expect(events).toEqual([]);
  open();
  await expect.poll(() => events.length).toBe(count);
  return events;
}

describe('a command that takes long', () => {
  test('shows that the bot thinks, and then its private answer there', async () => {
    answer = { kind: 'private', message };
    expect((await command(app, 'mika', 'list', {}, SERVER)).body).toEqual({ type: 5, data: { flags: PRIVATE } });
    expect(await finish(2)).toEqual([['editReply', TOKEN, { ...message, ...EMPTY, ...NO_MENTIONS }], 'afterwards']);
  });

  test('sends a public answer to everyone, beside the private thinking', async () => {
    answer = { kind: 'public', message };
    expect((await command(app, 'mika', 'list', {}, { ...SERVER, id: '1' })).body.type).toBe(5);
    expect(await finish(3)).toEqual([
      ['editReply', TOKEN, { content: LATE_TEXTS.en.done, ...EMPTY, ...NO_MENTIONS }],
      ['followUp', TOKEN, { ...message, ...NO_MENTIONS }],
      'afterwards',
    ]);
  });

  test('answers the caller alone if the answer must be private', async () => {
    answer = { kind: 'public', message };
    await command(app, 'mika', 'list', {}, { ...SERVER, mayUseExternalApps: false });
    expect(await finish(2)).toEqual([['editReply', TOKEN, { ...message, ...EMPTY, ...NO_MENTIONS }], 'afterwards']);
  });

  test('can open no form any more, and says so', async () => {
    answer = { kind: 'modal', modal: { title: 'Extend', custom_id: 'list:go', components: [] } };
    await command(app, 'mika', 'list', {}, { ...SERVER, locale: 'de' });
    expect((await finish(2))[0]).toEqual([
      'editReply',
      TOKEN,
      { content: LATE_TEXTS.de.form, ...EMPTY, ...NO_MENTIONS },
    ]);
  });

  test('runs once however often it comes, and its late answer is sent once', async () => {
    answer = { kind: 'private', message };
    const body = JSON.stringify(makeInteraction(app, 'mika', commandBody('list')));
    const answers = [await send(app, body), ...(await Promise.all([send(app, body), send(app, body)]))];
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"type":5,"data":{"flags":64}}']));
    await finish(2);
    expect((await send(app, body)).text).toBe(answers[0]!.text);
    expect({ runs, said: events.length }).toEqual({ runs: 1, said: 2 });
  });
});

describe('a click that takes long', () => {
  test.each(['click', 'form'])('changes the message of the %s in the end', async (what) => {
    answer = { kind: 'update', message };
    const { body } =
      what === 'click'
        ? await click(app, 'mika', 'list:go', { token: TOKEN })
        : await submit(app, 'mika', 'list:go', {}, { token: TOKEN });
    expect(body).toEqual({ type: 6 });
    expect(await finish(2)).toEqual([['editReply', TOKEN, { ...message, ...EMPTY, ...NO_MENTIONS }], 'afterwards']);
  });

  test.each([
    ['private', { flags: PRIVATE }],
    ['public', {}],
  ] as const)('leaves the message alone where its answer is %s', async (kind, flags) => {
    answer = { kind, message };
    expect((await click(app, 'mika', 'list:go', SERVER)).body).toEqual({ type: 6 });
    expect(await finish(2)).toEqual([['followUp', TOKEN, { ...message, ...flags, ...NO_MENTIONS }], 'afterwards']);
  });
});

describe('the work after an answer', () => {
  test('begins when the answer has been sent, and only once', async () => {
    const interaction = makeInteraction(quick, 'mika', commandBody('list')) as unknown as Interaction;
    const bot = createBot({
      bot: {
        ...quick.deps,
        ...quick.config,
        operators: [],
        db: quick.database.db,
        rest: said.rest,
        report: (error) => events.push(error),
      },
      commands: COMMANDS,
      takeTurn: () => 0,
    });
    answer = { kind: 'private', message };
    open();
    const { sent } = await bot.reply(interaction);
    await bot.close();
    expect(events).toEqual([]);
    sent();
    sent();
    await bot.close();
    expect(events).toEqual(['afterwards']);
  });

  test('waits for a delivery that arrives', async () => {
    answer = { kind: 'private', message };
    const body = JSON.stringify(makeInteraction(quick, 'mika', commandBody('list')));
    const leaving = new AbortController();
    const { signal } = leaving;
    const arrived = once(quick.server, 'request');
    const first = fetch(`${quick.baseUrl}/discord/interactions`, {
      method: 'POST',
      headers: signedHeaders(body),
      body,
      signal,
    });
    const [, response] = await arrived;
    const left = once(response, 'close');
    await expect.poll(() => runs).toBe(1);
    leaving.abort();
    await expect(first).rejects.toThrow();
    // The server knows that the client has left.
    await left;
    open();
    await expect.poll(() => sealedAnswerOf(quick.database.db, JSON.parse(body).id)).not.toBeNull();
    await quick.call('GET', '/healthz');
    expect(events).toEqual([]);
    expect((await send(quick, body)).text).toContain(message.content);
    await expect.poll(() => events).toEqual(['afterwards']);
    expect(runs).toBe(1);
  });

  test('may fail: the failure is reported without the token, and the answer stays', async () => {
    const failing = async () => {
      throw new Error(`PATCH /webhooks/1/${TOKEN}/messages/@original`);
    };
    const other = await createTestApp({
      deps: {
        discordRest: { editReply: failing, followUp: failing, post: failing },
        commands: COMMANDS,
        botTimes: { ...BOT_TIMES, deferAfterMs: 0 },
      },
    });
    answer = { kind: 'private', message };
    expect((await command(other, 'mika', 'list', {}, { token: TOKEN })).status).toBe(200);
    open();
    await expect.poll(() => other.log.join('\n')).toContain('"bot failed"');
    await other.close();
    expect(other.log.join('\n')).not.toContain(TOKEN);
  });
});

test('without a database an interaction is answered in words, and reported', async () => {
  const other = await createTestApp({ deps: { commands: COMMANDS } });
  await other.database.close();
  const { status, body } = await command(other, 'mika', 'list', {}, { locale: 'fr' });
  expect({ status, content: body.data.content }).toEqual({ status: 200, content: ERROR_TEXTS.fr.generic });
  expect(runs).toBe(0);
  expect(other.log.join('\n')).toContain('"bot failed"');
});
