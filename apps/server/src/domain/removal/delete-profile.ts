import { and, eq, isNull } from 'drizzle-orm';
import { inTransaction, type Tx } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { gone_uploads } from '../../platform/schema/files.ts';
import { folders } from '../../platform/schema/folders.ts';
import { operator_keys } from '../../platform/schema/moderation.ts';
import { deleteIntentsOf } from '../discord/upload-intents.ts';
import { deleteInvitationsOf } from '../sharing/invitations.ts';
import { type DeletionDeps, deleteFoldersOf, type Report } from './delete-folder.ts';

/** Deletes an account: first its folders, then its own rows. */

/**
 * Deletes the profile's row, and with it sessions and visits.
 * @returns false when a folder was created since, which has to be deleted first
 */
export async function deleteProfileRow(tx: Tx, profileId: string): Promise<boolean> {
  // This lock keeps other transactions from adding a folder, a visit or a session of this profile.
  const [profile] = await tx.select().from(profiles).where(eq(profiles.id, profileId)).for('update');
  const [left] = await tx
    .select({ id: folders.id })
    .from(folders)
    .where(and(eq(folders.owner_profile_id, profileId), isNull(folders.deleted_at)))
    .limit(1);
  if (left) return false;
  await tx.delete(gone_uploads).where(eq(gone_uploads.profile_id, profileId));
  // Rows of deleted folders: without them, late requests answer 404 instead of 410.
  await tx.delete(folders).where(eq(folders.owner_profile_id, profileId));
  // Reporters must not seal keys to a deleted operator. Bans and operators' acts stay (docs/abuse.md).
  if (profile) await tx.delete(operator_keys).where(eq(operator_keys.discord_id, profile.discord_id));
  if (profile) await deleteIntentsOf(tx, profile.discord_id);
  if (profile) await deleteInvitationsOf(tx, profile.discord_id);
  await tx.delete(profiles).where(eq(profiles.id, profileId));
  return true;
}

/**
 * Deletes an account and everything stored for it: folders, files, keys, open uploads, visits, sessions. After a
 * failure the account can be deleted again. A second call does nothing.
 * @param report is called for each blob that could not be deleted now; the sweeper purges it later
 */
export async function deleteProfile(deps: DeletionDeps, profileId: string, report: Report): Promise<void> {
  do await deleteFoldersOf(deps, profileId, report);
  while (!(await inTransaction(deps.db, (tx) => deleteProfileRow(tx, profileId))));
}
