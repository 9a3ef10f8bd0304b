import { and, eq, inArray, lte } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { profiles, sessions } from '../platform/schema.ts';
import { forgetIntentsOf } from './upload-intents.ts';

/** How far Discord's clock may be behind ours: a session of before must not pass for a later one. */
const CLOCKS_APART_MS = 10_000;

/**
 * Somebody took the application away from their Discord account: whoever holds their cookie is signed out, and what
 * they began there is over. Their folders stay, which they can reach by signing in again.
 * @param at when they did. Discord may tell of it minutes later, and again: who has signed in meanwhile stays so
 */
export async function deauthorize(db: Queryable, discordId: string, at: Date): Promise<void> {
  const until = new Date(at.getTime() + CLOCKS_APART_MS);
  const person = db.select({ id: profiles.id }).from(profiles).where(eq(profiles.discord_id, discordId));
  await db.delete(sessions).where(and(inArray(sessions.profile_id, person), lte(sessions.created_at, until)));
  await forgetIntentsOf(db, discordId, until);
}
