import { and, eq, isNull } from 'drizzle-orm';
import { type Db, inTransaction } from '../platform/db.ts';
import { folders, gone_uploads, operator_keys, profiles } from '../platform/schema.ts';
import { type RemovalDeps, type Report, removeFoldersOf } from './removal.ts';
import { forgetInvitationsOf } from './shares.ts';
import { forgetIntentsOf } from './upload-intents.ts';

/** The end of an account: what it held, then itself. */

/**
 * Takes the profile's row away, and with it sessions and visits.
 * @returns false when a folder was made meanwhile, which has to go first
 */
async function forgetProfile(db: Db, profileId: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // From here on nobody makes a folder for this profile, nor books a visit or a session of it.
    const [profile] = await tx.select().from(profiles).where(eq(profiles.id, profileId)).for('update');
    const [left] = await tx
      .select({ id: folders.id })
      .from(folders)
      .where(and(eq(folders.owner_profile_id, profileId), isNull(folders.deleted_at)))
      .limit(1);
    if (left) return false;
    await tx.delete(gone_uploads).where(eq(gone_uploads.profile_id, profileId));
    // Tombstones: without their folder, late requests hear 404 instead of 410.
    await tx.delete(folders).where(eq(folders.owner_profile_id, profileId));
    // Nobody shall seal to an operator who is gone. Bans and operators' acts stay (docs/abuse.md).
    if (profile) await tx.delete(operator_keys).where(eq(operator_keys.discord_id, profile.discord_id));
    if (profile) await forgetIntentsOf(tx, profile.discord_id);
    if (profile) await forgetInvitationsOf(tx, profile.discord_id);
    await tx.delete(profiles).where(eq(profiles.id, profileId));
    return true;
  });
}

/**
 * Erases an account and all that is stored of it: folders, files, keys, uploads under way, visits, sessions. Nothing is
 * left when this resolves; whatever fails leaves an account that can be erased again. A second time does nothing.
 * @param report told of bytes that could not be removed now; the sweeper goes on with them
 */
export async function eraseProfile(deps: RemovalDeps, profileId: string, report: Report): Promise<void> {
  do await removeFoldersOf(deps, profileId, report);
  while (!(await forgetProfile(deps.db, profileId)));
}
