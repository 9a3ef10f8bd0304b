import { AppError } from '@satchel/contract/errors';
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Answer, Command } from '../../src/bot/command.ts';
import { CODE_TEXTS, ERROR_TEXTS } from '../../src/bot/error-texts.ts';
import { LANGUAGES } from '../../src/bot/language.ts';
import { isSessionAlive } from '../../src/domain/accounts/sessions.ts';
import { banPerson } from '../../src/domain/moderation/bans.ts';
import { rowsOf } from '../../src/platform/database/db.ts';
import { signedHeaders } from '../support/discord/discord-keys.ts';
import {
  autocomplete,
  click,
  command,
  commandBody,
  makeInteraction,
  recordRest,
  send,
  submit,
} from '../support/discord/discord-kit.ts';
import { storedState } from '../support/stored-state.ts';
import { createTestApp, idOf } from '../support/test-app.ts';

/** What Discord sends, and how the bot answers. */

const PRIVATE = 64;
const NO_MENTIONS = { allowed_mentions: { parse: [] } };
const KEY = 'the-key-of-a-link';

/** Calls that reached the commands. */
const done: string[] = [];
let answer: () => Promise<Answer>;
const say = (kind: 'private' | 'public', content: string) => async (): Promise<Answer> => ({
  kind,
  message: { content },
});
const COMMANDS: readonly Command[] = [
  {
    name: 'list',
    run: async (_deps, { options }) => {
      done.push(`run ${JSON.stringify(options)}`);
      return answer();
    },
    autocomplete: async (_deps, { options, focused }) => {
      done.push(`typed ${options[focused]}`);
      if (options.folder === 'broken') throw new Error(KEY);
      return Array.from({ length: 30 }, (_, n) => ({ name: `${focused}: ${options[focused]} ${n}`, value: String(n) }));
    },
    clicks: {
      next: async (_deps, { args, values }) => ({
        kind: 'update',
        message: { content: `${args.join()} ${values.join()}` },
      }),
      fill: async (_deps, { fields }) => {
        done.push(`filled ${JSON.stringify(fields)}`);
        return { kind: 'update', message: { content: JSON.stringify(fields) } };
      },
    },
  },
];

const rateLimits = {
  any: [{ max: 20, seconds: 3600 }],
  commands: [{ max: 60, seconds: 3600 }],
  typing: [{ max: 3, seconds: 3600 }],
};
const app = await createTestApp({
  deps: { discordRest: recordRest().rest, commands: COMMANDS, rateLimits },
});
beforeEach(() => {
  done.length = 0;
  answer = say('private', 'Here you are');
});

const inPrivate = (content: string) => ({ type: 4, data: { content, flags: PRIVATE, ...NO_MENTIONS } });
const update = (content: string) => ({ type: 7, data: { content, embeds: [], components: [], ...NO_MENTIONS } });

