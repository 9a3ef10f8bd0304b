import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ListInput } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { and, asc, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { BlobPart } from '../../platform/blobs/blobs.ts';
import { noteChange } from '../../platform/database/change-notes.ts';
import { type Db, inTransaction, type Queryable, rowsOf, type Tx } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { files } from '../../platform/schema/files.ts';
import { folders } from '../../platform/schema/folders.ts';
import { type FolderRow, requireOwner, type Viewer } from '../access/find-folder.ts';
import { partsColumn } from './blob-parts.ts';
import { queueBlobs } from './blob-purge.ts';
import { blobsOfFile, type FileBlobs, NO_STILL, stillBytesOf } from './stills.ts';

export type FileRow = typeof files.$inferSelect;
/** A file as lists have it: of many rows each column costs. */
type ListedFile = Omit<FileRow, 'checksum' | 'still_checksum'>;
const { checksum: _, still_checksum: __, ...LISTED_COLUMNS } = getTableColumns(files);
/** A file with the parts of its blob; null for a blob without rows. */
export type FoundFile = FileRow & { readonly parts: readonly BlobPart[] | null };
/** The file that a completed upload becomes. */
export type NewFile = Pick<
  FileRow,
  'name' | 'size_bytes' | 'mimetype' | 'cache_control' | 'sealed' | 'blob_key' | 'checksum'
>;
/** An object: its folder's storage path and its name in the folder. */
export interface ObjectName {
  readonly storagePath: string;
  readonly segment: string;
}

/** Identifies the content: a blob never changes once it is a file. Hashed, since blob keys are internal. */
export const eTagOf = (file: Pick<FileRow, 'blob_key'>): string =>
  `"${createHash('sha256').update(file.blob_key).digest('hex').slice(0, 32)}"`;

export const toFileEntry = (file: ListedFile): FileEntry => ({
  id: file.id,
  name: file.name,
  created_at: file.created_at.toISOString(),
  updated_at: file.updated_at.toISOString(),
  metadata: {
    size: file.size_bytes,
    mimetype: file.mimetype,
    eTag: eTagOf(file),
    ...(file.sealed !== null && { sealed: file.sealed }),
    ...(file.still_key !== null && { still: true as const }),
  },
});

type Page = Pick<z.output<typeof ListInput>, 'limit' | 'offset' | 'sortBy'>;

/** Rows of one statement. A longer page takes several, and other requests run in between. */
const LIST_STEP = 200;
// Sorted by bytes, independent of the locale of the database.
const NAME_BYTES = sql`${files.name} collate "C"`;
/** Each order has an index: the cost of a page depends on its size, not on the size of the folder. */
const LIST_ORDERS = {
  name: [NAME_BYTES],
  // The name orders rows of the same time.
  created_at: [sql`${files.created_at}`, NAME_BYTES],
  updated_at: [sql`${files.updated_at}`, NAME_BYTES],
} as const;

/**
 * Reads up to LIST_STEP rows, from `offset` or after the row `behind`. The latter stays right when files are added or
 * deleted.
 */
export function listStatement(db: Queryable, folderId: string, page: Page, behind?: ListedFile) {
  const { column = 'name', order = 'asc' } = page.sortBy ?? {};
  const keys = LIST_ORDERS[column];
  const values = column === 'name' ? [] : [sql`${behind?.[column].toISOString()}::timestamptz`];
  const place = sql.join([...values, sql`${behind?.name}::text collate "C"`], sql`, `);
  const isBehind = sql`(${sql.join([...keys], sql`, `)}) ${sql.raw(order === 'asc' ? '>' : '<')} (${place})`;
  return db
    .select(LISTED_COLUMNS)
    .from(files)
    .where(and(eq(files.folder_id, folderId), behind && isBehind))
    .orderBy(...keys.map(order === 'asc' ? asc : desc))
    .limit(Math.min(page.limit, LIST_STEP))
    .offset(behind ? 0 : page.offset);
}

export async function listFiles(db: Queryable, folderId: string, page: Page): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  let behind: ListedFile | undefined;
  while (entries.length < page.limit) {
    const limit = page.limit - entries.length;
    const rows: ListedFile[] = await listStatement(db, folderId, { ...page, limit }, behind);
    entries.push(...rows.map(toFileEntry));
    behind = rows.at(-1);
    if (rows.length < Math.min(limit, LIST_STEP)) break;
    await yieldToEventLoop();
  }
  return entries;
}

