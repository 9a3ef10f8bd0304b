import { randomUUID } from 'node:crypto';
import type { TierLimits } from '@satchel/contract/entities';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { type Caps, maxSealedBytes, OWN_LIST_MAX } from '@satchel/contract/limits';
import { isSealedName } from '@satchel/contract/naming';
import type { OpenUploadList } from '@satchel/contract/open-uploads';
import { limitsOf, type Tiers } from '@satchel/contract/tiers';
import { and, desc, eq, getTableColumns, gt, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { BlobMissingError, type BlobStore } from '../platform/blobs.ts';
import { type Db, inTransaction, type Queryable, rowsOf, type Tx } from '../platform/db.ts';
import { files, folders, gone_uploads, profiles, uploads } from '../platform/schema.ts';
import { deleteInBatches } from './batches.ts';
import { freeBlobs } from './blob-removals.ts';
import { hashBlob, isSizeDenied, refuseDenied } from './denied-blobs.ts';
import { entrantOfViewer } from './entry.ts';
import { type ObjectName, removeFileOfBlob, storeFile } from './files.ts';
import { type FolderRow, folderByStoragePath, lockFolder, requireOwner, type Viewer } from './folders.ts';
import { findUpload, isHeld, type Lease, UPLOAD_LIFETIME, type UploadRow, whyRefused } from './leases.ts';

/** The life of an upload: created with its quota reserved, then completed into a file, or dropped (DESIGN §6). */

export interface UploadDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
}

export interface NewUpload extends ObjectName {
  readonly length_bytes: number;
  readonly mimetype: string;
  readonly cache_control: string;
  readonly sealed: string | null;
  /** Upload-Metadata as it came. */
  readonly metadata: string;
  readonly upsert: boolean;
}

/**
 * The rules of DESIGN §5 for what a folder takes.
 * @throws folder.forbidden, folder.revoked, upload.not_encrypted
 */
function requireAcceptable(folder: FolderRow, viewer: Viewer, upload: NewUpload): void {
  requireOwner(folder, viewer);
  if (folder.link_mode === 'revoked') throw new AppError('folder.revoked');
  if (folder.link_mode !== 'plain' && !isSealedName(upload.segment)) throw new AppError('upload.not_encrypted');
}

/** @throws upload.too_large */
function requireSize(folder: FolderRow, { length_bytes }: NewUpload, maxFileBytes: number): void {
  const maxBytes = folder.link_mode === 'plain' ? maxFileBytes : maxSealedBytes(maxFileBytes);
  if (length_bytes > maxBytes) throw new AppError('upload.too_large', { sizeBytes: length_bytes, maxBytes });
}

/**
 * Reserves quota by one conditional statement, so that no number of requests at once passes the limit.
 * @throws upload.over_quota
 */
async function reserve(tx: Tx, profileId: string, bytes: number, limitBytes: number): Promise<void> {
  const [reserved] = await tx
    .update(profiles)
    .set({ reserved_bytes: sql`${profiles.reserved_bytes} + ${bytes}::bigint` })
    .where(
      and(
        eq(profiles.id, profileId),
        lte(sql`${profiles.used_bytes} + ${profiles.reserved_bytes} + ${bytes}::bigint`, limitBytes),
      ),
    )
    .returning({ id: profiles.id });
  if (reserved) return;
  const [profile] = await tx.select().from(profiles).where(eq(profiles.id, profileId));
  const taken = profile ? profile.used_bytes + profile.reserved_bytes : limitBytes;
  throw new AppError('upload.over_quota', { freeBytes: Math.max(0, limitBytes - taken) });
}

/**
 * What the owner's tier allows, held until the transaction ends: nothing is reserved under one that was lowered meanwhile.
 * @throws auth.required
 */
