import { AppError } from '@satchel/contract/errors';
import { isSealedName } from '@satchel/contract/naming';
import type { Tiers } from '@satchel/contract/tiers';
import {
  DIRECT_MIN_BYTES,
  DIRECT_PART_MIN_BYTES,
  type PartClaim,
  type PutAddress,
} from '@satchel/contract/wire/direct-uploads';
import { and, asc, eq, getTableColumns, gt, inArray, lt, notExists, sql } from 'drizzle-orm';
import type { NewPart, PartUploads, Validity } from '../../platform/blobs/blobs.ts';
import { inTransaction, type Queryable, rowsOf, type Tx } from '../../platform/database/db.ts';
import { folders, uploads } from '../../platform/database/schema.ts';
import { blob_parts, granted_parts } from '../../platform/database/schema-site.ts';
import { lastPartColumn } from '../files/blob-parts.ts';
import type { BlobPurgeDeps } from '../files/blob-purge.ts';
import { commitOffset, isLeased, type Lease, type UploadRow, whyRefused } from './leases.ts';
import type { ReceiverDeps } from './receiver.ts';
import { completeUpload, holdLimits } from './uploads.ts';

/**
 * Parts of sealed files that browsers store by themselves (docs/decisions/033). Each has a row from its address on. It is
 * acknowledged under the lease that it was asked for, in the order of the bytes, once the store is found to have it; its row
 * goes in that transaction. Every other row goes with its object, long after its address has ended.
 */

/** A request at an address may begin for so long. */
const VALID_SECONDS = 60;
/** Stored, or about to be, and not acknowledged, of one account: four uploads at once have a third of it on their way. */
const GRANTED_MAX_BYTES = 256 * 1024 ** 2;
/** Later a part is no longer acknowledged … */
const COMMITTED_WITHIN = sql`interval '30 minutes'`;
/** … and later still deleted: no deletion, however late it comes, meets a part that may be acknowledged. */
const KEPT = sql`interval '1 hour'`;
const SWEEP_PARTS = 500;

interface DirectDeps extends Pick<ReceiverDeps, 'db'> {
  /** Null where nothing is sent to the store. */
  readonly store: PartUploads | null;
}

/** Who sends, and under which lease. */
export interface Sender {
  readonly id: string;
  readonly profileId: string;
  readonly sessionId: string;
  readonly epoch: number;
}

/** Whether parts of this upload may go to the store; what its folder says is asked with each grant. */
export const mayGoDirect = ({ name, sealed, length_bytes, completed_at }: UploadRow): boolean =>
  completed_at === null && sealed !== null && isSealedName(name) && length_bytes >= DIRECT_MIN_BYTES;

const leaseOf = ({ id, sessionId, epoch }: Sender) => ({ id, session_id: sessionId, lease_epoch: epoch });

/** @throws upload.lost_lease, upload.gone, upload.not_found, folder.expired, upload.unauthenticated */
async function refuse(db: Queryable, { id, profileId, sessionId }: Sender): Promise<never> {
  throw await whyRefused(db, { id, profile_id: profileId, session_id: sessionId });
}

const bytesOf = (parts: readonly { readonly size_bytes: number }[]) =>
  parts.reduce((sum, { size_bytes }) => sum + size_bytes, 0);

/** @throws upload.wrong_offset, upload.length_exceeded, request.invalid */
function requireWithin({ offset_bytes, length_bytes }: UploadRow, parts: readonly PartClaim[]): void {
  for (const { start, size_bytes } of parts) {
    if (start < offset_bytes) throw new AppError('upload.wrong_offset');
    if (start + size_bytes > length_bytes) throw new AppError('upload.length_exceeded');
    if (size_bytes < DIRECT_PART_MIN_BYTES && start + size_bytes < length_bytes) {
      throw new AppError('request.invalid', { message: 'only the last part may be so small' });
    }
  }
}

const newPart = ({ start, size_bytes, sha256, crc32 }: PartClaim): NewPart => ({
  ...{ start, sizeBytes: size_bytes, sha256, sums: crc32 },
});

