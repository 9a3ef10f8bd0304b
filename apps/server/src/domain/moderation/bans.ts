import type { BanInput, BanList, BansQuery } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { and, desc, eq, inArray, notLike, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { type Db, inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import { profiles, sessions } from '../../platform/schema/accounts.ts';
import { bans } from '../../platform/schema/moderation.ts';
import { type Operator, recordAct } from './audit-log.ts';

/** Bans people by their Discord id, so that deleting an account lifts no ban. */

const LOCK = 7_234_120;

/** Serialises sign-in and ban of one person: no session begins beside its ban. */
async function lockPerson(tx: Tx, discordId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK}::integer, hashtext(${discordId}::text))`);
}

/**
 * Locks a person for a sign-in within `tx`, unless they are banned.
 * @throws auth.banned
 */
export async function refuseBanned(tx: Tx, discordId: string): Promise<void> {
  await lockPerson(tx, discordId);
  const [ban] = await tx.select().from(bans).where(eq(bans.discord_id, discordId));
  if (ban) throw new AppError('auth.banned', { reason: ban.reason });
}

/**
 * Bans a person, or changes the reason of their ban. Their sessions end, and with them what their bearer tokens may
 * write.
 * @throws request.invalid for an operator
 */
export async function banPerson(
  db: Db,
  operators: readonly Operator[],
  operator: Operator,
  { discord_id, reason }: Pick<z.output<typeof BanInput>, 'discord_id' | 'reason'>,
): Promise<void> {
  if (operators.includes(discord_id)) {
    throw new AppError('request.invalid', { message: 'discord_id: an operator can’t be banned' });
  }
  await inTransaction(db, async (tx) => {
    await lockPerson(tx, discord_id);
    await tx
      .insert(bans)
      .values({ discord_id, reason })
      .onConflictDoUpdate({ target: bans.discord_id, set: { reason } });
    const person = tx.select({ id: profiles.id }).from(profiles).where(eq(profiles.discord_id, discord_id));
    // Waits for transactions that create a folder, which hold the profile (holdProfile).
    await person.for('update');
    await tx.delete(sessions).where(inArray(sessions.profile_id, person));
    await recordAct(tx, operator, { act: 'ban', target: discord_id, detail: reason });
  });
}

/** @throws request.not_found for a person who is not banned */
export async function unbanPerson(db: Db, operator: Operator, discordId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const [lifted] = await tx.delete(bans).where(eq(bans.discord_id, discordId)).returning();
    if (!lifted) throw new AppError('request.not_found');
    await recordAct(tx, operator, { act: 'unban', target: discordId, detail: null });
  });
}

const PAGE = 50;

/** The newest bans, or the bans after one of them. */
export async function listBans(db: Queryable, { before, before_id }: z.output<typeof BansQuery>): Promise<BanList> {
  const rows = await db
    .select()
    .from(bans)
    .where(
      and(
        // Bans of another Discord are set aside (`issuer.ts`).
        notLike(bans.discord_id, '%@%'),
        before === undefined
          ? undefined
          : sql`(${bans.created_at}, ${bans.discord_id}) < (${before}::timestamptz, ${before_id}::text)`,
      ),
    )
    .orderBy(desc(bans.created_at), desc(bans.discord_id))
    .limit(PAGE + 1);
  const page = rows.slice(0, PAGE).map((ban) => ({ ...ban, created_at: ban.created_at.toISOString() }));
  return { bans: page, has_more: rows.length > PAGE };
}
