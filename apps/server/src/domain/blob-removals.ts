import { inArray } from 'drizzle-orm';
import type { BlobStore } from '../platform/blobs.ts';
import type { Db, Tx } from '../platform/db.ts';
import { blob_removals } from '../platform/schema.ts';

/** Queues blobs for removal in the transaction that takes their row away: a blob has one or the other (DESIGN §6). */
export async function queueBlobs(tx: Tx, blobKeys: readonly string[]): Promise<void> {
  if (blobKeys.length === 0) return;
  await tx
    .insert(blob_removals)
    .values(blobKeys.map((blob_key) => ({ blob_key })))
    .onConflictDoNothing();
}

/**
 * Frees queued blobs at once, after the transaction that queued them. It never fails, since that transaction has been
 * committed: what can't be freed now stays queued, and the sweeper tries again and reports it.
 */
export async function freeBlobs(db: Db, blobs: BlobStore, blobKeys: readonly string[]): Promise<void> {
  const results = await Promise.allSettled(blobKeys.map((key) => blobs.remove(key)));
  const freed = blobKeys.filter((_, index) => results[index]?.status === 'fulfilled');
  if (freed.length === 0) return;
  try {
    await db.delete(blob_removals).where(inArray(blob_removals.blob_key, freed));
  } catch {
    // Removing a blob a second time does nothing.
  }
}
