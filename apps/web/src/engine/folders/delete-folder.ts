import { t } from '@lingui/core/macro';
import type { Folder } from '@satchel/contract/entities';
import type { AppError } from '@satchel/contract/errors';
import { rpc } from './api.ts';
import { forgetKey } from './key-store.ts';
import { notify } from './toast.ts';

/**
 * Deletes a folder of one's own for good, and forgets its keys on this device (DESIGN R8).
 * @throws AppError what the server said; the folder is still there then
 */
export async function deleteFolder({ id }: Pick<Folder, 'id'>, userId: string | null): Promise<void> {
  try {
    await rpc('delete_folder_complete', { folder_id: id, requesting_user_id: userId });
  } catch (error) {
    // Somebody else's click was faster, in another tab: what was wanted is so.
    if ((error as AppError).code !== 'folder.not_found') throw error;
  }
  await forgetKey(id).catch(() => notify(t`The folder’s key could not be erased from this device.`, 'error'));
}