async function holdLimits(tx: Tx, profileId: string, tiers: Tiers): Promise<TierLimits> {
  const [held] = await tx
    .select({ tier: profiles.subscription_tier })
    .from(profiles)
    .where(eq(profiles.id, profileId))
    .for('no key update');
  if (!held) throw new AppError('auth.required');
  return limitsOf(tiers, held.tier);
}

/** Uploads of a person that may still become files. */
const openUploadsOf = (profileId: string): SQL =>
  and(eq(uploads.profile_id, profileId), isNull(uploads.completed_at), gt(uploads.expires_at, sql`clock_timestamp()`))!;

/** A person's uploads that may still become files, the newest first: without their names, which their owner may have hidden. */
export async function listOpenUploads(db: Queryable, { profile_id }: Viewer): Promise<OpenUploadList> {
  const rows = await db
    .select({ upload: uploads, folder_slug: folders.slug, folder_name: folders.name })
    .from(uploads)
    .innerJoin(folders, eq(folders.id, uploads.folder_id))
    .where(and(openUploadsOf(profile_id), isNull(folders.deleted_at), gt(folders.expires_at, sql`clock_timestamp()`)))
    .orderBy(desc(uploads.created_at), desc(uploads.id))
    .limit(OWN_LIST_MAX);
  return rows.map(({ upload, folder_slug, folder_name }) => ({
    id: upload.id,
    folder_id: upload.folder_id,
    folder_slug,
    folder_name,
    length_bytes: upload.length_bytes,
    offset_bytes: upload.offset_bytes,
    created_at: upload.created_at.toISOString(),
    expires_at: upload.expires_at.toISOString(),
  }));
}

/**
 * Counts under the locks of folder and profile, so that no number of requests at once passes a cap.
 * @param replaces the upload takes the place of a file that is there. It adds none: but should that file be deleted before
 * it is whole, it counts among the open ones
 * @throws upload.too_many_open, upload.too_many_files
 */
async function requireRoom(tx: Tx, folder: FolderRow, caps: Caps, replaces: boolean): Promise<void> {
  const open = openUploadsOf(folder.owner_profile_id);
  const uploadsOpen = await tx.$count(uploads, open);
  if (uploadsOpen >= caps.open_uploads) throw new AppError('upload.too_many_open', { max: caps.open_uploads });
  if (replaces) return;
  const here = await tx.$count(uploads, and(open, eq(uploads.folder_id, folder.id)));
  if (folder.file_count + here >= caps.folder_files) {
    throw new AppError('upload.too_many_files', { max: caps.folder_files });
  }
}

async function insertUpload(tx: Tx, folder: FolderRow, viewer: Viewer, upload: NewUpload): Promise<UploadRow> {
  const { storagePath: _, segment, ...columns } = upload;
  const [row] = await tx
    .insert(uploads)
    .values({
      ...columns,
      name: segment,
      folder_id: folder.id,
      profile_id: viewer.profile_id,
      blob_key: randomUUID(),
      expires_at: sql`least(${folder.expires_at.toISOString()}::timestamptz, clock_timestamp() + ${UPLOAD_LIFETIME})`,
    })
    .returning();
  return row!;
}

/** What the site allows. */
export interface UploadRules {
  readonly tiers: Tiers;
  readonly caps: Caps;
}

/**
 * Creates an upload: quota reserved, an empty blob in the store.
 * @throws storage.not_found, folder.expired, folder.forbidden, folder.revoked, upload.not_encrypted, upload.too_large,
 * upload.too_many_open, upload.too_many_files, upload.over_quota, storage.exists, storage.full
 */