const sumOf = <Row>(rows: readonly Row[], bytesOf: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + bytesOf(row), 0);

/** The blobs of a folder's files, without stills. */
export const blobsOfFolder = (db: Queryable, folderId: string): Promise<Pick<FileRow, 'blob_key' | 'size_bytes'>[]> =>
  db
    .select({ blob_key: files.blob_key, size_bytes: files.size_bytes })
    .from(files)
    .where(eq(files.folder_id, folderId));

/** @throws storage.not_found */
export async function fileByName(db: Queryable, folderId: string, name: string): Promise<FoundFile> {
  const [file] = await db
    .select({ ...getTableColumns(files), parts: partsColumn('files') })
    .from(files)
    .where(and(eq(files.folder_id, folderId), eq(files.name, name)));
  if (!file) throw new AppError('storage.not_found');
  return file;
}

/**
 * Stores files in a folder whose row the caller has locked, without counting them: new rows, and new blobs in the rows
 * of replaced files, whose stills go.
 * @param replaced the present files of those names
 * @returns the queued blobs: of the replaced versions and their stills
 */
export async function putFiles(
  tx: Tx,
  folder: FolderRow,
  all: readonly NewFile[],
  replaced: readonly FileRow[],
): Promise<string[]> {
  const old = new Map(replaced.map((file) => [file.name, file]));
  const added = all.filter(({ name }) => !old.has(name));
  // Under the folder's lock, so that each change of its files has a later time than earlier changes. `now()` is when the
  // transaction began, which may have waited for the lock.
  const updated_at = sql`clock_timestamp()`;
  if (added.length > 0) {
    await tx.insert(files).values(added.map((file) => ({ ...file, folder_id: folder.id, updated_at })));
  }
  for (const file of all) {
    if (!old.has(file.name)) continue;
    await tx
      .update(files)
      .set({ ...file, ...NO_STILL, updated_at })
      .where(and(eq(files.folder_id, folder.id), eq(files.name, file.name)));
  }
  const queued = replaced.flatMap(blobsOfFile);
  await queueBlobs(tx, queued);
  await countStills(tx, folder, -sumOf(replaced, stillBytesOf));
  return queued;
}

/** The files of these names in a folder. */
export const filesNamed = (db: Queryable, folderId: string, names: readonly string[]): Promise<FileRow[]> =>
  db
    .select()
    .from(files)
    .where(and(eq(files.folder_id, folderId), inArray(files.name, [...names])));

/**
 * Stores a completed upload as a file in its folder, whose row the caller has locked: a new row, or with `upsert` a new
 * blob in the existing row. Turns reserved bytes into used bytes.
 * @returns the queued blobs of the replaced version
 * @throws storage.exists
 */
export async function storeFile(tx: Tx, folder: FolderRow, file: NewFile, upsert: boolean): Promise<string[]> {
  const [old] = await filesNamed(tx, folder.id, [file.name]);
  if (old && !upsert) throw new AppError('storage.exists');
  const queued = await putFiles(tx, folder, [file], old ? [old] : []);
  await countFiles(tx, folder, file.size_bytes - (old?.size_bytes ?? 0), old ? 0 : 1);
  await tx
    .update(profiles)
    .set({ reserved_bytes: sql`${profiles.reserved_bytes} - ${file.size_bytes}::bigint` })
    .where(eq(profiles.id, folder.owner_profile_id));
  return queued;
}

/** Adds a change of a folder's files to the counters of the folder and of its owner. */
export async function countFiles(tx: Tx, folder: FolderRow, bytes: number, count: number): Promise<void> {
  noteChange(tx, folder.id);
  await tx
    .update(folders)
    .set({
      size_bytes: sql`${folders.size_bytes} + ${bytes}::bigint`,
      file_count: sql`${folders.file_count} + ${count}::integer`,
    })
    .where(eq(folders.id, folder.id));
  await tx
    .update(profiles)
    .set({ used_bytes: sql`${profiles.used_bytes} + ${bytes}::bigint` })
    .where(eq(profiles.id, folder.owner_profile_id));
}

