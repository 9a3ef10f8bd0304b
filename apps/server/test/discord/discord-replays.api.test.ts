import { sql } from 'drizzle-orm';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import type { Answer, Command } from '../../src/bot/command.ts';
import type { Call } from '../../src/bot/interaction.ts';
import { BOT_TIMES } from '../../src/bot/interactions.ts';
import { claimInteractions, takeInteractionOver } from '../../src/domain/discord/interactions.ts';
import { rowsOf } from '../../src/platform/database/db.ts';
import { openTestDatabase } from '../support/at-end.ts';
import { click, command, commandBody, makeInteraction, recordRest, send } from '../support/discord/discord-kit.ts';
import { sweepAll } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** However often Discord delivers an interaction, it has one effect and one answer (docs/decisions/014). */

const SECRET = 'a-grant-that-opens-a-folder';

/** What the commands did, by interaction. */
const effects = new Map<string, number>();
const followed: string[] = [];
let gate = Promise.resolve();
let enter: () => void = () => undefined;
const said = recordRest();

const act =
  (node: string) =>
  async (_deps: unknown, { interaction_id }: Pick<Call, 'interaction_id'>) => {
    const count = (effects.get(interaction_id) ?? 0) + 1;
    effects.set(interaction_id, count);
    enter();
    await gate;
    const answer: Answer = {
      kind: 'private',
      message: { content: `${SECRET} ${node} ${count} ${Math.random()}` },
      afterwards: async () => void followed.push(interaction_id),
    };
    return answer;
  };
const commandsOf = (node: string): readonly Command[] => [{ name: 'list', run: act(node), clicks: { go: act(node) } }];

const database = await openTestDatabase();
const botTimes = { ...BOT_TIMES, deferAfterMs: 600_000, pollMs: 5 };
const start = (node: string) =>
  createTestApp({ deps: { database, discordRest: said.rest, botTimes, commands: commandsOf(node) } });
const app = await start('one');
/** Another node, or the same one after a restart. */
const other = await start('two');
const nodes = [app, other, await start('three'), await start('four')];

