import { randomUUID } from 'node:crypto';
import type { TierLimits } from '@satchel/contract/entities';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { type Caps, maxSealedBytes, OWN_LIST_MAX } from '@satchel/contract/limits';
import { isSealedName } from '@satchel/contract/naming';
import type { OpenUploadList } from '@satchel/contract/open-uploads';
import { limitsOf, type Tiers } from '@satchel/contract/tiers';
import { and, desc, eq, getTableColumns, gt, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { BlobMissingError, type BlobPart, type BlobStore } from '../../platform/blobs/blobs.ts';
import { type Db, inTransaction, type Queryable, rowsOf, type Tx } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { files, uploads } from '../../platform/schema/files.ts';
import { folders } from '../../platform/schema/folders.ts';
import { temp_encryption_keys } from '../../platform/schema/links.ts';
import { type FolderRow, folderByStoragePath, lockFolder, requireOwner, type Viewer } from '../access/find-folder.ts';
import { requesterOfViewer } from '../access/folder-access.ts';
import { blobOf, insertParts } from '../files/blob-parts.ts';
import { purgeBlobs } from '../files/blob-purge.ts';
import { hashBlob, isSizeDenied, refuseDenied } from '../files/denied-blobs.ts';
import { deleteFileOfBlob, type ObjectName, storeFile } from '../files/files.ts';
import { findUpload, isHeld, type Lease, UPLOAD_LIFETIME, type UploadRow, whyRefused } from './leases.ts';

/** The life of an upload: created with its quota reserved, then completed into a file, or deleted. */

export interface UploadDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
}

export interface NewUpload extends ObjectName {
  readonly length_bytes: number;
  readonly mimetype: string;
  readonly cache_control: string;
  readonly sealed: string | null;
  /** The Upload-Metadata header as it was sent. */
  readonly metadata: string;
  readonly upsert: boolean;
  /** The api_token of the link under whose key the file was sealed; null where the sender doesn't say it. */
  readonly link_token: string | null;
}

/** @throws folder.forbidden, folder.revoked */
export function requireOpen(folder: FolderRow, viewer: Viewer): void {
  requireOwner(folder, viewer);
  if (folder.link_mode === 'revoked') throw new AppError('folder.revoked');
}

/**
 * Checks that a folder accepts an upload.
 * @throws folder.forbidden, folder.revoked, upload.not_encrypted
 */
export function requireAcceptable(folder: FolderRow, viewer: Viewer, upload: NewUpload): void {
  requireOpen(folder, viewer);
  if (folder.link_mode !== 'plain' && !isSealedName(upload.segment)) throw new AppError('upload.not_encrypted');
}

/**
 * Finds the folder of an upload that begins.
 * @throws storage.not_found, folder.expired, folder.forbidden, folder.revoked, upload.not_encrypted
 */
export async function acceptingFolder(db: Queryable, viewer: Viewer, upload: NewUpload): Promise<FolderRow> {
  const found = await folderByStoragePath(db, upload.storagePath, requesterOfViewer(viewer));
  requireAcceptable(found, viewer, upload);
  return found;
}

/**
 * Refuses files that were sealed before the link was changed: their labels would be under a key that no longer counts
 * (docs/container.md §6). Their sender seals them again.
 * @param tx a transaction that holds the folder's row
 * @throws key.link_changed
 */
export async function requireLink(
  tx: Tx,
  { id }: FolderRow,
  all: readonly Pick<NewUpload, 'link_token'>[],
): Promise<void> {
  const named = all.flatMap(({ link_token }) => link_token ?? []);
  if (named.length === 0) return;
  const [link] = await tx
    .select({ token: temp_encryption_keys.api_token })
    .from(temp_encryption_keys)
    .where(eq(temp_encryption_keys.folder_id, id));
  // A key that has expired is no change of the link.
  if (link && named.some((token) => token !== link.token)) throw new AppError('key.link_changed');
}

/** @throws upload.too_large */
export function requireSize(folder: FolderRow, { length_bytes }: NewUpload, maxFileBytes: number): void {
  // tus, Creation: "If the length of the upload exceeds the maximum, which MAY be specified using the `Tus-Max-Size`
  // header, the Server MUST respond with the `413 Request Entity Too Large` status."
  const maxBytes = folder.link_mode === 'plain' ? maxFileBytes : maxSealedBytes(maxFileBytes);
  if (length_bytes > maxBytes) throw new AppError('upload.too_large', { sizeBytes: length_bytes, maxBytes });
}

/**
 * Reserves quota by one conditional statement, so that parallel requests can't exceed the limit.
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

export interface HeldLimits extends TierLimits {
  /** Bytes that are used or reserved. */
  readonly taken_bytes: number;
}

