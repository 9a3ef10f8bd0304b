import type { FolderCompleteData } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import { useNavigate } from '@tanstack/react-router';
import { rpc } from '../lib/api.ts';
import { forgetKey } from '../lib/key-store.ts';
import { openedCache } from '../lib/opened-cache.ts';
import { queryClient } from '../lib/query-client.ts';
import { notify } from '../lib/toast.ts';

/** Deletes the folder for good, forgets its keys here, and leaves (DESIGN R8). Resolves to the reason when it failed. */
export function useDeleteFolder(folder: FolderCompleteData, userId: string | null): () => Promise<string | null> {
  const navigate = useNavigate();
  return async () => {
    const { folder_id, folder_slug, folder_name } = folder;
    try {
      await rpc('delete_folder_complete', { folder_id, requesting_user_id: userId });
    } catch (error) {
      const failure = error as AppError;
      // Somebody else's click was faster, in another tab: what was wanted is so.
      if (failure.code !== 'folder.not_found') return failure.message;
    }
    await forgetKey(folder_id).catch(() => notify('The folder’s key could not be erased from this device.', 'error'));
    await navigate({ to: '/profile' });
    openedCache.clear();
    queryClient.removeQueries({ queryKey: ['folder', folder_slug] });
    await queryClient.invalidateQueries({ queryKey: ['folders'] });
    await queryClient.invalidateQueries({ queryKey: ['profile'] });
    notify(`${folder_name || folder_slug} deleted`);
    return null;
  };
}
