import { randomUUID } from 'node:crypto';
import { type BlobStore, wholeBlob } from '../platform/blobs/blobs.ts';
import type { Db } from '../platform/database/db.ts';
import type { LocalKeyShares } from '../platform/keys/key-shares.ts';
import { holdBlobs, purgeUnclaimed } from './files/blob-purge.ts';

/** Whether a store does what it is for: readiness asks this, and so does an operator's command. */

/** Stores, reads and deletes a byte. In between it is in the queue of the sweep, which deletes what a crash leaves. */
export async function tryBlobs(db: Db, blobs: BlobStore): Promise<void> {
  const key = randomUUID();
  await holdBlobs(db, [key]);
  try {
    await blobs.put(key, [Uint8Array.of(1)]);
    const reader = await blobs.open(wholeBlob(key), 1);
    const [byte] = await reader.read({ start: 0, end: 1 }).finally(() => reader.close());
    if (byte !== 1) throw new Error('the blob store answered other bytes than it was given');
  } finally {
    await purgeUnclaimed({ db, blobs }, key);
  }
}

/** The same for the key shares; one that a crash leaves belongs to no folder, and its sweep deletes it. */
export async function tryKeyShares(keyShares: LocalKeyShares): Promise<void> {
  const id = { folder_id: randomUUID(), share_id: randomUUID() };
  await keyShares.write(id, 'health check');
  const share = await keyShares.read(id).finally(() => keyShares.delete(id));
  if (share === null) throw new Error('the key share is not there');
}
