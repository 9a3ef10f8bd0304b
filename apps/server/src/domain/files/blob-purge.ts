import { AppError } from '@satchel/contract/errors';
import { and, eq, gt, inArray, sql } from 'drizzle-orm';
import { type BlobStore, wholeBlob } from '../../platform/blobs/blobs.ts';
import { type Db, type Queryable, rowsOf, type Tx } from '../../platform/database/db.ts';
import { blob_removals } from '../../platform/schema/files.ts';
import { deletePartRows, partsOfBlobs } from './blob-parts.ts';

/**
 * Purges blobs that no row points to any more: deletes each from the store, then its row in the queue `blob_removals`.
 */

export interface BlobPurgeDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
}

type Report = (error: unknown) => void;

/** Blobs purged between two statements; an aborted sweep ends after as many. */
const BATCH = 100;

/**
 * Queues blobs in the transaction that deletes their row: a blob always has a row or an entry of the queue.
 */
export async function queueBlobs(tx: Tx, blobKeys: readonly string[]): Promise<void> {
  if (blobKeys.length === 0) return;
  await tx
    .insert(blob_removals)
    .values(blobKeys.map((blob_key) => ({ blob_key })))
    .onConflictDoNothing();
}

const HELD = sql`interval '1 hour'`;
/** A hold that ends within this time is no longer given up: the sweeper may be at it. */
const HELD_AT_LEAST = sql`interval '10 minutes'`;

/** Queues blobs that are about to be stored, to be purged in an hour unless they get a row by then. */
export const holdBlobs = async (db: Queryable, blobKeys: readonly string[]): Promise<void> =>
  void (await db
    .insert(blob_removals)
    .values(blobKeys.map((blob_key) => ({ blob_key, held_until: sql`clock_timestamp() + ${HELD}` }))));

/**
 * Takes held blobs from the queue, in the transaction that gives them rows.
 * @throws request.unavailable when the time of one is over
 */
export async function releaseHeld(tx: Tx, blobKeys: readonly string[]): Promise<void> {
  const released = await tx
    .delete(blob_removals)
    .where(
      and(
        inArray(blob_removals.blob_key, [...blobKeys]),
        gt(blob_removals.held_until, sql`clock_timestamp() + ${HELD_AT_LEAST}`),
      ),
    )
    .returning({ blob_key: blob_removals.blob_key });
  if (released.length !== blobKeys.length) throw new AppError('request.unavailable');
}

/**
 * Deletes blobs from the store, and their entries of the queue.
 * @param report is called for each blob that could not be deleted
 * @returns the blobs that could not be deleted
 * @throws when the queue can't be written
 */
async function purgeBatch({ db, blobs }: BlobPurgeDeps, blobKeys: readonly string[], report: Report) {
  if (blobKeys.length === 0) return [];
  const parts = await partsOfBlobs(db, blobKeys);
  const failed = await blobs.delete(
    blobKeys.map((blobKey) => ({ blobKey, parts: parts.get(blobKey) ?? wholeBlob(blobKey).parts })),
  );
  for (const reason of failed.values()) report(reason);
  const deleted = blobKeys.filter((key) => !failed.has(key));
  const withParts = deleted.filter((key) => parts.has(key));
  // Before the entry of the queue: without it, no sweep would come back for the rows.
  if (withParts.length > 0) await deletePartRows(db, withParts);
  if (deleted.length > 0) await db.delete(blob_removals).where(inArray(blob_removals.blob_key, deleted));
  return [...failed.keys()];
}

/**
 * Purges the given queued blobs right after the transaction that queued them, and no others: a request does not wait
 * for blobs that other requests queued. It never throws, since that transaction has been committed; a blob that can't
 * be deleted stays queued for the sweeper.
 * @param report is called for each blob that could not be deleted
 * @param signal ends the purge between two batches
 */
export async function purgeBlobs(
  deps: BlobPurgeDeps,
  blobKeys: readonly string[],
  report: Report = () => undefined,
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < blobKeys.length && !signal?.aborted; from += BATCH) {
    const batch = blobKeys.slice(from, from + BATCH);
    // Deleting a blob a second time does nothing.
    const failed = await purgeBatch(deps, batch, report).catch((error: unknown) => {
      report(error);
      return batch;
    });
    // The store is away, and a person waits for this.
    if (failed.length === batch.length) return;
  }
}

/**
 * Purges a held blob, unless it has a row: the transaction that gives it one takes it from the queue, and may have
 * committed although its answer was an error. Never throws; what fails is left to the sweeper.
 */
export async function purgeUnclaimed(deps: BlobPurgeDeps, blobKey: string): Promise<void> {
  try {
    const unclaimed = await deps.db
      .update(blob_removals)
      .set({ held_until: null })
      .where(eq(blob_removals.blob_key, blobKey))
      .returning({ blob_key: blob_removals.blob_key });
    if (unclaimed.length > 0) await purgeBlobs(deps, [blobKey]);
  } catch {
    // The hold ends in an hour.
  }
}

/** How long a node may take to purge a batch before another node does so, as it does after the node was killed. */
const CLAIMED = sql`interval '5 minutes'`;

/** Claims a batch of the queue. What another node has claimed is left out: two sweeps never purge the same blobs. */
async function claimBatch(db: Queryable): Promise<string[]> {
  const claimed = await db.execute(sql`
    update ${blob_removals} set held_until = now() + ${CLAIMED} where blob_key = any(array(
      select blob_key from ${blob_removals} where held_until is null or held_until <= now()
      order by attempts, queued_at limit ${BATCH} for update skip locked
    )) returning blob_key`);
  return rowsOf<{ blob_key: string }>(claimed).map(({ blob_key }) => blob_key);
}

/**
 * Purges all queued blobs, batch by batch. A blob that can't be deleted now moves behind the others.
 * @param signal ends the purge between two batches
 */
export async function purgeQueuedBlobs(deps: BlobPurgeDeps, report: Report, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const keys = await claimBatch(deps.db);
    const failed = await purgeBatch(deps, keys, report);
    if (failed.length > 0) {
      const attempts = sql`${blob_removals.attempts} + 1`;
      await deps.db
        .update(blob_removals)
        .set({ attempts, held_until: null })
        .where(inArray(blob_removals.blob_key, failed));
    }
    // Only blobs that could not be deleted are left.
    if (failed.length === keys.length) return;
  }
}
