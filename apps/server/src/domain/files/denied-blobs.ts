import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { AppError } from '@satchel/contract/errors';
import { eq, inArray } from 'drizzle-orm';
import type { BlobParts, BlobStore } from '../../platform/blobs/blobs.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { denied_blobs } from '../../platform/schema/moderation.ts';

/**
 * Refuses files that operators denied, by the SHA-256 of the stored bytes: for a sealed file, of its ciphertext.
 */

/** SHA-256 of a stored blob in hex, read through the store's two buffers. */
export async function hashBlob(blobs: BlobStore, parts: BlobParts, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  const sink = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk);
      done();
    },
  });
  const blob = await blobs.open(parts, sizeBytes);
  try {
    await blob.send({ start: 0, end: sizeBytes }, sink);
  } finally {
    await blob.close();
  }
  return hash.digest('hex');
}

/** True when a denied file has exactly one of these sizes: other uploads are not hashed. */
export async function isSizeDenied(db: Queryable, ...sizesBytes: readonly number[]): Promise<boolean> {
  const [denied] = await db
    .select({ sha256: denied_blobs.sha256 })
    .from(denied_blobs)
    .where(inArray(denied_blobs.size_bytes, [...sizesBytes]))
    .limit(1);
  return denied !== undefined;
}

/** @throws upload.denied */
export async function refuseDenied(db: Queryable, sha256: string): Promise<void> {
  const [denied] = await db.select().from(denied_blobs).where(eq(denied_blobs.sha256, sha256));
  if (denied) throw new AppError('upload.denied');
}
