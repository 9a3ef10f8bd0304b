import { t } from '@lingui/core/macro';
import type { FileEntry } from '@satchel/contract/entities';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { sendJson } from '../../lib/api.ts';
import { errorText } from '../../lib/error-text.ts';
import { openedCache } from '../../lib/opened-cache.ts';
import { queryClient } from '../../lib/query-client.ts';
import { accessToken } from '../../lib/session.ts';
import { notify } from '../../lib/toast.ts';
import type { FileItem } from './file-model.ts';
import type { FileOpener } from './file-opener.ts';
import { type FolderPlace, filesQueryKey } from './list-files.ts';
import { sayFailure } from './say-failure.ts';

/** Names of one removing call: few enough for any proxy's limit on a request, and for somebody who waits. */
const REMOVE_AT_ONCE = 100;

/**
 * Removes files for good. One that is not there any more is as good as removed.
 * @param names stored names
 * @param token storage bearer
 * @returns the names that are gone, and why the others are not
 */
export async function removeFiles(
  { bucket, storagePath }: FolderPlace,
  names: readonly string[],
  token: string,
): Promise<{ gone: readonly string[]; error: unknown }> {
  const gone: string[] = [];
  try {
    for (let at = 0; at < names.length; at += REMOVE_AT_ONCE) {
      const batch = names.slice(at, at + REMOVE_AT_ONCE);
      const prefixes = batch.map((name) => `${storagePath}/${name}`);
      await sendJson('DELETE', `${PATHS.object}/${encodeURIComponent(bucket)}`, { prefixes }, { token });
      gone.push(...batch);
    }
    return { gone, error: null };
  } catch (error) {
    return { gone, error };
  }
}

/** One failure with the file's name; of several files, how many went well. */
function sayNotRemoved(items: readonly FileItem[], goneCount: number, error: AppError): void {
  const reason = errorText(error);
  const [only] = items;
  const total = items.length;
  if (total > 1) notify(t`${goneCount} of ${total} files were deleted. The others were not: ${reason}`, 'error');
  else if (only) sayFailure(only, error);
}

export interface RemoveContext {
  readonly folderId: string;
  readonly place: FolderPlace;
  readonly opener: Pick<FileOpener, 'giveUp'>;
  readonly onRemoved?: (() => void) | undefined;
}

/**
 * Removes files for good, and says which could not be.
 * @returns ids of the files that are gone
 */
export async function removeItems(items: readonly FileItem[], context: RemoveContext): Promise<readonly string[]> {
  const { folderId, place, opener, onRemoved } = context;
  const names = items.map(({ entry }) => entry.name);
  const { gone, error } = await accessToken().then(
    (token) => removeFiles(place, names, token),
    (failure: unknown) => ({ gone: [], error: failure }),
  );
  const isGone = new Set(gone);
  const ids = items.filter(({ entry }) => isGone.has(entry.name)).map(({ id }) => id);
  for (const id of ids) {
    opener.giveUp(id);
    openedCache.remove(id);
  }
  if (ids.length > 0) {
    queryClient.setQueryData<FileEntry[]>(filesQueryKey(folderId), (entries) =>
      entries?.filter(({ name }) => !isGone.has(name)),
    );
    onRemoved?.();
  }
  if (error === null) return ids;
  // Not on their cards: there the error would stand for good, and its Retry would open the file instead.
  sayNotRemoved(items, ids.length, toAppError(error, 'unexpected'));
  // When only the answer was lost, the others are gone all the same.
  void queryClient.invalidateQueries({ queryKey: filesQueryKey(folderId) });
  return ids;
}
