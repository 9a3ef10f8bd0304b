import { t } from '@lingui/core/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { toAppError } from '@satchel/contract/errors';
import { useNavigate } from '@tanstack/react-router';
import { errorText } from '../lib/error-text.ts';
import { openedCache } from '../lib/opened-cache.ts';
import { queryClient } from '../lib/query-client.ts';
import { notify } from '../lib/toast.ts';

/** Deletes the folder for good and leaves (DESIGN R8). Resolves to the reason when it failed. */
export function useDeleteFolder(folder: FolderCompleteData, userId: string | null): () => Promise<string | null> {
  const navigate = useNavigate();
  return async () => {
    const name = folder.folder_name || folder.folder_slug;
    try {
      const { deleteFolder } = await import('../lib/delete-folder.ts');
      await deleteFolder({ id: folder.folder_id }, userId);
    } catch (error) {
      return errorText(toAppError(error));
    }
    // What is still uploading to it has nowhere to go.
    await navigate({ to: '/profile', ignoreBlocker: true });
    openedCache.clear();
    queryClient.removeQueries({ queryKey: ['folder', folder.folder_slug] });
    await queryClient.invalidateQueries({ queryKey: ['folders'] });
    await queryClient.invalidateQueries({ queryKey: ['profile'] });
    notify(t`${name} deleted`);
    return null;
  };
}
