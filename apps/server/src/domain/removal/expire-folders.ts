import { and, asc, eq, isNull, lte, or, sql } from 'drizzle-orm';
import { type Db, inTransaction } from '../../platform/database/db.ts';
import { files, uploads } from '../../platform/schema/files.ts';
import { folders, slugs } from '../../platform/schema/folders.ts';
import { deleteInBatches, hasNone } from '../base/batches.ts';
import { purgeBlobs } from '../files/blob-purge.ts';
import { type DeletionDeps, deleteFolderRows, type Report } from './delete-folder.ts';

/** Expires folders by the clock, and purges the rows that deleted folders leave behind. */

const BATCH = 100;

/** Expires one folder. Null when another node holds or has deleted it, else its queued blobs. */
async function expireFolder({ db }: DeletionDeps, folderId: string): Promise<string[] | null> {
  return inTransaction(db, async (tx) => {
    const [folder] = await tx
      .select()
      .from(folders)
      .where(and(eq(folders.id, folderId), isNull(folders.deleted_at), lte(folders.expires_at, sql`now()`)))
      .for('update', { skipLocked: true });
    return folder ? deleteFolderRows(tx, { ...folder, is_expired: true }) : null;
  });
}

/**
 * Deletes the key shares of expired folders until one deletion fails: a key service that is down would cost a timeout for
 * each folder. purgeKeys deletes the rest.
 */
function createShareDeleter({ keyShares }: DeletionDeps, report: Report): (folderId: string) => Promise<void> {
  let isDown = false;
  return async (folderId) => {
    if (isDown) return;
    await keyShares.deleteAll(folderId).catch((error) => {
      isDown = true;
      report(error);
    });
  };
}

/** Expires folders one by one, each with its blobs: space is free long before the last of many folders is deleted. */
export async function expireFolders(deps: DeletionDeps, report: Report, signal?: AbortSignal): Promise<void> {
  const deleteShares = createShareDeleter(deps, report);
  while (!signal?.aborted) {
    const expired = await deps.db
      .select({ id: folders.id })
      .from(folders)
      .where(and(isNull(folders.deleted_at), lte(folders.expires_at, sql`now()`)))
      .orderBy(asc(folders.expires_at))
      .limit(BATCH);
    let expiredCount = 0;
    for (const { id } of expired) {
      if (signal?.aborted) return;
      try {
        const queued = await expireFolder(deps, id);
        if (queued === null) continue;
        expiredCount += 1;
        await deleteShares(id);
        await purgeBlobs(deps, queued, report, signal);
      } catch (error) {
        report(error);
      }
    }
    // No progress: another node holds the rest, or each folder fails. The next sweep tries again.
    if (expired.length < BATCH || expiredCount === 0) return;
  }
}

/** Purges rows of deleted folders after an hour, when every request that ran during the deletion has ended. */
export async function purgeDeletedFolders(db: Db, signal?: AbortSignal): Promise<void> {
  const isDone = and(
    lte(folders.deleted_at, sql`now() - interval '1 hour'`),
    // Until then the row names the owner of a restricted folder, who alone may know of the takedown.
    or(
      lte(folders.deleted_at, sql`now() - interval '30 days'`),
      hasNone(slugs, and(eq(slugs.folder_id, folders.id), eq(slugs.restricted, true))!),
    ),
    hasNone(files, eq(files.folder_id, folders.id)),
    hasNone(uploads, eq(uploads.folder_id, folders.id)),
  );
  await deleteInBatches(db, folders, { which: isDone!, since: folders.deleted_at }, signal);
}

/** Purges slugs that may be taken again. */
export async function purgeSlugs(db: Db, signal?: AbortSignal): Promise<void> {
  const isFolderGone = hasNone(folders, eq(folders.slug, slugs.slug));
  const which = and(lte(slugs.purge_at, sql`now()`), isFolderGone)!;
  await deleteInBatches(db, slugs, { which, since: slugs.purge_at }, signal);
}
