import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { and, eq, isNull } from 'drizzle-orm';
import { lockFolderToDelete } from '../domain/access/find-folder.ts';
import { type DeletionDeps, deleteFolderRows, finishDeletion, type Report } from '../domain/removal/delete-folder.ts';
import { publishOnce } from '../platform/database/change-channel.ts';
import { inTransaction, type Queryable } from '../platform/database/db.ts';
import { folders } from '../platform/schema/folders.ts';

/** Deletes a folder by its slug, for the operator of the machine. */

/** What the operator is asked about. */
export interface FolderFound {
  readonly id: string;
  readonly slug: string;
  readonly file_count: number;
  readonly size_bytes: number;
}

/** A folder that is not deleted, expired or not; null when there is none. */
export async function findFolderOfSlug(db: Queryable, slug: string): Promise<FolderFound | null> {
  if (!isSlug(slug)) return null;
  const { id, file_count, size_bytes } = folders;
  const [found] = await db
    .select({ id, slug: folders.slug, file_count, size_bytes })
    .from(folders)
    .where(and(eq(folders.slug, slug), isNull(folders.deleted_at)));
  return found ?? null;
}

/**
 * @param report is called with what could not be deleted now; the next sweep does it
 * @returns false when the folder is not there any more
 */
export async function deleteFound(deps: DeletionDeps, { id }: FolderFound, report: Report): Promise<boolean> {
  try {
    const queued = await inTransaction(deps.db, async (tx) => deleteFolderRows(tx, await lockFolderToDelete(tx, id)));
    await publishOnce(deps.db, id).catch(report);
    await finishDeletion(deps, { folderId: id, queued }, report);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'folder.not_found') return false;
    throw error;
  }
}