/**
 * The limits of the owner's tier, and what is taken of them, locked until the transaction ends: a tier that is lowered
 * takes effect before the next reservation.
 * @throws auth.required
 */
export async function holdLimits(tx: Tx, profileId: string, tiers: Tiers): Promise<HeldLimits> {
  const [held] = await tx
    .select({ tier: profiles.subscription_tier, used: profiles.used_bytes, reserved: profiles.reserved_bytes })
    .from(profiles)
    .where(eq(profiles.id, profileId))
    .for('no key update');
  if (!held) throw new AppError('auth.required');
  return { ...limitsOf(tiers, held.tier), taken_bytes: held.used + held.reserved };
}

/** Condition for uploads of a person that may still become files. */
export const openUploadsOf = (profileId: string): SQL =>
  and(eq(uploads.profile_id, profileId), isNull(uploads.completed_at), gt(uploads.expires_at, sql`clock_timestamp()`))!;

/** The open uploads of a person, newest first. Without their names, which the owner may have hidden. */
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
 * Checks the caps under the locks of folder and profile, so that parallel requests can't exceed them.
 * @param replaces true when the upload replaces an existing file, which adds no file; should that file be deleted
 * before the upload is complete, the upload counts among the open ones
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
  const { storagePath: _, segment, link_token: __, ...columns } = upload;
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

/** The limits of the site. */
export interface UploadRules {
  readonly tiers: Tiers;
  readonly caps: Caps;
}

/**
 * Creates an upload and reserves its quota. Its blob begins with its first byte.
 * @throws storage.not_found, folder.expired, folder.forbidden, folder.revoked, upload.not_encrypted, upload.too_large,
 * upload.too_many_open, upload.too_many_files, upload.over_quota, storage.exists, key.link_changed
 */
export async function createUpload(
  { db }: Pick<UploadDeps, 'db'>,
  viewer: Viewer,
  upload: NewUpload,
  { tiers, caps }: UploadRules,
): Promise<UploadRow> {
  const found = await acceptingFolder(db, viewer, upload);
  return await inTransaction(db, async (tx) => {
    const folder = await lockFolder(tx, found.id);
    requireAcceptable(folder, viewer, upload);
    const limits = await holdLimits(tx, viewer.profile_id, tiers);
    requireSize(folder, upload, limits.max_file_bytes);
    const [existing] = await tx
      .select({ id: files.id })
      .from(files)
      .where(and(eq(files.folder_id, folder.id), eq(files.name, upload.segment)));
    if (existing && !upload.upsert) throw new AppError('storage.exists');
    await requireLink(tx, folder, [upload]);
    await requireRoom(tx, folder, caps, existing !== undefined);
    await reserve(tx, viewer.profile_id, upload.length_bytes, limits.storage_bytes);
    return insertUpload(tx, folder, viewer, upload);
  });
}

const GONE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['folder.not_found', 'folder.taken_down']);

/** Answers upload.gone when the folder of an upload has been deleted. */
function asGone(error: unknown): never {
  const isDeleted = error instanceof AppError && GONE.has(error.code);
  throw isDeleted ? new AppError('upload.gone', {}, { cause: error }) : error;
}

/**
 * After these errors an upload can never become a file: its name was taken during the transfer, or its bytes are
 * denied.
 */
const FRUITLESS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['storage.exists', 'upload.denied']);

interface Completion {
  readonly upload: UploadRow;
  /** Queued blobs of the replaced version. */
  readonly replaced: readonly string[];
}

/** How an upload ends. */
export interface Ending {
  /** The offset acknowledged so far. */
  readonly fromBytes: number;
  /** The CRC-32 of all bytes. */
  readonly sum: number;
  /** The parts that the bytes since then began. */
  readonly parts: readonly BlobPart[];
}

/**
 * Completes an upload in one transaction that locks the folder's row.
 * @param sha256 hash of the bytes; null when they are not hashed
 * @returns null when the bytes have to be hashed first, since a denied file has their size
 */
async function tryComplete(db: Db, lease: Lease, ending: Ending, sha256: string | null): Promise<Completion | null> {
  return await inTransaction(db, async (tx) => {
    const folder = await lockFolder(tx, lease.folder_id).catch(asGone);
    if (sha256 !== null) await refuseDenied(tx, sha256);
    else if (await isSizeDenied(tx, lease.length_bytes)) return null;
    const [done] = await tx
      .update(uploads)
      .set({ offset_bytes: lease.length_bytes, completed_at: sql`clock_timestamp()` })
      .from(folders)
      .where(isHeld(lease, ending.fromBytes))
      .returning(getTableColumns(uploads));
    if (!done) throw await whyRefused(tx, lease);
    await insertParts(tx, done.blob_key, ending.parts);
    const { name, length_bytes, mimetype, cache_control, sealed, blob_key } = done;
    const file = { name, size_bytes: length_bytes, mimetype, cache_control, sealed, blob_key, checksum: ending.sum };
    return { upload: done, replaced: await storeFile(tx, folder, file, done.upsert) };
  });
}