/**
 * Gives addresses for parts of an upload, within its length and its account's room.
 * @returns null when its parts have to come through the server
 * @throws upload.lost_lease, upload.gone, upload.not_found, folder.expired, upload.unauthenticated, upload.wrong_offset,
 * upload.length_exceeded, request.invalid
 */
export async function grantParts(
  { db, store }: DirectDeps,
  sender: Sender,
  claims: readonly PartClaim[],
  tiers: Tiers,
): Promise<readonly PutAddress[] | null> {
  const granted = await inTransaction(db, async (tx) => {
    // Locked: an acknowledgement at the same time would move the offset beyond a part that is asked for here.
    const [held] = await tx
      .select({
        upload: getTableColumns(uploads),
        link_mode: folders.link_mode,
        left_seconds: sql<number>`extract(epoch from least(${folders.expires_at}, ${uploads.expires_at}) - clock_timestamp())::float8`,
        now_ms: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`,
      })
      .from(uploads)
      .innerJoin(folders, eq(folders.id, uploads.folder_id))
      .where(and(isLeased(leaseOf(sender)), eq(uploads.profile_id, sender.profileId)))
      .for('no key update', { of: uploads });
    if (!held) return refuse(tx, sender);
    const { upload, link_mode, left_seconds, now_ms } = held;
    if (!store || link_mode === 'plain' || !mayGoDirect(upload)) return null;
    requireWithin(upload, claims);
    const seconds = Math.min(VALID_SECONDS, Math.floor(left_seconds));
    if (seconds < 1) throw new AppError('folder.expired');
    if (!(await hasRoom(tx, sender.profileId, bytesOf(claims), tiers))) return null;
    const parts = claims.map((claim) => ({ claim, name: store.newName(newPart(claim), sender.epoch) }));
    await tx.insert(granted_parts).values(
      parts.map(({ name, claim }) => ({
        ...{ blob_key: upload.blob_key, name, profile_id: sender.profileId, lease_epoch: sender.epoch },
        ...{ start_bytes: claim.start, size_bytes: claim.size_bytes, sums: claim.crc32 },
        ends_at: sql`clock_timestamp() + make_interval(secs => ${seconds})`,
      })),
    );
    return { store, parts, blobKey: upload.blob_key, valid: { now: new Date(now_ms), seconds } satisfies Validity };
  });
  if (!granted) return null;
  const { parts, blobKey, valid } = granted;
  return Promise.all(parts.map(({ name, claim }) => granted.store.addressOf(blobKey, name, newPart(claim), valid)));
}

/** Whether the account has room for parts beside its files, its uploads and all parts that are not acknowledged. */
async function hasRoom(tx: Tx, profileId: string, bytes: number, tiers: Tiers): Promise<boolean> {
  const { storage_bytes, taken_bytes } = await holdLimits(tx, profileId, tiers);
  const [row] = rowsOf<{ bytes: string }>(
    await tx.execute(
      sql`select coalesce(sum(size_bytes), 0)::text as bytes from granted_parts where profile_id = ${profileId}::uuid`,
    ),
  );
  const granted = Number(row?.bytes) + bytes;
  return granted <= GRANTED_MAX_BYTES && taken_bytes + granted <= storage_bytes;
}

type GrantedPart = typeof granted_parts.$inferSelect;

/** The parts of these names that follow each other from the offset on, as far as the store has them. */
async function storedFrom(
  { db, store }: DirectDeps,
  { blob_key, offset_bytes, lease_epoch }: UploadRow,
  names: readonly string[],
): Promise<GrantedPart[]> {
  const rows = await db
    .select()
    .from(granted_parts)
    .where(
      and(
        eq(granted_parts.blob_key, blob_key),
        eq(granted_parts.lease_epoch, lease_epoch),
        inArray(granted_parts.name, [...names]),
      ),
    )
    .orderBy(asc(granted_parts.start_bytes));
  const areStored = await Promise.all(
    rows.map(({ name, size_bytes, sums }) => store?.has(blob_key, name, { sizeBytes: size_bytes, sums })),
  );
  const following: GrantedPart[] = [];
  let at = offset_bytes;
  for (const [index, row] of rows.entries()) {
    if (row.start_bytes !== at || !areStored[index]) break;
    following.push(row);
    at += row.size_bytes;
  }
  return following;
}

/** Takes the rows of parts that are acknowledged. @throws upload.lost_lease when one is not there any more */
const claimOf =
  (parts: readonly GrantedPart[]) =>
  async (tx: Tx): Promise<void> => {
    const claimed = await tx
      .delete(granted_parts)
      .where(
        and(
          eq(granted_parts.blob_key, parts[0]!.blob_key),
          inArray(
            granted_parts.name,
            parts.map(({ name }) => name),
          ),
          gt(granted_parts.ends_at, sql`clock_timestamp() - ${COMMITTED_WITHIN}`),
        ),
      )
      .returning({ name: granted_parts.name });
    if (claimed.length !== parts.length) throw new AppError('upload.lost_lease');
  };

/**
 * Acknowledges parts that the store has; the last byte makes the upload a file.
 * @returns the offset, which is that of before where the store lacks the first part
 * @throws upload.lost_lease, upload.gone, upload.not_found, folder.expired, upload.unauthenticated, storage.exists,
 * upload.denied
 */
export async function commitParts(
  deps: ReceiverDeps & DirectDeps,
  sender: Sender,
  names: readonly string[],
): Promise<number> {
  const { db } = deps;
  const [upload] = await db
    .select({ ...getTableColumns(uploads), last_part: lastPartColumn('uploads') })
    .from(uploads)
    .innerJoin(folders, eq(folders.id, uploads.folder_id))
    .where(and(isLeased(leaseOf(sender)), eq(uploads.profile_id, sender.profileId)));
  if (!upload) return refuse(db, sender);
  const stored = await storedFrom(deps, upload, names);
  if (stored.length === 0) return upload.offset_bytes;
  const lease: Lease = { ...upload, session_id: sender.sessionId };
  const parts = stored.map(({ start_bytes: start, name }) => ({ start, name }));
  // Only the bytes would tell their checksum, and they were never here.
  const ending = { fromBytes: upload.offset_bytes, sum: null, parts, claim: claimOf(stored) };
  const toBytes = upload.offset_bytes + bytesOf(stored);
  if (toBytes < upload.length_bytes) return (await commitOffset(db, lease, { ...ending, toBytes })).offset_bytes;
  const completed = await completeUpload(deps, lease, ending);
  deps.onCompleted(completed.folder_id);
  return completed.offset_bytes;
}

/** Deletes parts that were not acknowledged in time, whatever became of their uploads. */
export async function purgeGrantedParts({ db, blobs }: BlobPurgeDeps, signal?: AbortSignal): Promise<void> {
  const isOver = lt(granted_parts.ends_at, sql`clock_timestamp() - ${KEPT}`);
  const isAcknowledged = sql`${blob_parts.blob_key} = ${granted_parts.blob_key} and ${blob_parts.name} = ${granted_parts.name}`;
  while (!signal?.aborted) {
    const over = await db
      .select({ blob_key: granted_parts.blob_key, name: granted_parts.name })
      .from(granted_parts)
      .where(and(isOver, notExists(db.select({ one: sql`1` }).from(blob_parts).where(isAcknowledged))))
      .orderBy(asc(granted_parts.ends_at))
      .limit(SWEEP_PARTS);
    if (over.length === 0) return;
    await blobs.deleteParts(over);
    for (const blobKey of new Set(over.map(({ blob_key }) => blob_key))) {
      const names = over.filter(({ blob_key }) => blob_key === blobKey).map(({ name }) => name);
      await db
        .delete(granted_parts)
        .where(and(eq(granted_parts.blob_key, blobKey), inArray(granted_parts.name, names)));
    }
  }
}
