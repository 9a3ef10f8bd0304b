import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Command } from '../../src/bot/command.ts';
import { ERROR_TEXTS } from '../../src/bot/error-texts.ts';
import { BOT_TIMES } from '../../src/bot/interactions.ts';
import { uploadCommand } from '../../src/bot/upload/upload.ts';
import { sealedAnswerOf } from '../../src/domain/discord/interactions.ts';
import { hashToken } from '../../src/platform/keys/tokens.ts';
import { upload_intents } from '../../src/platform/schema/bot.ts';
import { openTestDatabase } from '../support/at-end.ts';
import { commandBody, makeInteraction, recordRest, send } from '../support/discord/discord-kit.ts';
import { createTestApp, idOf } from '../support/test-app.ts';

/** An intent of /upload is stored exactly when the answer that offers it is (docs/decisions/014). */

const linkIn = (text: string): string => /#intent=([\w-]{43})/.exec(text)?.[1] ?? '';

const said = recordRest();
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

const database = await openTestDatabase();
const start = (deferAfterMs: number, commands: readonly Command[]) =>
  createTestApp({
    deps: { database, discordRest: said.rest, commands, botTimes: { ...BOT_TIMES, deferAfterMs, pollMs: 5 } },
  });
const app = await start(600_000, [slowUpload]);
/** Another node of the same site. */
const other = await start(600_000, [uploadCommand]);
/** A node that defers every answer that is not immediate. */
const late = await start(0, [slowUpload]);

describe('the intent of an interaction', () => {
  const makeBody = (as: string) =>
    JSON.stringify(makeInteraction(app, as, commandBody('upload', { folder: 'Saturday raid' })));
  const intentsOf = (as: string) =>
    app.database.db
      .select()
      .from(upload_intents)
      .where(eq(upload_intents.discord_id, idOf(as)));

  /** Blocks answers until `open` is called; `begun` resolves once one is made. */
  function close() {
    const shut = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    gate = shut.promise;
    entered = begun.resolve;
    return { open: shut.resolve, begun: begun.promise };
  }

  test('is stored once, whichever of two nodes gets the interaction, and how often', async () => {
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
    expect(answers[0]!.text).toContain('within 15 minutes');
  });

  test('is not the intent of a node which lost its claim', async () => {
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

  test('is stored before a late answer that offers it is sent', async () => {
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

    test('is offered by no answer, and no answer is stored', async () => {
      const body = makeBody('otto');
      const { status, text } = await send(other, body);
      expect([status, JSON.parse(text).data.content]).toEqual([200, ERROR_TEXTS.en.generic]);
      expect(await sealedAnswerOf(app.database.db, JSON.parse(body).id)).toBeNull();
      expect(await intentsOf('otto')).toEqual([]);
    });

    test('is offered by no late answer', async () => {
      const { open } = close();
      const before = said.all.length;
      await send(late, makeBody('otto'));
      open();
      await said.until(before + 1);
      expect(said.all[before]!.message.content).toBe(ERROR_TEXTS.en.generic);
    });
  });
});
