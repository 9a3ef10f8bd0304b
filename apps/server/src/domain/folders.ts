import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import { folders } from '../platform/schema.ts';

export type FolderRow = typeof folders.$inferSelect;
/** The signed-in person of a request. */
export interface Viewer {
  readonly profile_id: string;
  readonly session_id: string;
}

// The database's clock decides (DESIGN R11), and not the start of a transaction that may have waited for a lock.
const isExpired = sql<boolean>`${folders.expires_at} <= clock_timestamp()`;
const columns = { ...getTableColumns(folders), is_expired: isExpired };
type Found = FolderRow & { is_expired: boolean };

function usable(found: Found | undefined, missing: ErrorCode): FolderRow {
  if (!found || found.deleted_at !== null) throw new AppError(missing);
  if (found.is_expired) throw new AppError('folder.expired');
  const { is_expired: _, ...folder } = found;
  return folder;
}

async function find(db: Db, where: SQL): Promise<Found | undefined> {
  const [found] = await db.select(columns).from(folders).where(where);
  return found;
}

/** @throws storage.not_found, folder.expired */
export async function folderByStoragePath(db: Db, storagePath: string): Promise<FolderRow> {
  return usable(await find(db, eq(folders.bucket_storage_path, storagePath)), 'storage.not_found');
}

/** @throws folder.not_found, folder.expired */
export async function folderBySlug(db: Db, slug: string): Promise<FolderRow> {
  return usable(await find(db, eq(folders.slug, slug)), 'folder.not_found');
}

/**
 * Locks a folder's row until the transaction ends.
 * @throws folder.not_found, folder.expired
 */
export async function lockFolder(tx: Db, folderId: string): Promise<FolderRow> {
  const [found] = await tx.select(columns).from(folders).where(eq(folders.id, folderId)).for('update');
  return usable(found, 'folder.not_found');
}

/** @throws folder.forbidden */
export function requireOwner(folder: FolderRow, viewer: Viewer): void {
  if (folder.owner_profile_id !== viewer.profile_id) throw new AppError('folder.forbidden');
}
