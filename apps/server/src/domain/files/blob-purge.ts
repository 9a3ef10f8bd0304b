import { asc, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { BlobStore } from '../platform/blobs.ts';
import type { Db, Tx } from '../platform/db.ts';
import { blob_removals } from '../platform/schema.ts';

/** The queue of blobs that no row points to any more: each is removed from the store, then forgotten. */

export interface BlobRemovalDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
}

type Report = (error: unknown) => void;

/** Freed between two statements: a sweep that is told to stop ends after as many. */
const BATCH = 100;
/** The file system's calls that are under way at once: other requests need some, too. */
const AT_ONCE = 10;

/** Queues blobs for removal in the transaction that takes their row away: a blob has one or the other (DESIGN §6). */
export async function queueBlobs(tx: Tx, blobKeys: readonly string[]): Promise<void> {
  if (blobKeys.length === 0) return;
  await tx
    .insert(blob_removals)
    .values(blobKeys.map((blob_key) => ({ blob_key })))
    .onConflictDoNothing();
}

/**
 * Removes blobs from the store, and the queue's entries of those that are gone.
 * @param report told of each blob that could not be removed
 * @returns the blobs that could not be removed
 * @throws when the queue can't be written
 */
async function freeBatch({ db, blobs }: BlobRemovalDeps, blobKeys: readonly string[], report: Report) {
  const failed: string[] = [];
  for (let from = 0; from < blobKeys.length; from += AT_ONCE) {
    const some = blobKeys.slice(from, from + AT_ONCE);
    const results = await Promise.allSettled(some.map((key) => blobs.remove(key)));
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') continue;
      failed.push(some[index]!);
      report(result.reason);
    }
  }
  const freed = failed.length === 0 ? blobKeys : blobKeys.filter((key) => !failed.includes(key));
  if (freed.length > 0) await db.delete(blob_removals).where(inArray(blob_removals.blob_key, [...freed]));
  return failed;
}

/**
 * Frees queued blobs at once, after the transaction that queued them, and no others: nobody waits for what other acts have
 * queued. It never fails, since that transaction has been committed: what can't be freed now stays queued for the sweeper.
 * @param report told of what could not be freed
 * @param signal ends it between two batches
 */
export async function freeBlobs(
  deps: BlobRemovalDeps,
  blobKeys: readonly string[],
  report: Report = () => undefined,
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < blobKeys.length && !signal?.aborted; from += BATCH) {
    // Removing a blob a second time does nothing.
    await freeBatch(deps, blobKeys.slice(from, from + BATCH), report).catch(report);
  }
}

/**
 * Frees what is queued, batch by batch. A blob that can't be removed now keeps its place behind the others.
 * @param signal ends it between two batches
 */
export async function freeQueuedBlobs(deps: BlobRemovalDeps, report: Report, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const queued = await deps.db
      .select({ blob_key: blob_removals.blob_key })
      .from(blob_removals)
      .where(or(isNull(blob_removals.held_until), lte(blob_removals.held_until, sql`now()`)))
      .orderBy(asc(blob_removals.attempts), asc(blob_removals.queued_at))
      .limit(BATCH);
    const keys = queued.map(({ blob_key }) => blob_key);
    const failed = await freeBatch(deps, keys, report);
    if (failed.length > 0) {
      const attempts = sql`${blob_removals.attempts} + 1`;
      await deps.db.update(blob_removals).set({ attempts }).where(inArray(blob_removals.blob_key, failed));
    }
    // Nothing but what can't be removed is left.
    if (failed.length === keys.length) return;
  }
}