export async function createUpload(
  { db, blobs }: UploadDeps,
  viewer: Viewer,
  upload: NewUpload,
  { tiers, caps }: UploadRules,
): Promise<UploadRow> {
  const found = await folderByStoragePath(db, upload.storagePath, entrantOfViewer(viewer));
  requireAcceptable(found, viewer, upload);
  const row = await inTransaction(db, async (tx) => {
    const folder = await lockFolder(tx, found.id);
    requireAcceptable(folder, viewer, upload);
    const limits = await holdLimits(tx, viewer.profile_id, tiers);
    requireSize(folder, upload, limits.max_file_bytes);
    const [existing] = await tx
      .select({ id: files.id })
      .from(files)
      .where(and(eq(files.folder_id, folder.id), eq(files.name, upload.segment)));
    if (existing && !upload.upsert) throw new AppError('storage.exists');
    await requireRoom(tx, folder, caps, existing !== undefined);
    await reserve(tx, viewer.profile_id, upload.length_bytes, limits.storage_bytes);
    return insertUpload(tx, folder, viewer, upload);
  });
  try {
    // Under the row's lock: whoever removes the row waits, and then finds the blob to queue. A blob made without its row
    // would be nobody's.
    await inTransaction(db, async (tx) => {
      const [mine] = await tx.select().from(uploads).where(eq(uploads.id, row.id)).for('update');
      if (!mine) throw new AppError('upload.gone');
      await blobs.create(row.blob_key);
    });
  } catch (error) {
    await discardUpload({ db, blobs }, row);
    throw error;
  }
  return row;
}

const GONE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['folder.not_found', 'folder.taken_down']);

/** The folder of an upload was deleted: to its sender the upload is gone, rather than a folder not found. */
function asGone(error: unknown): never {
  const isDeleted = error instanceof AppError && GONE.has(error.code);
  throw isDeleted ? new AppError('upload.gone', {}, { cause: error }) : error;
}

/** After these an upload can never become a file: its name was taken while the bytes travelled, or its bytes are denied. */
const FRUITLESS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['storage.exists', 'upload.denied']);

interface Completion {
  readonly upload: UploadRow;
  /** Queued blobs: the version of the file that this one replaces. */
  readonly replaced: readonly string[];
}

/**
 * One transaction with the folder's row locked (DESIGN §6).
 * @param sha256 of the bytes; null when they are not hashed
 * @returns null when they have to be hashed first, since something of their size is denied
 */
async function tryComplete(db: Db, lease: Lease, atBytes: number, sha256: string | null): Promise<Completion | null> {
  return await inTransaction(db, async (tx) => {
    const folder = await lockFolder(tx, lease.folder_id).catch(asGone);
    if (sha256 !== null) await refuseDenied(tx, sha256);
    else if (await isSizeDenied(tx, lease.length_bytes)) return null;
    const [done] = await tx
      .update(uploads)
      .set({ offset_bytes: lease.length_bytes, completed_at: sql`clock_timestamp()` })
      .from(folders)
      .where(isHeld(lease, atBytes))
      .returning(getTableColumns(uploads));
    if (!done) throw await whyRefused(tx, lease);
    const { name, length_bytes, mimetype, cache_control, sealed, blob_key } = done;
    const file = { name, size_bytes: length_bytes, mimetype, cache_control, sealed, blob_key };
    return { upload: done, replaced: await storeFile(tx, folder, file, done.upsert) };
  });
}

/** @throws upload.gone when the blob went with its folder, or whatever else took the upload away */
async function hashUpload({ db, blobs }: UploadDeps, lease: Lease): Promise<string> {
  try {
    return await hashBlob(blobs, lease.blob_key, lease.length_bytes);
  } catch (error) {
    throw error instanceof BlobMissingError ? await whyRefused(db, lease) : error;
  }
}

/**
 * Turns an upload whose bytes are all durable into a file, unless an operator has denied them. Whoever takes the upload
 * over while they are hashed may change them, and then this completes nothing. What the file replaces is freed before
 * this resolves: the account's books have given that space back.
 * @param atBytes the offset acknowledged so far
 * @throws upload.gone, folder.expired, upload.unauthenticated, upload.lost_lease, storage.exists, upload.denied
 */
