import { t } from '@lingui/core/macro';
import type { Folder } from '@satchel/contract/entities';
import type { AppError } from '@satchel/contract/errors';
import { deletedFolder, ignoreNewsOf } from '../../engine/folders/own-changes.ts';
import { deleteKey } from '../../engine/keys/key-store.ts';
import { rpc } from '../../lib/api/api.ts';
import { notify } from '../../lib/base/toast.ts';

/**
 * Deletes the person's own folder, ends its uploads, and deletes its keys on this device.
 * @throws AppError what the server said; the folder is still there then
 */
export async function deleteFolder({ id }: Pick<Folder, 'id'>, userId: string | null): Promise<void> {
  const hearNewsAgain = ignoreNewsOf(id);
  try {
    await rpc('delete_folder_complete', { folder_id: id, requesting_user_id: userId });
  } catch (error) {
    // The folder was already deleted in another tab: the same result.
    if ((error as AppError).code !== 'folder.not_found') {
      hearNewsAgain();
      throw error;
    }
  }
  deletedFolder.set(id);
  await deleteKey(id).catch(() => notify(() => t`The folder’s key could not be erased from this device.`, 'error'));
}
