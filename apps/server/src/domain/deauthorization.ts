import { eq, inArray } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import { profiles, sessions } from '../platform/schema.ts';
import { forgetIntentsOf } from './upload-intents.ts';

/**
 * Somebody took the application away from their Discord account: whoever holds their cookie is signed out, and what
 * they began there is over. Their folders stay, which they can reach by signing in again.
 */
export async function deauthorize(db: Db, discordId: string): Promise<void> {
  const person = db.select({ id: profiles.id }).from(profiles).where(eq(profiles.discord_id, discordId));
  await db.delete(sessions).where(inArray(sessions.profile_id, person));
  await forgetIntentsOf(db, discordId);
}