describe('what comes in is dispatched', () => {
  test('a PING is answered by a PONG', async () => {
    expect(await send(app, '{"type":1}')).toEqual({ status: 200, text: '{"type":1}' });
  });

  test('a command gets its options and answers privately, without pings', async () => {
    expect((await command(app, 'mika', 'list', { page: 3 })).body).toEqual(inPrivate('Here you are'));
    expect(done).toEqual(['run {"page":3}']);
  });

  test('clicks, choices, forms and suggestions reach their handlers', async () => {
    expect((await click(app, 'mika', 'list:next:a:b', { values: ['c'] })).body).toEqual(update('a,b c'));
    expect((await submit(app, 'mika', 'list:fill', { hours: '3' })).body).toEqual(update('{"hours":"3"}'));
    const { body } = await autocomplete(app, 'mika', 'list', { options: { folder: 'ho' }, focused: 'folder' });
    expect(body.data.choices).toHaveLength(25);
    expect(body.data.choices[1]).toEqual({ name: 'folder: ho 1', value: '1' });
  });

  test('a form without a clicked message is answered by its own message', async () => {
    const custom = { type: 5, data: { custom_id: 'list:fill', components: [] } };
    const { text } = await send(app, JSON.stringify(makeInteraction(app, 'mika', custom)));
    expect(JSON.parse(text)).toEqual(inPrivate('{}'));
  });

  test('a form opens as the command words it', async () => {
    const modal = {
      title: 'Extend',
      custom_id: 'list:fill',
      components: [
        { type: 18 as const, label: 'Hours', component: { type: 4 as const, custom_id: 'hours', style: 1 as const } },
      ],
    };
    answer = async () => ({ kind: 'modal', modal });
    expect((await command(app, 'mika', 'list')).body).toEqual({ type: 9, data: modal });
  });

  test('answers are JSON that no cache stores', async () => {
    const body = JSON.stringify(makeInteraction(app, 'mika', commandBody('list')));
    const headers = signedHeaders(body);
    const response = await fetch(`${app.baseUrl}/discord/interactions`, { method: 'POST', headers, body });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('an answer is seen by', () => {
  test('everyone, if it is public', async () => {
    answer = say('public', 'Look');
    const { body } = await command(app, 'mika', 'list', {}, { guild_id: '42' });
    expect(body).toEqual({ type: 4, data: { content: 'Look', ...NO_MENTIONS } });
  });

  test('the caller alone, if Discord hides it from others', async () => {
    answer = say('public', 'Look');
    const { body } = await command(app, 'mika', 'list', {}, { guild_id: '42', mayUseExternalApps: false });
    expect(body).toEqual(inPrivate('Look'));
  });
});

describe('a refusal is said in words', () => {
  const PLACES = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es-419' };

  test.each(LANGUAGES)('in %s', async (language) => {
    const place = { locale: PLACES[language] };
    const texts = ERROR_TEXTS[language];
    const failing = async (error: Error) => {
      answer = async () => {
        throw error;
      };
      return (await command(app, 'mika', 'list', {}, place)).body;
    };
    const notFound = CODE_TEXTS[language]['folder.not_found'];
    expect(await failing(new AppError('folder.not_found'))).toEqual(inPrivate(notFound));
    const { content } = (await failing(new AppError('folder.lifetime', { hours: 24 }))).data;
    expect(content).toMatch(/\b24\b/);
    expect(await failing(new AppError('storage.full'))).toEqual(inPrivate(texts.generic));
    expect((await command(app, 'mika', 'upgrade', {}, place)).body).toEqual(inPrivate(texts.unknownCommand));
    for (const gone of ['list:gone:1', 'gone:1', 'list', 'list:toString', 'toString:x', '']) {
      expect((await click(app, 'mika', gone, place)).body).toEqual(inPrivate(texts.unknownClick));
    }
    expect((await command(app, 'mika', 'list', { folder: `x#${KEY}` }, place)).body).toEqual(inPrivate(texts.hash));
    expect(Object.keys(CODE_TEXTS[language])).toEqual(Object.keys(CODE_TEXTS.en));
  });

  test('for unexpected errors, which are reported without their message', async () => {
    answer = async () => {
      throw new Error(`failed for ${KEY}`);
    };
    const before = app.log.length;
    expect((await command(app, 'mika', 'list')).body).toEqual(inPrivate(ERROR_TEXTS.en.generic));
    const lines = app.log.slice(before).join('\n');
    expect(lines).toContain('"kind":"Error"');
    expect(lines).not.toContain(KEY);
  });

  test('for an argument with a #, which no command gets', async () => {
    await command(app, 'mika', 'list', { folder: `https://x.example/f/abc#${KEY}` });
    expect((await submit(app, 'mika', 'list:fill', { name: `a#${KEY}` })).body).toEqual(inPrivate(ERROR_TEXTS.en.hash));
    const typed = { options: { folder: `#${KEY}` }, focused: 'folder' };
    expect((await autocomplete(app, 'lena', 'list', typed)).body.data.choices).toEqual([]);
    expect(done).toEqual([]);
    expect(app.log.join('\n')).not.toContain(KEY);
  });

  test('for banned people, with the reason as written', async () => {
    await banPerson(app.database.db, [], 'olga', { discord_id: idOf('otto'), reason: 'he *sells* @everyone’s files' });
    const { body } = await command(app, 'otto', 'list');
    expect(body.data.content).toContain('he \\*sells\\* \\@everyone’s files');
    expect((await submit(app, 'otto', 'list:fill', {})).body.data.content).toBe(body.data.content);
    const typed = { options: { folder: 'a' }, focused: 'folder' };
    expect((await autocomplete(app, 'otto', 'list', typed)).body.data.choices).toEqual([]);
    expect(done).toEqual([]);
  });

  test('suggestions that fail are none', async () => {
    const typed = { options: { folder: 'broken' }, focused: 'folder' };
    expect((await autocomplete(app, 'ava', 'list', typed)).body).toEqual({ type: 8, data: { choices: [] } });
    expect(app.log.join('\n')).not.toContain(KEY);
    expect((await autocomplete(app, 'ava', 'gone', typed)).body.data.choices).toEqual([]);
  });
});

describe('one person’s use', () => {
  test('is limited, other people’s is not, and the common address counts for nothing', async () => {
    const texts: string[] = [];
    for (let n = 0; n < 62; n += 1) texts.push((await command(app, 'jonas', 'list')).body.data.content);
    expect(new Set(texts.slice(0, 60))).toEqual(new Set(['Here you are']));
    expect(texts[60]).toMatch(/Try again in \d+ s/);
    expect(texts[61]).toMatch(/Try again in \d+ s/);
    expect((await click(app, 'jonas', 'list:next')).body.data.content).toMatch(/Try again in/);
    expect((await command(app, 'lena', 'list')).body.data.content).toBe('Here you are');
  });

  test('of suggestions, too', async () => {
    const typed = { options: { folder: 'a' }, focused: 'folder' };
    const counts = [];
    for (let n = 0; n < 4; n += 1)
      counts.push((await autocomplete(app, 'zoe', 'list', typed)).body.data.choices.length);
    expect(counts).toEqual([25, 25, 25, 0]);
  });
});

describe('events', () => {
  const tell = async (event: unknown) => {
    const body = JSON.stringify(event);
    const headers = signedHeaders(body);
    const response = await fetch(`${app.baseUrl}/discord/events`, { method: 'POST', headers, body });
    // Discord requires a type even without a body.
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    return response.status;
  };
  /** The form of Discord's times: UTC, in microseconds, without a zone. */
  const writtenAt = (at: Date) => `${at.toISOString().slice(0, -1)}000`;
  const deauthorized = (name: string, at = new Date()) => ({
    version: 1,
    application_id: app.config.discord.clientId,
    type: 1,
    event: {
      type: 'APPLICATION_DEAUTHORIZED',
      timestamp: writtenAt(at),
      data: { user: { id: idOf(name), username: name } },
    },
  });
  const stateOf = async (name: string) => {
    const result = await app.database.db.execute(sql`
      select
        (select count(*)::integer from sessions s join profiles p on p.id = s.profile_id where p.discord_id = ${idOf(name)})
          as sessions,
        (select count(*)::integer from upload_intents where discord_id = ${idOf(name)}) as intents`);
    return rowsOf<{ sessions: number; intents: number }>(result)[0];
  };

  test('a PING, and an uninteresting event, is accepted and changes nothing', async () => {
    const before = await storedState(app);
    expect(await tell({ type: 0 })).toBe(204);
    expect(await tell({ type: 1, event: { type: 'ENTITLEMENT_CREATE', data: { user: { id: '1' } } } })).toBe(204);
    expect(await tell({ type: 1, event: { type: 'APPLICATION_DEAUTHORIZED' } })).toBe(204);
    expect(await tell(makeInteraction(app, 'mika', commandBody('list')))).toBe(204);
    expect(await tell(null)).toBe(400);
    expect(await storedState(app)).toEqual(before);
  });

  test('removing the application ends all sessions of its person, however often Discord sends it', async () => {
    for (const name of ['mika', 'mika', 'jonas']) await app.signIn(name);
    for (const name of ['mika', 'jonas']) {
      await app.database.db.execute(sql`
        insert into upload_intents (discord_id, link_mode, reply_token, language, expires_at)
        values (${idOf(name)}, 'private', 'sealed', 'en', now() + interval '15 minutes')`);
    }
    expect(await stateOf('mika')).toEqual({ sessions: 2, intents: 1 });
    for (let n = 0; n < 3; n += 1) expect(await tell(deauthorized('mika'))).toBe(204);
    expect(await stateOf('mika')).toEqual({ sessions: 0, intents: 0 });
    expect(await stateOf('jonas')).toEqual({ sessions: 1, intents: 1 });
    expect(await tell(deauthorized('nobody'))).toBe(204);
  });

  test('a person who has signed in again before the event comes stays signed in', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const before = await app.signIn('lena');
    const { db } = app.database;
    await db.execute(sql`update sessions set created_at = now() - interval '1 hour' where id = ${before.session_id}`);
    const again = await app.signIn('lena');
    await db.execute(sql`
      insert into upload_intents (discord_id, link_mode, reply_token, language, created_at, expires_at)
      values (${idOf('lena')}, 'private', 'sealed', 'en', now() - interval '5 minutes', now() + interval '10 minutes'),
        (${idOf('lena')}, 'private', 'sealed', 'en', now(), now() + interval '15 minutes')`);
    expect(await tell(deauthorized('lena', new Date(Date.now() - 2 * 60_000)))).toBe(204);
    expect(await stateOf('lena')).toEqual({ sessions: 1, intents: 1 });
    expect([await isSessionAlive(db, before), await isSessionAlive(db, again)]).toEqual([false, true]);
    // An unreadable time becomes now.
    const { event, ...rest } = deauthorized('lena');
    expect(await tell({ ...rest, event: { ...event, timestamp: 'some time ago' } })).toBe(204);
    expect(await stateOf('lena')).toEqual({ sessions: 0, intents: 0 });
    vi.unstubAllEnvs();
  });
});
