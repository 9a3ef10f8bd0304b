import { AppError } from '@satchel/contract/errors';
import type { BlobStore, BlobWriter } from '../blobs/blobs.ts';
import type { SiteLock } from './site-lock.ts';

const RETRY_AFTER_SECONDS = 2;

/**
 * A blob store that writes only while this process holds the site. The database refuses the commits of an earlier
 * holder, but can't guard a disk that both processes reach.
 * @throws request.unavailable from every method that changes the store
 */
export function guardBlobs(blobs: BlobStore, { requireHeld: ask }: Pick<SiteLock, 'requireHeld'>): BlobStore {
  async function requireHeld(): Promise<void> {
    try {
      await ask();
    } catch (cause) {
      throw new AppError('request.unavailable', { retry_after_seconds: RETRY_AFTER_SECONDS }, { cause });
    }
  }
  const guarded = (writer: BlobWriter): BlobWriter => ({
    ...writer,
    async write(chunks) {
      await requireHeld();
      await writer.write(chunks);
    },
    async sync(toBytes) {
      await requireHeld();
      return writer.sync(toBytes);
    },
    async discard(fromBytes) {
      await requireHeld();
      await writer.discard(fromBytes);
    },
  });
  return {
    ...blobs,
    async put(blobKey, chunks) {
      await requireHeld();
      await blobs.put(blobKey, chunks);
    },
    async append(where) {
      await requireHeld();
      return guarded(await blobs.append(where));
    },
    async delete(some) {
      await requireHeld();
      return blobs.delete(some);
    },
    async deleteParts(parts) {
      await requireHeld();
      await blobs.deleteParts(parts);
    },
  };
}