/** Adds a change of the stills of a folder's files: they count for the owner, and not for the folder. */
export async function countStills(tx: Tx, folder: FolderRow, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await tx
    .update(profiles)
    .set({ used_bytes: sql`${profiles.used_bytes} + ${bytes}::bigint` })
    .where(eq(profiles.id, folder.owner_profile_id));
}

/** Deletes the files that `which` selects from a locked folder, and queues their blobs. */
async function deleteRows(tx: Tx, folder: FolderRow, which: SQL | undefined): Promise<FileRow[]> {
  const deleted = await tx
    .delete(files)
    .where(and(eq(files.folder_id, folder.id), which))
    .returning();
  if (deleted.length === 0) return [];
  await countFiles(tx, folder, -sumOf(deleted, ({ size_bytes }) => size_bytes), -deleted.length);
  await countStills(tx, folder, -sumOf(deleted, stillBytesOf));
  await queueBlobs(tx, deleted.flatMap(blobsOfFile));
  return deleted;
}

/**
 * Deletes objects of the viewer's own folders, expired ones included; unknown names are skipped.
 * @returns the deleted files; their blobs are queued
 * @throws storage.not_found, folder.forbidden
 */
export async function deleteFiles(db: Db, viewer: Viewer, objects: readonly ObjectName[]): Promise<FileRow[]> {
  return await inTransaction(db, async (tx) => {
    const byFolder = Map.groupBy(objects, (object) => object.storagePath);
    const locked: FolderRow[] = [];
    // Folders are locked in one order, so that two such calls can't deadlock; and all of them before the counters of
    // their owner's profile, which every other transaction locks after the folder.
    for (const storagePath of [...byFolder.keys()].sort()) {
      const [folder] = await tx
        .select()
        .from(folders)
        .where(and(eq(folders.bucket_storage_path, storagePath), isNull(folders.deleted_at)))
        .for('update');
      if (!folder) throw new AppError('storage.not_found');
      requireOwner(folder, viewer, 'storage.not_found');
      locked.push(folder);
    }
    const deleted: FileRow[] = [];
    for (const folder of locked) {
      const names = byFolder.get(folder.bucket_storage_path)!.map((object) => object.segment);
      deleted.push(...(await deleteRows(tx, folder, inArray(files.name, names))));
    }
    return deleted;
  });
}

/**
 * Deletes the file that has a blob, if there is one; the caller has locked the folder's row.
 * @returns the queued blobs
 */
export async function deleteFileOfBlob(tx: Tx, folder: FolderRow, blobKey: string): Promise<string[]> {
  return (await deleteRows(tx, folder, eq(files.blob_key, blobKey))).flatMap(blobsOfFile);
}

/**
 * Deletes every file of a folder whose row is locked, as part of its deletion. Called after `deleteUploadsOf`: uploads
 * are locked before profiles everywhere.
 * @returns the queued blobs
 */
export async function deleteFilesOf(tx: Tx, folderId: string): Promise<string[]> {
  // One statement that passes no keys: a folder may hold more files than a statement has parameters.
  const gone = rowsOf<FileBlobs & { bytes: string }>(
    await tx.execute(sql`
      with gone as (
        delete from files where folder_id = ${folderId}
        returning size_bytes, blob_key, still_key, still_small_bytes, still_large_bytes
      ),
      queued as (
        insert into blob_removals (blob_key)
        select blob_key from gone union all select still_key from gone where still_key is not null on conflict do nothing
      )
      select size_bytes as bytes, blob_key, still_key, still_small_bytes, still_large_bytes from gone`),
  );
  const [folder] = await tx.select().from(folders).where(eq(folders.id, folderId));
  if (folder && gone.length > 0) {
    await countFiles(tx, folder, -sumOf(gone, ({ bytes }) => Number(bytes)), -gone.length);
    await countStills(tx, folder, -sumOf(gone, stillBytesOf));
  }
  return gone.flatMap(blobsOfFile);
}