export async function completeUpload(deps: UploadDeps, lease: Lease, atBytes: number): Promise<UploadRow> {
  const { db } = deps;
  try {
    const unhashed = await tryComplete(db, lease, atBytes, null);
    const done = unhashed ?? (await tryComplete(db, lease, atBytes, await hashUpload(deps, lease)))!;
    await freeBlobs(deps, done.replaced);
    return done.upload;
  } catch (error) {
    if (error instanceof AppError && FRUITLESS.has(error.code)) await discardUpload(deps, lease);
    throw error;
  }
}

/**
 * Removes uploads with all that they hold: reservations are given back, blobs of open ones queued.
 * @param afterwards what their owner hears then: that they are `gone` (410), or that there are none, `unknown` (404)
 * @returns the queued blobs
 */
async function forget(tx: Tx, which: SQL, afterwards: 'gone' | 'unknown'): Promise<string[]> {
  const queued = await tx.execute(sql`
    with gone as (delete from uploads where ${which} returning id, profile_id, length_bytes, blob_key, completed_at),
    remembered as (
      insert into gone_uploads (id, profile_id) select id, profile_id from gone where ${afterwards === 'gone'}
      on conflict do nothing
    ),
    queued as (
      insert into blob_removals (blob_key) select blob_key from gone where completed_at is null
      on conflict do nothing returning blob_key
    ),
    given_back as (
      update profiles set reserved_bytes = reserved_bytes - freed.bytes
      from (
        select profile_id, sum(length_bytes)::bigint as bytes from gone where completed_at is null group by profile_id
      ) as freed
      where profiles.id = freed.profile_id
    )
    select blob_key from queued`);
  return rowsOf<{ blob_key: string }>(queued).map((row) => row.blob_key);
}

/** Drops an upload that can't go on, unless it has been completed. */
export async function discardUpload({ db, blobs }: UploadDeps, upload: UploadRow): Promise<void> {
  const which = sql`id = ${upload.id}::uuid and completed_at is null`;
  const queued = await inTransaction(db, (tx) => forget(tx, which, 'gone'));
  await freeBlobs({ db, blobs }, queued);
}

/**
 * The termination extension: frees an upload, and the file of a completed one, for whoever cancels as the last answer
 * gets lost means both.
 * @throws upload.not_found, upload.gone, folder.expired
 */
export async function terminateUpload({ db, blobs }: UploadDeps, id: string, profileId: string): Promise<void> {
  const upload = await findUpload(db, id, profileId);
  const queued = await inTransaction(db, async (tx) => {
    const folder = await lockFolder(tx, upload.folder_id).catch(asGone);
    const ofUpload = await forget(tx, sql`id = ${id}::uuid`, 'unknown');
    return [...ofUpload, ...(await removeFileOfBlob(tx, folder, upload.blob_key))];
  });
  await freeBlobs({ db, blobs }, queued);
}

/**
 * Drops the uploads of a folder whose row is locked: part of its removal, and of its link's revocation.
 * @returns the queued blobs
 */
export const dropUploads = (tx: Tx, folderId: string): Promise<string[]> =>
  forget(tx, sql`folder_id = ${folderId}::uuid`, 'gone');

const EXPIRED = sql`expires_at <= now()`;
const SWEEP_ROWS = 500;

/**
 * Drops uploads whose time is up, few at a time and a person's at a time: no two sweepers hold one profile while they
 * wait for another.
 * @param signal ends it between two steps
 */
export async function dropExpiredUploads(db: Db, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const [next] = await db
      .select({ owner: uploads.profile_id })
      .from(uploads)
      .where(EXPIRED)
      .limit(1)
      .for('update', { skipLocked: true });
    if (!next) break;
    const which = sql`id in (
      select id from uploads where profile_id = ${next.owner}::uuid and ${EXPIRED}
      limit ${SWEEP_ROWS} for update skip locked
    )`;
    await inTransaction(db, (tx) => forget(tx, which, 'gone'));
  }
  await deleteInBatches(db, gone_uploads, lte(gone_uploads.gone_at, sql`now() - ${UPLOAD_LIFETIME}`), signal);
}
