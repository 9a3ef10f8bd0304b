import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Command } from '../bot/command.ts';
import { ERROR_TEXTS } from '../bot/error-texts.ts';
import { BOT_TIMES } from '../bot/interactions.ts';
import { uploadCommand } from '../bot/upload.ts';
import { sealedAnswerOf } from '../domain/interactions.ts';
import { upload_intents } from '../platform/schema-bot.ts';
import { hashToken } from '../platform/tokens.ts';
import { commandBody, makeInteraction, recordRest, send } from '../testing/discord-kit.ts';
import { createTestApp, idOf, type TestApp } from '../testing/test-app.ts';
import { openTestDatabase } from '../testing/test-database.ts';

/** What /upload notes down is there exactly when the answer is that tells of it (docs/decisions/014). */

const linkIn = (text: string): string => /#intent=([\w-]{43})/.exec(text)?.[1] ?? '';

describe('the intent of an interaction', () => {
  const said = recordRest();
  let app: TestApp;
  /** Another node of the same site. */
  let other: TestApp;
  /** A node that defers whatever is not answered at once. */
  let late: TestApp;
  /** Lets the first node's answer out. */
  let gate = Promise.resolve();
  let entered: () => void = () => undefined;

  const slowUpload: Command = {
    ...uploadCommand,
    async run(deps, call): Promise<Answer> {
      const answer = await uploadCommand.run(deps, call);
      entered();
      await gate;
      return answer;
    },
  };

  beforeAll(async () => {
    const database = await openTestDatabase();
    const start = (deferAfterMs: number, commands: readonly Command[]) =>
      createTestApp({
        deps: { database, discordRest: said.rest, commands, botTimes: { ...BOT_TIMES, deferAfterMs, pollMs: 5 } },
      });
    app = await start(600_000, [slowUpload]);
    other = await start(600_000, [uploadCommand]);
    late = await start(0, [slowUpload]);
  });
  afterAll(async () => {
    await app.close();
    await other.close();
    await late.close();
  });

  const makeBody = (as: string) =>
    JSON.stringify(makeInteraction(app, as, commandBody('upload', { folder: 'Saturday raid' })));
  const intentsOf = (as: string) =>
    app.database.db
      .select()
      .from(upload_intents)
      .where(eq(upload_intents.discord_id, idOf(as)));

  /** Holds answers up until `open` is called; `begun` says that one was made. */
  function close() {
    const shut = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    gate = shut.promise;
    entered = begun.resolve;
    return { open: shut.resolve, begun: begun.promise };
  }

  test('is one, whichever of two nodes hears of the interaction, and how often', async () => {
    const body = makeBody('mika');
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send(n % 2 ? app : other, body)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const [intent, ...more] = await intentsOf('mika');
    expect(more).toEqual([]);
    expect(intent).toMatchObject({
      token_hash: hashToken(linkIn(answers[0]!.text)),
      folder_name: 'Saturday raid',
      link_mode: 'private',
      language: 'en',
      folder_id: null,
      redeemed_at: null,
      told_at: null,
    });
    expect(intent!.expires_at.getTime() - intent!.created_at.getTime()).toBeGreaterThan(14 * 60_000);
    expect(answers[0]!.text).toContain(`<t:${Math.floor(intent!.expires_at.getTime() / 1000)}:R>`);
  });

  test('is not that of a node which lost its claim', async () => {
    const body = makeBody('jonas');
    const asleep = close();
    const first = send(app, body);
    await asleep.begun;
    await app.database.db.execute(
      sql`update interactions set received_at = received_at - interval '1 minute' where id = ${JSON.parse(body).id}`,
    );
    const second = await send(other, body);
    asleep.open();
    expect((await first).text).toBe(second.text);
    expect((await intentsOf('jonas')).map(({ token_hash }) => token_hash)).toEqual([hashToken(linkIn(second.text))]);
  });

  test('is there before an answer that comes late tells of it', async () => {
    const { open, begun } = close();
    const before = said.all.length;
    expect(JSON.parse((await send(late, makeBody('ava'))).text).type).toBe(5);
    await begun;
    expect(await intentsOf('ava')).toEqual([]);
    open();
    await said.until(before + 1);
    const link = linkIn(JSON.stringify(said.all[before]!.message));
    expect((await intentsOf('ava')).map(({ token_hash }) => token_hash)).toEqual([hashToken(link)]);
  });

  describe('that can’t be stored', () => {
    beforeAll(async () => {
      gate = Promise.resolve();
      await app.database.db.execute(
        sql`alter table upload_intents add constraint nobody check (discord_id <> ${sql.raw(`'${idOf('otto')}'`)})`,
      );
    });
    afterAll(() => app.database.db.execute(sql`alter table upload_intents drop constraint nobody`));

    test('is told of by no answer, and no answer is stored', async () => {
      const body = makeBody('otto');
      const { status, text } = await send(other, body);
      expect([status, JSON.parse(text).data.content]).toEqual([200, ERROR_TEXTS.en.generic]);
      expect(await sealedAnswerOf(app.database.db, JSON.parse(body).id)).toBeNull();
      expect(await intentsOf('otto')).toEqual([]);
    });

    test('is told of by no late answer', async () => {
      const { open } = close();
      const before = said.all.length;
      await send(late, makeBody('otto'));
      open();
      await said.until(before + 1);
      expect(said.all[before]!.message.content).toBe(ERROR_TEXTS.en.generic);
    });
  });
});