describe('interactions that are delivered again', () => {
  /** Blocks the commands until the result is called; `entered` resolves once one has begun. */
  function close() {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    gate = promise;
    enter = begun.resolve;
    return { open: resolve, entered: begun.promise };
  }

  const makeBody = () => JSON.stringify(makeInteraction(app, 'mika', commandBody('list')));
  const idIn = (body: string): string => JSON.parse(body).id;

  test('200 replays of 10, each at once to four nodes, have one effect and one answer each', async () => {
    const bodies = Array.from({ length: 10 }, makeBody);
    for (const body of bodies) {
      const answers = await Promise.all(Array.from({ length: 21 }, (_, n) => send(nodes[n % 4]!, body)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]!.text).toContain(SECRET);
    }
    expect(bodies.map((body) => effects.get(idIn(body)))).toEqual(bodies.map(() => 1));
    await expect.poll(() => followed.filter((id) => bodies.some((body) => idIn(body) === id)).length).toBe(10);
  });

  test('ten that come during the first one’s answer, here and elsewhere, wait for it', async () => {
    const body = makeBody();
    const { open, entered } = close();
    const first = send(app, body);
    await entered;
    const more = Array.from({ length: 9 }, (_, n) => send(n % 2 === 0 ? app : other, body));
    for (let n = 0; n < 3; n += 1) await other.call('GET', '/readyz');
    open();
    const answers = await Promise.all([first, ...more]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(effects.get(idIn(body))).toBe(1);
  });

  test('clicks, too', async () => {
    const place = { id: '42', token: 'of this very click' };
    const answers = [await click(app, 'mika', 'list:go', place), await click(other, 'mika', 'list:go', place)];
    expect(answers[1]!.text).toBe(answers[0]!.text);
    expect(effects.get('42')).toBe(1);
  });

  test('after a restart the answer is the earlier one', async () => {
    const body = makeBody();
    const { text } = await send(app, body);
    expect((await send(other, body)).text).toBe(text);
    expect(effects.get(idIn(body))).toBe(1);
  });

  test('what a killed node left, the next delivery does', async () => {
    const body = makeBody();
    await claimInteractions(app.database.db, [{ id: idIn(body), discord_id: '1' }]);
    await app.database.db.execute(
      sql`update interactions set received_at = received_at - interval '1 minute' where id = ${idIn(body)}`,
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(other, body)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]!.text).toContain(SECRET);
    expect(effects.get(idIn(body))).toBe(1);
  });

  test('a claim that was deleted delays no delivery', async () => {
    const body = makeBody();
    const { db } = app.database;
    await claimInteractions(db, [{ id: idIn(body), discord_id: '1' }]);
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    const waiting = send(other, body);
    // By then it has checked a few times.
    await expect.poll(() => queries.mock.calls.length).toBeGreaterThan(10);
    queries.mockRestore();
    await db.execute(sql`delete from interactions where id = ${idIn(body)}`);
    expect((await waiting).text).toContain(SECRET);
    expect(effects.get(idIn(body))).toBe(1);
  });

  test('a node that was only asleep sends the answer of the one that took over', async () => {
    const body = makeBody();
    const asleep = close();
    const first = send(app, body);
    await asleep.entered;
    // Not yet: a living node answers or defers within that time.
    expect(BOT_TIMES.deferAfterMs).toBe(2000);
    expect(BOT_TIMES.takeOverAfterMs).toBeGreaterThan(BOT_TIMES.deferAfterMs + 1000);
    expect(await takeInteractionOver(app.database.db, idIn(body), BOT_TIMES.takeOverAfterMs)).toBeNull();
    await app.database.db.execute(
      sql`update interactions set received_at = received_at - interval '1 minute' where id = ${idIn(body)}`,
    );
    gate = Promise.resolve();
    const second = await send(other, body);
    asleep.open();
    expect(second.text).toContain(`${SECRET} two`);
    expect((await first).text).toBe(second.text);
    expect((await send(app, body)).text).toBe(second.text);
    // Nor does it start its own work after the answer, such as a second card.
    await new Promise((resolve) => setImmediate(resolve));
    expect(followed.filter((id) => id === idIn(body))).toEqual([idIn(body)]);
  });

  test('another interaction of the same id does not get its answer', async () => {
    const body = makeBody();
    await send(app, body);
    const { status, text } = await send(app, JSON.stringify({ ...JSON.parse(body), token: 'another' }));
    expect(status).toBe(400);
    expect(text).not.toContain(SECRET);
    expect(effects.get(idIn(body))).toBe(1);
  });

  test('of two with one id that are claimed together, one is', async () => {
    const both = ['1', '2'].map((discord_id) => ({ id: '99', discord_id }));
    const claimed = await claimInteractions(app.database.db, both);
    expect(claimed.filter((each) => each !== null)).toHaveLength(1);
    expect(await claimInteractions(app.database.db, both)).toEqual([null, null]);
  });

  test('neither answers nor tokens can be read in the database, nor anything in the log', async () => {
    const { text, token } = await command(app, 'mika', 'list', {}, { token: 'token-of-this-test' });
    const answer = await app.query<{ all: string }>(sql`select string_agg(i::text, '|') as all from interactions i`);
    expect(text).toContain(SECRET);
    for (const secret of [SECRET, token, Buffer.from(SECRET).toString('base64url'), 'token-of']) {
      expect(answer[0]!.all).not.toContain(secret);
      expect(app.log.join('\n')).not.toContain(secret);
    }
    expect(answer[0]!.all.length).toBeGreaterThan(1000);
  });

  test('rows are kept for longer than a signature is valid, and then purged', async () => {
    const { db } = app.database;
    await db.execute(sql`
      insert into interactions (id, received_at)
      values ('1', now() - interval '14 minutes'), ('2', now() - interval '16 minutes')`);
    expect(await sweepAll(app)).toEqual([]);
    const left = rowsOf<{ id: string }>(await db.execute(sql`select id from interactions where id in ('1', '2')`));
    expect(left).toEqual([{ id: '1' }]);
  });
});
