import type { Folder } from '@satchel/contract/entities';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { and, desc, eq, getTableColumns, gt, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import { folders, slugs } from '../platform/schema.ts';

export type FolderRow = typeof folders.$inferSelect;
/** The signed-in person of a request. */
export interface Viewer {
  readonly profile_id: string;
  readonly session_id: string;
}

const LIST_MAX = 1000;

// The database's clock decides (DESIGN R11), and not the start of a transaction that may have waited for a lock.
const isExpired = sql<boolean>`${folders.expires_at} <= clock_timestamp()`;
const columns = { ...getTableColumns(folders), is_expired: isExpired };
/** A folder's row, and whether its time is up. */
export type FoundFolder = FolderRow & { is_expired: boolean };

function usable(found: FoundFolder | undefined, missing: ErrorCode): FolderRow {
  if (!found || found.deleted_at !== null) throw new AppError(missing);
  if (found.is_expired) throw new AppError('folder.expired');
  const { is_expired: _, ...folder } = found;
  return folder;
}

async function find(db: Db, where: SQL): Promise<FoundFolder | undefined> {
  const [found] = await db.select(columns).from(folders).where(where);
  return found;
}

/** @throws storage.not_found, folder.expired */
export async function folderByStoragePath(db: Db, storagePath: string): Promise<FolderRow> {
  return usable(await find(db, eq(folders.bucket_storage_path, storagePath)), 'storage.not_found');
}

/** When a swept folder expired; null when the slug's folder was deleted, or there never was one (DESIGN R17). */
export async function expiryOfSwept(db: Db, slug: string): Promise<Date | null> {
  const [swept] = await db.select({ expires_at: slugs.expires_at }).from(slugs).where(eq(slugs.slug, slug));
  return swept?.expires_at ?? null;
}

/** @throws folder.not_found, folder.expired */
export async function folderBySlug(db: Db, slug: string): Promise<FolderRow> {
  if (!isSlug(slug)) throw new AppError('folder.not_found');
  const found = await find(db, and(eq(folders.slug, slug), isNull(folders.deleted_at))!);
  if (!found && (await expiryOfSwept(db, slug))) throw new AppError('folder.expired');
  return usable(found, 'folder.not_found');
}

/** @throws folder.not_found, folder.expired */
export async function folderById(db: Db, folderId: string): Promise<FolderRow> {
  return usable(await find(db, eq(folders.id, folderId)), 'folder.not_found');
}

async function lockRow(tx: Db, folderId: string): Promise<FoundFolder | undefined> {
  const [found] = await tx.select(columns).from(folders).where(eq(folders.id, folderId)).for('update');
  return found;
}

/**
 * Locks a folder's row until the transaction ends.
 * @throws folder.not_found, folder.expired
 */
export async function lockFolder(tx: Db, folderId: string): Promise<FolderRow> {
  return usable(await lockRow(tx, folderId), 'folder.not_found');
}

/**
 * Locks a folder's row for its removal, which an expired one may still have.
 * @throws folder.not_found
 */
export async function lockFolderToRemove(tx: Db, folderId: string): Promise<FoundFolder> {
  const found = await lockRow(tx, folderId);
  if (!found || found.deleted_at !== null) throw new AppError('folder.not_found');
  return found;
}

/** @throws folder.forbidden */
export function requireOwner(folder: FolderRow, viewer: Viewer): void {
  if (folder.owner_profile_id !== viewer.profile_id) throw new AppError('folder.forbidden');
}

/** A person's own folders that are still there, the newest first. */
export async function foldersOf(db: Db, viewer: Viewer): Promise<FolderRow[]> {
  return db
    .select()
    .from(folders)
    .where(
      and(
        eq(folders.owner_profile_id, viewer.profile_id),
        isNull(folders.deleted_at),
        gt(folders.expires_at, sql`now()`),
      ),
    )
    .orderBy(desc(folders.created_at), desc(folders.id))
    .limit(LIST_MAX);
}

/** A folder as it travels. */
export function toFolder({ deleted_at: _, ...folder }: FolderRow): Folder {
  return { ...folder, created_at: folder.created_at.toISOString(), expires_at: folder.expires_at.toISOString() };
}
