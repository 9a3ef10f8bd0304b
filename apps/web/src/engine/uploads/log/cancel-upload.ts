import { holdUploadLock } from './upload-lock.ts';
import { openUploadLog } from './upload-log.ts';
import { removeUploadSlots } from './upload-slots.ts';
import { terminateUpload } from './upload-termination.ts';

/** How long the lock of a worker that was just ended may take to come free. */
const LOCK_WAIT_MS = 5000;
const TRIES = 4;

/**
 * Ends a cancelled upload whose worker is gone: its log, its slots, and what the server holds of it. The log goes
 * first, so that nobody takes the upload up meanwhile.
 * @param token gets a bearer
 */
export async function discardUpload(uploadId: string, token: () => Promise<string>): Promise<void> {
  const release = await holdUploadLock(uploadId, LOCK_WAIT_MS);
  if (!release) return; // another tab has taken it up
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
