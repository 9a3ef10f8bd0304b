import { randomUUID } from 'node:crypto';
import type { ProfileExport, RedeemIntentOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { newIntent, saveIntent } from '../../src/domain/discord/upload-intents.ts';
import { createTextSealer } from '../../src/platform/keys/text-sealer.ts';
import { hashToken } from '../../src/platform/keys/tokens.ts';
import { upload_intents } from '../../src/platform/schema/bot.ts';
import { codeOf, deleteFolder, sweepAll } from '../support/storage-kit.ts';
import { type Account, createTestApp, idOf } from '../support/test-app.ts';

/** /upload intents, and the browser that gets them. */

const app = await createTestApp();
const mika = await app.signIn('mika');
const jonas = await app.signIn('jonas');

describe('an intent', () => {
  const replyTokens = createTextSealer(Buffer.alloc(32, 1), 'reply tokens');

  const WISH = { folder_name: 'Saturday raid', lifetime_hours: 6, link_mode: 'plain', language: 'en' } as const;
  const intentOf = async (name: string) => {
    const asked = { replyToken: 'what edits the reply', received_at: new Date() };
    const { token, intent } = newIntent({ replyTokens }, { ...WISH, discord_id: idOf(name) }, asked);
    await saveIntent(app.database.db, intent);
    return token;
  };
  const redeem = (intent: string, as?: Account) =>
    app.call('POST', '/discord/intents/redeem', { as, body: { intent } });
  const redeemed = async (as: Account, name: string) =>
    ((await (await redeem(await intentOf(name), as)).json()) as RedeemIntentOutput).intent_id;
  const letTimePass = (token: string) =>
    app.database.db
      .update(upload_intents)
      .set({ expires_at: sql`clock_timestamp()` })
      .where(eq(upload_intents.token_hash, hashToken(token)));
  const rowOf = async (id: string) =>
    (await app.database.db.select().from(upload_intents).where(eq(upload_intents.id, id)))[0];
  const make = async (as: Account, intent_id: string) => {
    const made = await app.rpc<{ folder: Folder }>('create_folder_with_temp_key', { intent_id }, as);
    expect(made.status).toBe(201);
    return made.body.folder;
  };

  test('gives its person the folder and name that the command asked for, once, and creates no session', async () => {
    const token = await intentOf('mika');
    const response = await redeem(token, mika);
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { folder_name, lifetime_hours, link_mode } = WISH;
    expect(await response.json()).toEqual({
      intent_id: expect.any(String),
      folder_name,
      lifetime_hours,
      link_mode,
    });
    const again = await redeem(token, mika);
    expect([again.status, await codeOf(again)]).toEqual([404, 'intent.invalid']);
  });

  test('is refused to another account and without sign-in, and is not used up by that', async () => {
    const token = await intentOf('mika');
    const foreign = await redeem(token, jonas);
    expect([foreign.status, await codeOf(foreign)]).toEqual([403, 'intent.foreign']);
    const withoutSession = await redeem(token);
    expect([withoutSession.status, await codeOf(withoutSession)]).toEqual([401, 'auth.required']);
    expect(withoutSession.headers.getSetCookie()).toEqual([]);
    expect((await redeem(token, mika)).status).toBe(200);
    // For others, a used one never existed.
    expect(await codeOf(await redeem(token, jonas))).toBe('intent.invalid');
  });

  test('of twenty redemptions at once, one succeeds', async () => {
    const token = await intentOf('mika');
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await redeem(token, mika)).status));
    expect(statuses.sort()).toEqual([200, ...Array(19).fill(404)]);
  });

  test('expires after fifteen minutes, and the sweep purges it', async () => {
    const token = await intentOf('mika');
    const [row] = await app.database.db
      .select({ seconds: sql<number>`extract(epoch from expires_at - clock_timestamp())::float8` })
      .from(upload_intents)
      .where(eq(upload_intents.token_hash, hashToken(token)));
    expect(row!.seconds).toBeGreaterThan(14 * 60);
    expect(row!.seconds).toBeLessThanOrEqual(15 * 60);
    const kept = await intentOf('mika');
    await letTimePass(token);
    expect(await codeOf(await redeem(token, mika))).toBe('intent.invalid');
    expect(await sweepAll(app)).toEqual([]);
    const left = await app.database.db.select({ hash: upload_intents.token_hash }).from(upload_intents);
    expect(left.map(({ hash }) => hash)).toContain(hashToken(kept));
    expect(left.map(({ hash }) => hash)).not.toContain(hashToken(token));
  });

  test('opens nothing by its row: neither the link nor the reply', async () => {
    const token = await intentOf('mika');
    const [row] = await app.database.db
      .select()
      .from(upload_intents)
      .where(eq(upload_intents.token_hash, hashToken(token)));
    expect(JSON.stringify(row)).not.toContain(token);
    expect(JSON.stringify(row)).not.toContain('what edits the reply');
    expect(replyTokens.open(row!.reply_token, row!.id)).toBe('what edits the reply');
    // Moved to another row, it can't be opened.
    expect(replyTokens.open(row!.reply_token, randomUUID())).toBeNull();
  });

  test('is bound to the next folder of its person, and to no other', async () => {
    const mine = await redeemed(mika, 'mika');
    const folder = await make(mika, mine);
    expect((await rowOf(mine))?.folder_id).toBe(folder.id);
    // Used: a second folder does not take it over.
    await make(mika, mine);
    expect((await rowOf(mine))?.folder_id).toBe(folder.id);
    await deleteFolder(app, mika, folder);
    expect(await rowOf(mine)).toBeUndefined();
  });

  test('binds nothing if it is another person’s, not redeemed, expired or invented; the folder is created', async () => {
    const theirs = await redeemed(jonas, 'jonas');
    await make(mika, theirs);
    expect((await rowOf(theirs))?.folder_id).toBeNull();

    const [unredeemed] = await app.database.db
      .select()
      .from(upload_intents)
      .where(eq(upload_intents.token_hash, hashToken(await intentOf('mika'))));
    await make(mika, unredeemed!.id);
    expect((await rowOf(unredeemed!.id))?.folder_id).toBeNull();

    const over = await redeemed(mika, 'mika');
    await app.database.db
      .update(upload_intents)
      .set({ expires_at: sql`clock_timestamp()` })
      .where(eq(upload_intents.id, over));
    await make(mika, over);
    expect((await rowOf(over))?.folder_id).toBeNull();

    await make(mika, randomUUID());
  });

  test('is in its person’s export without secrets, and is deleted with their account', async () => {
    const ava = await app.signIn('ava');
    const token = await intentOf('ava');
    const response = await app.call('GET', '/rest/v1/profiles/me/export', { as: ava });
    const text = await response.text();
    expect((JSON.parse(text) as ProfileExport).upload_intents).toMatchObject([
      { folder_id: null, folder_name: 'Saturday raid', lifetime_hours: 6, link_mode: 'plain' },
    ]);
    expect(text).not.toContain(hashToken(token));
    expect(text).not.toContain('reply_token');
    expect((await app.call('DELETE', '/rest/v1/profiles/me', { as: ava })).status).toBe(204);
    const left = await app.database.db
      .select()
      .from(upload_intents)
      .where(eq(upload_intents.discord_id, idOf('ava')));
    expect(left).toEqual([]);
    const back = await app.signIn('ava');
    expect(await codeOf(await redeem(token, back))).toBe('intent.invalid');
  });
});
