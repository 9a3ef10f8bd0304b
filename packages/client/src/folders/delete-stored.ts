import { PATHS } from '@satchel/contract/paths';
import type { Api } from '../api.ts';
import type { FolderPlace } from './list-files.ts';

/** Names of one call: few enough for the request limit of any proxy, and for a person who waits. */
const DELETED_AT_ONCE = 100;

export interface DeleteOptions {
  /** The storage bearer, where the API does not add one. */
  readonly token?: string;
  /** Hears the names of each call that the server has answered. */
  readonly onDeleted?: (names: readonly string[]) => void;
}

/**
 * Deletes files of a folder. A file that does not exist any more counts as deleted.
 * @param names stored names
 * @throws AppError what the server said; the names that `onDeleted` heard are deleted all the same
 */
export async function deleteStored(
  { sendJson }: Pick<Api, 'sendJson'>,
  { bucket, storagePath }: FolderPlace,
  names: readonly string[],
  { token, onDeleted }: DeleteOptions = {},
): Promise<void> {
  const options = { isRepeatable: true, ...(token !== undefined && { token }) };
  for (let at = 0; at < names.length; at += DELETED_AT_ONCE) {
    const batch = names.slice(at, at + DELETED_AT_ONCE);
    const prefixes = batch.map((name) => `${storagePath}/${name}`);
    await sendJson('DELETE', `${PATHS.object}/${encodeURIComponent(bucket)}`, { prefixes }, options);
    onDeleted?.(batch);
  }
}
