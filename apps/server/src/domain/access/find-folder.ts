import type { Folder } from '@satchel/contract/entities';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { OWN_LIST_MAX } from '@satchel/contract/limits';
import { isSlug } from '@satchel/contract/naming';
import { and, desc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Tx } from '../platform/db.ts';
import { folders, slugs } from '../platform/schema.ts';
import { type Entrant, entrantOfViewer, visibleTo } from './entry.ts';
import { refuseTakenDown } from './taken-down.ts';

export type FolderRow = typeof folders.$inferSelect;
/** Whoever does something: signed in in a browser, or by a command in Discord. */
export interface Actor {
  readonly profile_id: string;
}
/** The signed-in person of a request. */
export interface Viewer extends Actor {
  readonly session_id: string;
}

// The database's clock decides (DESIGN R11), and not the start of a transaction that may have waited for a lock.
const isExpired = sql<boolean>`${folders.expires_at} <= clock_timestamp()`;
const columns = { ...getTableColumns(folders), is_expired: isExpired };
/** A folder's row, and whether its time is up. */
export type FoundFolder = FolderRow & { is_expired: boolean };

interface Absence {
  /** What is kept of the folder once it is gone. */
  readonly kept: SQL;
  readonly missing: ErrorCode;
  readonly entrant: Entrant;
}
const ofId = (folderId: string, viewer: Actor | null): Absence => ({
  kept: eq(slugs.folder_id, folderId),
  missing: 'folder.not_found',
  entrant: entrantOfViewer(viewer),
});

/**
 * Why a folder is not there: one that was taken down says so, a swept one stays Expired (DESIGN R17), a deleted one there
 * never was.
 * @throws folder.taken_down
 */
async function whyGone(db: Queryable, { kept, missing, entrant }: Absence): Promise<AppError> {
  await refuseTakenDown(db, kept, entrant);
  const [swept] = await db.select({ expires_at: slugs.expires_at }).from(slugs).where(kept);
  return new AppError(swept?.expires_at ? 'folder.expired' : missing);
}

/** @throws folder.taken_down, folder.expired, or `missing` */
async function usable(db: Queryable, found: FoundFolder | undefined, absence: Absence): Promise<FolderRow> {
  if (!found || found.deleted_at !== null) throw await whyGone(db, absence);
  if (found.is_expired) throw new AppError('folder.expired');
  const { is_expired: _, ...folder } = found;
  return folder;
}

async function find(db: Queryable, where: SQL): Promise<FoundFolder | undefined> {
  const [found] = await db.select(columns).from(folders).where(where);
  return found;
}

/** @throws storage.not_found, also to whoever may not know of it (DESIGN R16); folder.taken_down, folder.expired */
export async function folderByStoragePath(db: Queryable, storagePath: string, entrant: Entrant): Promise<FolderRow> {
  const found = await find(db, and(eq(folders.bucket_storage_path, storagePath), visibleTo(entrant))!);
  return usable(db, found, { kept: eq(slugs.storage_path, storagePath), missing: 'storage.not_found', entrant });
}

/** When a swept folder expired; null when the slug's folder was deleted, or there never was one (DESIGN R17). */
export async function expiryOfSwept(db: Queryable, slug: string): Promise<Date | null> {
  const [swept] = await db.select({ expires_at: slugs.expires_at }).from(slugs).where(eq(slugs.slug, slug));
  return swept?.expires_at ?? null;
}

/** @throws folder.not_found, also to whoever may not know of it (DESIGN R16); folder.taken_down, folder.expired */
export async function folderBySlug(db: Queryable, slug: string, entrant: Entrant): Promise<FolderRow> {
  if (!isSlug(slug)) throw new AppError('folder.not_found');
  const found = await find(db, and(eq(folders.slug, slug), isNull(folders.deleted_at), visibleTo(entrant))!);
  return usable(db, found, { kept: eq(slugs.slug, slug), missing: 'folder.not_found', entrant });
}

async function lockRow(tx: Tx, where: SQL): Promise<FoundFolder | undefined> {
  const [found] = await tx.select(columns).from(folders).where(where).for('update');
  return found;
}

const byId = (folderId: string): SQL => eq(folders.id, folderId);
const ownOrVisible = (folderId: string, viewer: Actor): SQL => and(byId(folderId), visibleTo(entrantOfViewer(viewer)))!;

