import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { holdUploadLock } from './upload-lock.ts';
import { openUploadLog } from './upload-log.ts';
import { removeUploadSlots } from './upload-slots.ts';

/** How long the lock of a worker that was just ended may take to come free. */
const LOCK_WAIT_MS = 5000;
/** A cancelled upload that can't be reached for so many tries is left to end with its folder. */
const TRIES = 4;

const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

/** True when the server has answered for good: done, or nothing there to do. */
async function requestTermination(url: string, token: () => Promise<string>): Promise<boolean> {
  try {
    const headers = { 'Tus-Resumable': '1.0.0', Authorization: `Bearer ${await token()}` };
    const { status } = await fetch(url, { method: 'DELETE', headers, credentials: 'same-origin' });
    return status < 500 && status !== 409 && status !== 423;
  } catch {
    return false;
  }
}

async function terminate(url: string, token: () => Promise<string>): Promise<void> {
  for (const delayMs of RETRY_DELAYS_MS.slice(0, TRIES)) {
    await pause(delayMs);
    if (await requestTermination(url, token)) return;
  }
}

/**
 * Ends an upload whose worker is gone: its log, its slots, and what the server holds of it (tus termination), so that
 * the space reserved for it is free again. The log goes first, so that nobody takes the upload up meanwhile.
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
    if (entry?.url) await terminate(entry.url, token);
  } finally {
    release();
  }
}
