import { t } from '@lingui/core/macro';
import { deleteStored } from '@satchel/client/folders/delete-stored';
import type { FolderPlace } from '@satchel/client/folders/list-files';
import type { FileEntry } from '@satchel/contract/entities';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { queryClient } from '../../../account/session/query-client.ts';
import { accessToken } from '../../../account/session/session.ts';
import type { FileItem } from '../../../engine/files/file-model.ts';
import type { FileOpener } from '../../../engine/files/file-opener.ts';
import { openedCache } from '../../../engine/files/opened-cache.ts';
import { noteOwnFile } from '../../../engine/folders/own-changes.ts';
import { sendJson } from '../../../lib/api/api.ts';
import { notify } from '../../../lib/base/toast.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { filesQueryKey } from '../files-query-key.ts';
import { sayFailure } from './say-failure.ts';

/** One failure with the file's name; for several files, the number of successes. */
function reportFailures(items: readonly FileItem[], goneCount: number, error: AppError): void {
  const [only] = items;
  const total = items.length;
  if (total > 1) {
    notify(() => {
      const reason = errorText(error);
      return t`${goneCount} of ${total} files were deleted. The others were not: ${reason}`;
    }, 'error');
  } else if (only) sayFailure(only, error);
}

export interface DeleteContext {
  readonly folderId: string;
  readonly place: FolderPlace;
  readonly opener: Pick<FileOpener, 'giveUp'>;
  readonly onDeleted?: (() => void) | undefined;
}

/**
 * Deletes files, and reports the failures.
 * @returns ids of the deleted files
 */
export async function deleteFiles(items: readonly FileItem[], context: DeleteContext): Promise<readonly string[]> {
  const { folderId, place, opener } = context;
  const names = items.map(({ entry }) => entry.name);
  const isGone = new Set<string>();
  const onDeleted = (deleted: readonly string[]) => {
    for (const name of deleted) isGone.add(name);
  };
  const error = await accessToken()
    .then((token) => deleteStored({ sendJson }, place, names, { token, onDeleted }))
    .then(
      () => null,
      (failure: unknown) => failure,
    );
  for (const name of isGone) noteOwnFile(name);
  const ids = items.filter(({ entry }) => isGone.has(entry.name)).map(({ id }) => id);
  for (const id of ids) {
    opener.giveUp(id);
    openedCache.remove(id);
  }
  if (ids.length > 0) {
    queryClient.setQueryData<FileEntry[]>(filesQueryKey(folderId), (entries) =>
      entries?.filter(({ name }) => !isGone.has(name)),
    );
    context.onDeleted?.();
  }
  if (error === null) return ids;
  // Not on their cards: the error would stay there, and its Retry would open the file.
  reportFailures(items, ids.length, toAppError(error, 'unexpected'));
  // If only the answer was lost, the server has deleted the others.
  void queryClient.invalidateQueries({ queryKey: filesQueryKey(folderId) });
  return ids;
}
