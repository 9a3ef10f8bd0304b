import { holdUploadLock } from './upload-lock.ts';
import { openUploadLog } from './upload-log.ts';
import { removeUploadSlots } from './upload-slots.ts';
import { terminateUpload } from './upload-termination.ts';

/** How long to wait for the lock of a worker that was just ended. */
const LOCK_WAIT_MS = 5000;
const TRIES = 4;

/**
 * Deletes a cancelled upload whose worker has ended: its log entry, its slots, and its bytes on the server. The log entry
 * is deleted first, so that no tab resumes the upload in between.
 * @param token gets a bearer
 */
export async function cancelUpload(uploadId: string, token: () => Promise<string>): Promise<void> {
  const release = await holdUploadLock(uploadId, LOCK_WAIT_MS);
  if (!release) return; // another tab has resumed it
  try {
    await removeUploadSlots(uploadId);
    const log = await openUploadLog();
    const entry = await log.get(uploadId);
    await log.remove(uploadId);
    log.close();
    if (entry?.url) await terminateUpload({ url: entry.url, token, onlyIfOpen: false, tries: TRIES });
  } finally {
    release();
  }
}
