import { AppError } from '@satchel/contract/errors';
import { and, eq, getTableColumns, gt, isNull, type Placeholder, type SQL, sql } from 'drizzle-orm';
import { type BlobPart, WHOLE } from '../../platform/blobs/blobs.ts';
import { type Db, inTransaction, type Queryable } from '../../platform/database/db.ts';
import { prepared, type Slots } from '../../platform/database/prepared.ts';
import { sessions } from '../../platform/schema/accounts.ts';
import { gone_uploads, uploads } from '../../platform/schema/files.ts';
import { folders } from '../../platform/schema/folders.ts';
import { isSessionAlive } from '../accounts/sessions.ts';
import { insertParts, lastPartColumn } from '../files/blob-parts.ts';

/**
 * The lease of an upload: only the holder of the newest epoch may move the offset. Single statements take
 * it and check it, so that no transaction is open during a transfer.
 */

export type UploadRow = typeof uploads.$inferSelect;
/** An upload that a request has taken over, with the last part of what is acknowledged. */
export type TakenUpload = UploadRow & { readonly last_part: BlobPart };
/** An upload that a request holds, for as long as its session lasts. */
export type Lease = TakenUpload & { readonly session_id: string };
/** The state of an upload that its sender gets. */
export type Progress = Pick<UploadRow, 'id' | 'offset_bytes' | 'expires_at'>;

/** An upload expires after this time without progress, or with its folder. */
export const UPLOAD_LIFETIME = sql`interval '24 hours'`;

/** Condition for an upload that may be written, by the database's clock. */
const isAlive = (): SQL =>
  and(
    eq(folders.id, uploads.folder_id),
    isNull(folders.deleted_at),
    gt(folders.expires_at, sql`clock_timestamp()`),
    gt(uploads.expires_at, sql`clock_timestamp()`),
  )!;

/**
 * Finds an upload of this person, completed ones included.
 * @throws upload.not_found, upload.gone, folder.expired
 */
export async function findUpload(db: Queryable, id: string, profileId: string): Promise<UploadRow> {
  const [found] = await db
    .select({
      ...getTableColumns(uploads),
      folder_deleted: sql<boolean>`${folders.deleted_at} is not null`,
      folder_expired: sql<boolean>`${folders.expires_at} <= clock_timestamp()`,
      is_expired: sql<boolean>`${uploads.expires_at} <= clock_timestamp()`,
    })
    .from(uploads)
    .innerJoin(folders, eq(folders.id, uploads.folder_id))
    .where(and(eq(uploads.id, id), eq(uploads.profile_id, profileId)));
  if (!found) {
    const [gone] = await db
      .select()
      .from(gone_uploads)
      .where(and(eq(gone_uploads.id, id), eq(gone_uploads.profile_id, profileId)));
    // tus, Expiration, of 404 and 410: "The latter one SHOULD be used if the Server is keeping track of expired
    // uploads."
    throw new AppError(gone ? 'upload.gone' : 'upload.not_found');
  }
  const { folder_deleted, folder_expired, is_expired, ...upload } = found;
  if (folder_deleted) throw new AppError('upload.gone');
  if (folder_expired) throw new AppError('folder.expired');
  if (is_expired) throw new AppError('upload.gone');
  return upload;
}

/**
 * Takes an upload over: no older holder can commit from here on. A completed upload is returned unchanged.
 * @param atBytes the offset that the upload must be at, or null for any
 * @throws upload.not_found, upload.gone, folder.expired, upload.wrong_offset
 */
export async function takeLease(db: Db, id: string, profileId: string, atBytes: number | null): Promise<TakenUpload> {
  const [taken] = await db
    .update(uploads)
    .set({ lease_epoch: sql`${uploads.lease_epoch} + 1` })
    .from(folders)
    .where(
      and(
        eq(uploads.id, id),
        eq(uploads.profile_id, profileId),
        isNull(uploads.completed_at),
        atBytes === null ? undefined : eq(uploads.offset_bytes, atBytes),
        isAlive(),
      ),
    )
    .returning({ ...getTableColumns(uploads), last_part: lastPartColumn('uploads') });
  if (taken) return taken;
  const upload = await findUpload(db, id, profileId);
  // tus, PATCH: "The `Upload-Offset` header's value MUST be equal to the current offset of the resource."
  if (atBytes !== null && upload.offset_bytes !== atBytes) throw new AppError('upload.wrong_offset');
  // The upload changed between the two statements; the sender asks again.
  if (upload.completed_at === null) throw new AppError('upload.locked');
  return { ...upload, last_part: { start: 0, name: WHOLE } };
}

/** What a commit needs of a lease. */
type Held = Pick<Lease, 'id' | 'lease_epoch' | 'session_id'>;

/** Condition for the row of an upload at this offset that nothing has taken over from this lease. */
export const isHeld = (lease: Held | Slots<Held>, atBytes: number | Placeholder): SQL =>
  and(
    sql`exists (
      select 1 from ${sessions} where ${sessions.id} = ${lease.session_id} and ${sessions.expires_at} > clock_timestamp()
    )`,
    eq(uploads.id, lease.id),
    eq(uploads.lease_epoch, lease.lease_epoch),
    eq(uploads.offset_bytes, atBytes),
    isNull(uploads.completed_at),
    isAlive(),
  )!;

const updateOffset = prepared((db, slots: Slots<Held & { from_bytes: number; to_bytes: number; checksum: number }>) =>
  db
    .update(uploads)
    .set({
      offset_bytes: sql`${slots.to_bytes}::bigint`,
      checksum: sql`${slots.checksum}::bigint`,
      expires_at: sql`least(${folders.expires_at}, clock_timestamp() + ${UPLOAD_LIFETIME})`,
    })
    .from(folders)
    .where(isHeld(slots, slots.from_bytes))
    .returning({ id: uploads.id, offset_bytes: uploads.offset_bytes, expires_at: uploads.expires_at }),
);

/** Durable bytes that are to be acknowledged. */
export interface DurableBytes {
  readonly fromBytes: number;
  readonly toBytes: number;
  /** The CRC-32 of all bytes of the upload up to there. */
  readonly sum: number;
  /** The parts that they began. */
  readonly parts?: readonly BlobPart[];
}

/**
 * Commits durable bytes as acknowledged.
 * @throws upload.lost_lease, upload.gone, folder.expired, upload.unauthenticated
 */
export async function commitOffset(
  db: Db,
  lease: Lease,
  { fromBytes, toBytes, sum, parts = [] }: DurableBytes,
): Promise<Progress> {
  const { id, lease_epoch, session_id } = lease;
  const values = { id, lease_epoch, session_id, from_bytes: fromBytes, to_bytes: toBytes, checksum: sum };
  const [committed] =
    parts.length === 0
      ? await updateOffset(db, values)
      : await inTransaction(db, async (tx) => {
          const moved = await updateOffset(tx, values);
          if (moved.length === 0) return moved;
          await insertParts(tx, lease.blob_key, parts);
          return moved;
        });
  if (!committed) throw await whyRefused(db, lease);
  return committed;
}

/**
 * The error for a commit that found no row: the upload has been deleted, its sender has signed out, or a newer request
 * holds it.
 */
export async function whyRefused(
  db: Queryable,
  lease: Pick<Lease, 'id' | 'profile_id' | 'session_id'>,
): Promise<unknown> {
  try {
    await findUpload(db, lease.id, lease.profile_id);
    return new AppError((await isSessionAlive(db, lease)) ? 'upload.lost_lease' : 'upload.unauthenticated');
  } catch (error) {
    return error;
  }
}