/** @throws upload.gone when the blob was deleted with its folder; or the error that ended the upload otherwise */
async function hashUpload({ db, blobs }: UploadDeps, lease: Lease, ending: Ending): Promise<string> {
  try {
    const { blobKey, parts } = await blobOf(db, lease.blob_key);
    return await hashBlob(blobs, { blobKey, parts: [...parts, ...ending.parts] }, lease.length_bytes);
  } catch (error) {
    throw error instanceof BlobMissingError ? await whyRefused(db, lease) : error;
  }
}

/**
 * Turns an upload whose bytes are all durable into a file, unless an operator denied them. A request that takes the
 * upload over during the hashing may send other bytes; then this completes nothing. The blob of a replaced version is
 * purged before this resolves, since its bytes no longer count as used.
 * @throws upload.gone, folder.expired, upload.unauthenticated, upload.lost_lease, storage.exists, upload.denied
 */
export async function completeUpload(deps: UploadDeps, lease: Lease, ending: Ending): Promise<UploadRow> {
  const { db } = deps;
  try {
    const unhashed = await tryComplete(db, lease, ending, null);
    const done = unhashed ?? (await tryComplete(db, lease, ending, await hashUpload(deps, lease, ending)))!;
    await purgeBlobs(deps, done.replaced);
    return done.upload;
  } catch (error) {
    if (error instanceof AppError && FRUITLESS.has(error.code)) await deleteUpload(deps, lease);
    throw error;
  }
}

/**
 * Deletes uploads, gives their reservations back, and queues the blobs of open ones.
 * @param afterwards the answer to later requests for them: `gone` (410) or `unknown` (404)
 * @returns the queued blobs
 */
async function deleteUploads(tx: Tx, which: SQL, afterwards: 'gone' | 'unknown'): Promise<string[]> {
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

/** Deletes an upload that can't be continued, unless it has been completed. */
export async function deleteUpload(
  { db, blobs }: UploadDeps,
  upload: UploadRow,
  afterwards: 'gone' | 'unknown' = 'gone',
): Promise<void> {
  const which = sql`id = ${upload.id}::uuid and completed_at is null`;
  const queued = await inTransaction(db, (tx) => deleteUploads(tx, which, afterwards));
  await purgeBlobs({ db, blobs }, queued);
}

/**
 * Deletes an upload, and the file when the upload has been completed: a client that cancels while the last answer is
 * lost means both.
 * tus, Termination: "For all future requests to this URL, the Server SHOULD respond with the `404 Not Found` or `410
 * Gone` status."
 * @throws upload.not_found, upload.gone, folder.expired
 */
export async function terminateUpload({ db, blobs }: UploadDeps, id: string, profileId: string): Promise<void> {
  const upload = await findUpload(db, id, profileId);
  const queued = await inTransaction(db, async (tx) => {
    const folder = await lockFolder(tx, upload.folder_id).catch(asGone);
    const ofUpload = await deleteUploads(tx, sql`id = ${id}::uuid`, 'unknown');
    return [...ofUpload, ...(await deleteFileOfBlob(tx, folder, upload.blob_key))];
  });
  await purgeBlobs({ db, blobs }, queued);
}

/**
 * Deletes the uploads of a folder whose row is locked, as part of its deletion or of the revocation of its link.
 * @returns the queued blobs
 */
export const deleteUploadsOf = (tx: Tx, folderId: string): Promise<string[]> =>
  deleteUploads(tx, sql`folder_id = ${folderId}::uuid`, 'gone');

const EXPIRED = sql`expires_at <= now()`;
const SWEEP_ROWS = 500;

/**
 * Expires uploads in batches, each of one person: two sweepers can't deadlock on profiles.
 * tus, Expiration: "The Server MAY remove unfinished uploads once they expire."
 * @param signal ends the expiry between two batches
 */
export async function expireUploads(db: Db, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const [next] = await db
      .select({ owner: uploads.profile_id })
      .from(uploads)
      .where(EXPIRED)
      .limit(1)
      .for('update', { skipLocked: true });
    if (!next) return;
    const which = sql`id in (
      select id from uploads where profile_id = ${next.owner}::uuid and ${EXPIRED}
      limit ${SWEEP_ROWS} for update skip locked
    )`;
    await inTransaction(db, (tx) => deleteUploads(tx, which, 'gone'));
  }
}
