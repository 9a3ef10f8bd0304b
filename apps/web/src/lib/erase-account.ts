import { PATHS } from '@satchel/contract/paths';
import { sendJson } from './api.ts';
import { dropFragments } from './folder-link.ts';
import { forgetAllKeys } from './key-store.ts';
import { openedCache } from './opened-cache.ts';
import { queryClient } from './query-client.ts';
import { openUploadLog } from './upload-log.ts';
import { removeStaleSlots } from './upload-slots.ts';

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
  openedCache.clear();
  dropFragments();
  queryClient.clear();
  const done = await Promise.allSettled([forgetAllKeys(), forgetUploads()]);
  return done.every(({ status }) => status === 'fulfilled');
}