/**
 * A folder for what only its owner may do.
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function ownFolder(db: Queryable, folderId: string, viewer: Actor): Promise<FolderRow> {
  const folder = await usable(db, await find(db, ownOrVisible(folderId, viewer)), ofId(folderId, viewer));
  requireOwner(folder, viewer);
  return folder;
}

/**
 * Says why a folder is not there to somebody of whom nothing is known.
 * @throws folder.not_found, folder.taken_down, folder.expired
 */
export async function requireThere(db: Queryable, folderId: string): Promise<void> {
  const found = await find(db, and(byId(folderId), visibleTo(entrantOfViewer(null)))!);
  await usable(db, found, ofId(folderId, null));
}

/**
 * Locks a folder's row until the transaction ends, for what only its owner may do.
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function lockOwnFolder(tx: Tx, folderId: string, viewer: Actor): Promise<FolderRow> {
  const folder = await usable(tx, await lockRow(tx, ownOrVisible(folderId, viewer)), ofId(folderId, viewer));
  requireOwner(folder, viewer);
  return folder;
}

/**
 * Locks a folder's row until the transaction ends.
 * @throws folder.not_found, folder.expired
 */
export async function lockFolder(tx: Tx, folderId: string): Promise<FolderRow> {
  return usable(tx, await lockRow(tx, byId(folderId)), ofId(folderId, null));
}

/**
 * Locks a folder's row for its removal, which an expired one may still have.
 * @throws folder.not_found
 */
export async function lockFolderToRemove(tx: Tx, folderId: string): Promise<FoundFolder> {
  const found = await lockRow(tx, byId(folderId));
  if (!found || found.deleted_at !== null) throw new AppError('folder.not_found');
  return found;
}

/**
 * @param missing what a restricted folder is to everybody else: to be forbidden something they would have to know of it
 * @throws folder.forbidden, `missing`
 */
export function requireOwner(folder: FolderRow, viewer: Actor, missing: ErrorCode = 'folder.not_found'): void {
  if (folder.owner_profile_id === viewer.profile_id) return;
  throw new AppError(folder.access === 'restricted' ? missing : 'folder.forbidden');
}

const liveOf = ({ profile_id }: Actor): SQL =>
  and(eq(folders.owner_profile_id, profile_id), isNull(folders.deleted_at), sql`not (${isExpired})`)!;
const newestFirst = [desc(folders.created_at), desc(folders.id)];

/** How many folders a person has that are still there. */
export const countFoldersOf = (db: Queryable, owner: Actor): Promise<number> => db.$count(folders, liveOf(owner));

/** A person's own folders that are still there, the newest first. */
export async function foldersOf(db: Queryable, viewer: Actor): Promise<FolderRow[]> {
  return db
    .select()
    .from(folders)
    .where(liveOf(viewer))
    .orderBy(...newestFirst)
    .limit(OWN_LIST_MAX);
}

export type FolderName = Pick<FolderRow, 'id' | 'name' | 'expires_at'>;

/** What tells a person's own folders apart, the newest first. */
export async function folderNamesOf(db: Queryable, viewer: Actor): Promise<FolderName[]> {
  return db
    .select({ id: folders.id, name: folders.name, expires_at: folders.expires_at })
    .from(folders)
    .where(liveOf(viewer))
    .orderBy(...newestFirst)
    .limit(OWN_LIST_MAX);
}

export interface FolderPage {
  readonly folders: readonly FolderRow[];
  /** From 1; the last one when a later one was asked for. */
  readonly page: number;
  readonly pages: number;
  /** Of all pages. */
  readonly total: number;
}

/** A page of a person's own folders that are still there, the newest first. */
export async function folderPageOf(
  db: Queryable,
  viewer: Actor,
  { page: wanted, size }: { page: number; size: number },
): Promise<FolderPage> {
  const total = await countFoldersOf(db, viewer);
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(Math.max(1, wanted), pages);
  const rows = await db
    .select()
    .from(folders)
    .where(liveOf(viewer))
    .orderBy(...newestFirst)
    .limit(size)
    .offset((page - 1) * size);
  return { folders: rows, page, pages, total };
}

/** A folder as it travels. */
export function toFolder({ deleted_at: _, ...folder }: FolderRow): Folder {
  return { ...folder, created_at: folder.created_at.toISOString(), expires_at: folder.expires_at.toISOString() };
}
