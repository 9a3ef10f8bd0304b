import { PATHS } from '@satchel/contract/paths';
import { sendJson } from './api.ts';
import { eraseKeys } from './key-erasure.ts';
import { forgetOperatorKeys } from './operator-key-store.ts';
import { queryClient } from './query-client.ts';
import { openUploadLog } from './upload-log.ts';
import { removeStaleSlots } from './upload-slots.ts';
import { waitingStorageName } from './upload-traces.ts';

/** Names of files whose turn to be uploaded had not come, of every folder. */
function forgetWaiting(): void {
  try {
    const names = Array.from({ length: sessionStorage.length }, (_, at) => sessionStorage.key(at) ?? '');
    for (const name of names) if (name.startsWith(waitingStorageName(''))) sessionStorage.removeItem(name);
  } catch {
    // Storage is closed to this page, so no name was kept.
  }
}

/** What uploads have left for going on after a reload: there is nothing any more that they could go on to. */
async function forgetUploads(): Promise<void> {
  const log = await openUploadLog();
  try {
    await log.dropExpired(Number.POSITIVE_INFINITY);
  } finally {
    log.close();
  }
  await removeStaleSlots();
}

/**
 * Erases the signed-in person's account with all that belongs to it, and then what this device keeps of it. The session
 * is over with it; `endSession` tells the page.
 * @returns whether this device, too, has forgotten everything
 * @throws AppError what the server said; nothing is erased then
 */
export async function eraseAccount(): Promise<boolean> {
  await sendJson('DELETE', PATHS.profileMe, undefined);
  forgetWaiting();
  queryClient.clear();
  const done = await Promise.allSettled([eraseKeys(), forgetOperatorKeys(), forgetUploads()]);
  return done.every(({ status }) => status === 'fulfilled');
}
