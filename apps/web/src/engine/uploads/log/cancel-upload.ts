import { terminateUpload } from '@satchel/client/send/line/requests';
import { browserNetwork } from '../network.ts';
import { holdUploadLock } from './upload-lock.ts';
import { openUploadLog } from './upload-log.ts';

/** How long to wait for the lock of a worker that was just ended. */
const LOCK_WAIT_MS = 5000;
const TRIES = 4;

/**
 * Deletes a cancelled upload whose worker has ended: its log entry, and its bytes on the server. The log entry
 * is deleted first, so that no tab resumes the upload in between.
 * @param token gets a bearer
 */
export async function cancelUpload(uploadId: string, token: () => Promise<string>): Promise<void> {
  const release = await holdUploadLock(uploadId, LOCK_WAIT_MS);
  if (!release) return; // another tab has resumed it
  try {
    const log = await openUploadLog();
    const entry = await log.get(uploadId);
    await log.remove(uploadId);
    log.close();
    const deps = { network: browserNetwork(false), bearer: { get: token } };
    if (entry?.url) await terminateUpload({ ...deps, url: entry.url, onlyIfOpen: false, tries: TRIES });
  } finally {
    release();
  }
}
