import { and, eq, ne, sql } from 'drizzle-orm';
import type { BlobStore } from '../../platform/blobs/blobs.ts';
import { noteChange } from '../../platform/database/change-notes.ts';
import { type Db, inTransaction, type Tx } from '../../platform/database/db.ts';
import type { KeyShares } from '../../platform/keys/key-shares.ts';
import { folders, slugs } from '../../platform/schema/folders.ts';
import { temp_encryption_keys } from '../../platform/schema/links.ts';
import { reports } from '../../platform/schema/moderation.ts';
import { type Actor, type FoundFolder, lockFolderToDelete, requireOwner } from '../access/find-folder.ts';
import { deleteVisitsOf } from '../activity/visit-counters.ts';
import { deleteIntentsOfFolder } from '../discord/upload-intents.ts';
import { purgeBlobs } from '../files/blob-purge.ts';
import { deleteFilesOf } from '../files/files.ts';
import { deleteGuests } from '../sharing/grants.ts';
import { deleteUploadsOf } from '../uploads/uploads.ts';

/** Deletes folders with everything that belongs to them. */

export interface DeletionDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly keyShares: KeyShares;
}

export type Report = (error: unknown) => void;

/** How long the slug of a deleted folder can't be taken, and the slug of an expired folder says Expired. */
const SLUG_KEPT = sql`interval '30 days'`;
/** What the slug of a deleted folder keeps. */
const NOTHING_KEPT = { expires_at: null, folder_id: null, storage_path: null };

/**
 * Deletes the keys that reports of a folder hold. The caller has locked the folder's row, so that no report is added in
 * between.
 */
async function deleteReportedKeys(tx: Tx, slug: string): Promise<void> {
  await tx
    .update(reports)
    .set({ sealed_keys: '[]' })
    .where(and(eq(reports.slug, slug), ne(reports.sealed_keys, '[]')));
}

/**
 * Deletes the rows of a locked folder: its quota and key are free at once, its blobs are queued. The caller deletes the
 * key shares after the commit.
 * @returns the queued blobs
 */
export async function deleteFolderRows(tx: Tx, folder: FoundFolder): Promise<string[]> {
  // First, so that the folder's rows are not noted as taken back one by one (migrations.ts).
  await tx
    .update(folders)
    .set({ deleted_at: sql`now()`, name: null, description: null })
    .where(eq(folders.id, folder.id));
  const queued = [...(await deleteUploadsOf(tx, folder.id)), ...(await deleteFilesOf(tx, folder.id))];
  noteChange(tx, folder.id);
  await deleteVisitsOf(tx, folder.id);
  await deleteGuests(tx, folder.id);
  await deleteIntentsOfFolder(tx, folder.id);
  await deleteReportedKeys(tx, folder.slug);
  await tx.delete(temp_encryption_keys).where(eq(temp_encryption_keys.folder_id, folder.id));
  // An expired folder stays Expired for 30 days, a deleted one is Not Found at once.
  const { is_expired, expires_at, id: folder_id, bucket_storage_path: storage_path } = folder;
  // A restricted folder leaves no trace: its slug answers 404, not Expired (docs/decisions/011).
  const kept = is_expired && folder.access === 'link' ? { expires_at, folder_id, storage_path } : NOTHING_KEPT;
  const purge_at = sql`coalesce(${kept.expires_at?.toISOString() ?? null}::timestamptz, now()) + ${SLUG_KEPT}`;
  await tx
    .update(slugs)
    .set({ ...kept, purge_at })
    .where(eq(slugs.slug, folder.slug));
  return queued;
}

/** A folder whose rows have just been deleted, and its queued blobs. */
export interface DeletedFolder {
  readonly folderId: string;
  readonly queued: readonly string[];
}

/**
 * Finishes a deletion after its commit: deletes the folder's own key shares and purges its own blobs. The folder is
 * deleted even if a step fails here; the sweeper purges the rest.
 */
export async function finishDeletion(deps: DeletionDeps, deleted: DeletedFolder, report: Report): Promise<void> {
  await deps.keyShares.deleteAll(deleted.folderId).catch(report);
  await purgeBlobs(deps, deleted.queued, report);
}

/**
 * The owner's Delete. When this resolves, rows, quota, key share and bytes are deleted.
 * @returns the folder as it was
 * @throws folder.not_found, folder.forbidden
 */
export async function deleteFolder(
  deps: DeletionDeps,
  { viewer, folderId, report }: { viewer: Actor; folderId: string; report: Report },
): Promise<FoundFolder> {
  const deleted = await inTransaction(deps.db, async (tx) => {
    const folder = await lockFolderToDelete(tx, folderId);
    requireOwner(folder, viewer);
    return { folder, queued: await deleteFolderRows(tx, folder) };
  });
  await finishDeletion(deps, { folderId: deleted.folder.id, queued: deleted.queued }, report);
  return deleted.folder;
}

/**
 * Deletes all folders of a person, with their blobs, as part of the deletion of the account.
 * @param report is called for each blob that could not be deleted now
 * @throws when a key share can't be deleted: once the account is deleted, no row names it
 */
export async function deleteFoldersOf(deps: DeletionDeps, profileId: string, report: Report): Promise<void> {
  const { db, keyShares } = deps;
  const owned = await db.select({ id: folders.id }).from(folders).where(eq(folders.owner_profile_id, profileId));
  for (const { id } of owned) {
    const queued = await inTransaction(db, async (tx) => {
      const [folder] = await tx.select().from(folders).where(eq(folders.id, id)).for('update');
      return folder?.deleted_at === null ? deleteFolderRows(tx, { ...folder, is_expired: false }) : [];
    });
    await keyShares.deleteAll(id);
    await purgeBlobs(deps, queued, report);
  }
}
