import { AppError } from '@satchel/contract/errors';
import type { BlobStore, BlobWriter } from './blobs.ts';
import type { SiteLock } from './site-lock.ts';

const RETRY_AFTER_SECONDS = 2;

/**
 * Blobs that are written only while this process has the site. The database refuses what another holder's process wants to
 * commit, and can't do so for a disk that both of them reach.
 * @throws request.unavailable where the store would change something
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
    async sync() {
      await requireHeld();
      await writer.sync();
    },
  });
  return {
    ...blobs,
    async create(blobKey) {
      await requireHeld();
      await blobs.create(blobKey);
    },
    async append(blobKey, offsetBytes) {
      await requireHeld();
      return guarded(await blobs.append(blobKey, offsetBytes));
    },
    async remove(blobKey) {
      await requireHeld();
      await blobs.remove(blobKey);
    },
  };
}
