import { PATHS } from '@satchel/contract/paths';
import { deleteKeys } from '../../engine/keys/key-deletion.ts';
import { deleteOperatorKeys } from '../../engine/reports/operator-key-store.ts';
import { purgeHandles } from '../../engine/uploads/log/file-handles.ts';
import { openUploadLog } from '../../engine/uploads/log/upload-log.ts';
import { unsentStorageName } from '../../engine/uploads/log/upload-traces.ts';
import { removeBodySlots } from '../../engine/uploads/worker/body-slot.ts';
import { sendJson } from '../../lib/api/api.ts';
import { tabStorage } from '../../lib/base/device.ts';
import { queryClient } from '../session/query-client.ts';

/** Deletes the log and slots of uploads: an upload can't resume without its account. */
async function deleteUploads(): Promise<void> {
  const log = await openUploadLog();
  try {
    await log.purgeExpired(Number.POSITIVE_INFINITY);
  } finally {
    log.close();
  }
  await removeBodySlots();
  await purgeHandles(Number.POSITIVE_INFINITY);
}

/**
 * Deletes the signed-in person's account with all that belongs to it, then the account's data on this device. The
 * deletion ends the session; `endSession` tells the page.
 * @returns whether this device's data is deleted, too
 * @throws AppError what the server said; nothing is deleted then
 */
export async function deleteAccount(): Promise<boolean> {
  await sendJson('DELETE', PATHS.profileMe, undefined);
  // The unsent names of every folder.
  tabStorage.deleteAll(unsentStorageName(''));
  queryClient.clear();
  const done = await Promise.allSettled([deleteKeys(), deleteOperatorKeys(), deleteUploads()]);
  return done.every(({ status }) => status === 'fulfilled');
}
