import { AppError } from '@satchel/contract/errors';
import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/db.ts';
import { prepared, type Slots } from '../../platform/database/prepared.ts';
import { profiles, sessions } from '../../platform/schema/accounts.ts';
import { bans } from '../../platform/schema/moderation.ts';
import type { ProfileRow } from '../accounts/profiles.ts';
import { deleteIntentsOf } from './upload-intents.ts';

/** What the database knows of a person in Discord, by their Discord id. */
export interface Person {
  /** Null for a person who is not banned. */
  readonly ban_reason: string | null;
  /** Null for a person who has never signed in. */
  readonly profile: Pick<ProfileRow, 'id' | 'subscription_tier' | 'upload_link_mode' | 'copies_link'> | null;
}

/** Of a join with `bans` and `profiles`. */
export const PERSON_COLUMNS = {
  ban_reason: bans.reason,
  profile: {
    id: profiles.id,
    subscription_tier: profiles.subscription_tier,
    upload_link_mode: profiles.upload_link_mode,
    copies_link: profiles.copies_link,
  },
};

const selectPerson = prepared((db, { discord_id }: Slots<{ discord_id: string }>) =>
  db
    .select(PERSON_COLUMNS)
    .from(sql`(select 1) as asked`)
    .leftJoin(bans, eq(bans.discord_id, discord_id))
    .leftJoin(profiles, eq(profiles.discord_id, discord_id)),
);

/** A person's ban and account, in one statement. */
export async function personOf(db: Queryable, discord_id: string): Promise<Person> {
  const [person] = await selectPerson(db, { discord_id });
  return person ?? { ban_reason: null, profile: null };
}

/**
 * Refuses a banned person. A ban that is committed during the command may come too late for it.
 * @throws auth.banned
 */
export function requireNotBanned({ ban_reason: reason }: Person): void {
  if (reason !== null) throw new AppError('auth.banned', { reason });
}

/**
 * How far Discord's clock may be behind ours: a session from before the deauthorization must not count as a later one.
 */
const CLOCKS_APART_MS = 10_000;

/**
 * Handles a person who removed the application from their Discord account: ends their sessions and deletes their upload
 * intents. Their folders stay; they can reach them by signing in again.
 * @param at when they removed it. Discord may report it minutes later, and repeatedly: sessions begun after it stay
 */
export async function deauthorize(db: Queryable, discordId: string, at: Date): Promise<void> {
  const until = new Date(at.getTime() + CLOCKS_APART_MS);
  const person = db.select({ id: profiles.id }).from(profiles).where(eq(profiles.discord_id, discordId));
  await db.delete(sessions).where(and(inArray(sessions.profile_id, person), lte(sessions.created_at, until)));
  await deleteIntentsOf(db, discordId, until);
}
