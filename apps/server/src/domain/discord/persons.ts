import { AppError } from '@satchel/contract/errors';
import { eq, sql } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { prepared, type Slots } from '../platform/prepared.ts';
import { bans, profiles } from '../platform/schema.ts';
import type { ProfileRow } from './profiles.ts';

/** What is known here of a person in Discord, by their Discord id. */
export interface Person {
  /** Null for a person who is not banned. */
  readonly ban_reason: string | null;
  /** Null for a person who has never signed in. */
  readonly profile: Pick<ProfileRow, 'id' | 'subscription_tier'> | null;
}

const selectPerson = prepared((db, { discord_id }: Slots<{ discord_id: string }>) =>
  db
    .select({
      ban_reason: bans.reason,
      profile: { id: profiles.id, subscription_tier: profiles.subscription_tier },
    })
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
 * Refuses what a person who is banned asks for. A ban that is just being made may come too late for it.
 * @throws auth.banned
 */
export function requireNotBanned({ ban_reason: reason }: Person): void {
  if (reason !== null) throw new AppError('auth.banned', { reason });
}
