import type { Folder } from '@satchel/contract/entities';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { OWN_LIST_MAX } from '@satchel/contract/limits';
import { isSlug } from '@satchel/contract/naming';
import { and, desc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { opaque, prepared, type Slots } from '../../platform/database/prepared.ts';
import { folders, slugs } from '../../platform/schema/folders.ts';
import { type Requester, requesterOfViewer, visibleTo, visibleToColumns } from './folder-access.ts';
import { refuseTakenDown } from './taken-down.ts';

export type FolderRow = typeof folders.$inferSelect;
/** The person who acts: signed in in a browser, or by a command in Discord. */
export interface Actor {
  readonly profile_id: string;
}
/** The signed-in person of a request. */
export interface Viewer extends Actor {
  readonly session_id: string;
}

// The database's clock decides; the start of the transaction may lie before a wait for a lock.
const isExpired = sql<boolean>`${folders.expires_at} <= clock_timestamp()`;
const columns = { ...getTableColumns(folders), is_expired: isExpired };
/** A folder's row, and whether it has expired. */
export type FoundFolder = FolderRow & { is_expired: boolean };

interface Absence {
  /** Condition that finds the folder's slug after the folder is deleted. */
  readonly kept: SQL;
  readonly missing: ErrorCode;
  readonly requester: Requester;
}
const ofId = (folderId: string, viewer: Actor | null): Absence => ({
  kept: eq(slugs.folder_id, folderId),
  missing: 'folder.not_found',
  requester: requesterOfViewer(viewer),
});

/**
 * The error for a folder that is not found: folder.taken_down for one that an operator took down, folder.expired for
 * one that the sweeper deleted, `missing` for one that its owner deleted.
 * @throws folder.taken_down
 */
async function absenceError(db: Queryable, { kept, missing, requester }: Absence): Promise<AppError> {
  await refuseTakenDown(db, kept, requester);
  const [expired] = await db.select({ expires_at: slugs.expires_at }).from(slugs).where(kept);
  return new AppError(expired?.expires_at ? 'folder.expired' : missing);
}

/** @throws folder.taken_down, folder.expired, or `missing` */
async function requireLive(db: Queryable, found: FoundFolder | undefined, absence: Absence): Promise<FolderRow> {
  if (!found || found.deleted_at !== null) throw await absenceError(db, absence);
  if (found.is_expired) throw new AppError('folder.expired');
  const { is_expired: _, ...folder } = found;
  return folder;
}

async function find(db: Queryable, where: SQL): Promise<FoundFolder | undefined> {
  const [found] = await db.select(columns).from(folders).where(where);
  return found;
}

/** Asked by every storage call. */
const selectByPath = prepared((db, slots: Slots<Requester & { path: string }>) =>
  db
    .select(columns)
    .from(folders)
    .where(
      and(
        eq(folders.bucket_storage_path, slots.path),
        visibleToColumns({
          profile_id: opaque(sql`${slots.profile_id}::uuid`),
          session_hash: opaque(sql`${slots.session_hash}::text`),
          holder_hash: opaque(sql`${slots.holder_hash}::text`),
        }),
      ),
    ),
);

/**
 * @throws storage.not_found, also when the requester may not know of the folder; folder.taken_down,
 * folder.expired
 */
export async function folderByStoragePath(
  db: Queryable,
  storagePath: string,
  requester: Requester,
): Promise<FolderRow> {
  const { profile_id, session_hash, holder_hash } = requester;
  const [found] = await selectByPath(db, { path: storagePath, profile_id, session_hash, holder_hash });
  return requireLive(db, found, { kept: eq(slugs.storage_path, storagePath), missing: 'storage.not_found', requester });
}

/**
 * When the folder of a slug expired, after the sweeper deleted it; null when its owner deleted it or it never existed.
 */
export async function expiryOfDeleted(db: Queryable, slug: string): Promise<Date | null> {
  const [expired] = await db.select({ expires_at: slugs.expires_at }).from(slugs).where(eq(slugs.slug, slug));
  return expired?.expires_at ?? null;
}

/**
 * @throws folder.not_found, also when the requester may not know of the folder; folder.taken_down,
 * folder.expired
 */
export async function folderBySlug(db: Queryable, slug: string, requester: Requester): Promise<FolderRow> {
  if (!isSlug(slug)) throw new AppError('folder.not_found');
  const found = await find(db, and(eq(folders.slug, slug), isNull(folders.deleted_at), visibleTo(requester))!);
  return requireLive(db, found, { kept: eq(slugs.slug, slug), missing: 'folder.not_found', requester });
}

async function lockRow(tx: Tx, where: SQL): Promise<FoundFolder | undefined> {
  const [found] = await tx.select(columns).from(folders).where(where).for('update');
  return found;
}

const byId = (folderId: string): SQL => eq(folders.id, folderId);
const ownOrVisible = (folderId: string, viewer: Actor): SQL =>
  and(byId(folderId), visibleTo(requesterOfViewer(viewer)))!;

/**
 * Finds a folder for an act that only its owner may do.
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function ownFolder(db: Queryable, folderId: string, viewer: Actor): Promise<FolderRow> {
  const folder = await requireLive(db, await find(db, ownOrVisible(folderId, viewer)), ofId(folderId, viewer));
  requireOwner(folder, viewer);
  return folder;
}

/**
 * Finds a folder that is open to its link.
 * @throws folder.not_found, folder.taken_down, folder.expired
 */
export async function visibleFolder(db: Queryable, folderId: string): Promise<FolderRow> {
  const found = await find(db, and(byId(folderId), visibleTo(requesterOfViewer(null)))!);
  return requireLive(db, found, ofId(folderId, null));
}

/**
 * Locks a folder's row until the transaction ends, for an act that only its owner may do.
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function lockOwnFolder(tx: Tx, folderId: string, viewer: Actor): Promise<FolderRow> {
  const folder = await requireLive(tx, await lockRow(tx, ownOrVisible(folderId, viewer)), ofId(folderId, viewer));
  requireOwner(folder, viewer);
  return folder;
}

/**
 * Locks a folder's row until the transaction ends.
 * @throws folder.not_found, folder.expired
 */
export async function lockFolder(tx: Tx, folderId: string): Promise<FolderRow> {
  return requireLive(tx, await lockRow(tx, byId(folderId)), ofId(folderId, null));
}

/**
 * Locks a folder's row for its deletion; it may have expired.
 * @throws folder.not_found
 */
export async function lockFolderToDelete(tx: Tx, folderId: string): Promise<FoundFolder> {
  const found = await lockRow(tx, byId(folderId));
  if (!found || found.deleted_at !== null) throw new AppError('folder.not_found');
  return found;
}

/**
 * @param missing the error for a restricted folder: folder.forbidden would tell that it exists
 * @throws folder.forbidden, `missing`
 */
export function requireOwner(folder: FolderRow, viewer: Actor, missing: ErrorCode = 'folder.not_found'): void {
  if (folder.owner_profile_id === viewer.profile_id) return;
  throw new AppError(folder.access === 'restricted' ? missing : 'folder.forbidden');
}

const liveOf = ({ profile_id }: Actor): SQL =>
  and(eq(folders.owner_profile_id, profile_id), isNull(folders.deleted_at), sql`not (${isExpired})`)!;
const newestFirst = [desc(folders.created_at), desc(folders.id)];

/** Counts the live folders of a person. */
export const countFoldersOf = (db: Queryable, owner: Actor): Promise<number> => db.$count(folders, liveOf(owner));

/** The live folders of a person, newest first. */
export async function foldersOf(db: Queryable, viewer: Actor): Promise<FolderRow[]> {
  return db
    .select()
    .from(folders)
    .where(liveOf(viewer))
    .orderBy(...newestFirst)
    .limit(OWN_LIST_MAX);
}

export type FolderName = Pick<FolderRow, 'id' | 'name' | 'expires_at'>;

/** Name and expiry of a person's live folders, newest first. */
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
  /** From 1; at most the last page. */
  readonly page: number;
  readonly pages: number;
  /** Folders on all pages. */
  readonly total: number;
}

/** One page of a person's live folders, newest first. */
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

/** A folder as the API sends it. */
export function toFolder({ deleted_at: _, ...folder }: FolderRow): Folder {
  return { ...folder, created_at: folder.created_at.toISOString(), expires_at: folder.expires_at.toISOString() };
}
