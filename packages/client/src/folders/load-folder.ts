import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { Api } from '../api.ts';

export interface LoadFolderDeps extends Pick<Api, 'rpc' | 'getJson'> {
  readonly nowMs: () => number;
}

/** Errors that reading the folder directly would repeat. */
export const isFinal = (error: unknown): boolean => /found|taken/.test(String((error as AppError).code));

/** @throws folder.changed: a folder keeps its id and its path, and uploads to it are sealed for it alone */
function requireSame(slug: string, data: FolderCompleteData | ExpiredFolder, known: FolderCompleteData | null) {
  const isOther = ({ folder_id, folder_bucket, folder_bucket_storage_path: path }: FolderCompleteData) =>
    known?.folder_id !== folder_id ||
    known.folder_bucket !== folder_bucket ||
    known.folder_bucket_storage_path !== path;
  if (data.folder_slug !== slug || (known && 'folder_id' in data && isOther(data)))
    throw new AppError('folder.changed');
  return data;
}

/** True when the folder was read without the procedure. Only the procedure says where the folder's key is. */
export const isReadDirectly = (folder: FolderCompleteData): boolean => 'is_direct' in folder;

/** Loads a folder by the consolidated procedure, and directly when that fails. */
export function createFolderLoader({ rpc, getJson, nowMs }: LoadFolderDeps) {
  async function loadDirectly(slug: string, signal: AbortSignal | undefined): Promise<FolderCompleteData> {
    const path = `${PATHS.folders}/${encodeURIComponent(slug)}`;
    const folder = await getJson<Folder>(path, { fallback: 'folder.load_failed', ...(signal ? { signal } : {}) });
    const { completeData } = await import('./complete-data.ts');
    return completeData(folder, nowMs());
  }

  async function load(
    slug: string,
    signal: AbortSignal | undefined,
    isRefresh: boolean,
  ): Promise<FolderCompleteData | ExpiredFolder> {
    const options = { fallback: 'folder.load_failed', ...(signal ? { signal } : {}) } as const;
    // The session alone identifies the caller; without an id here the call needn't wait for it.
    const ask = () => rpc('get_folder_complete_data', { input_folder_slug: slug }, options);
    try {
      return await ask().catch((error: AppError) => {
        // Only a lost answer has a cause: the folder's key would be out of reach without it.
        if (signal?.aborted || error.cause === undefined) throw error;
        return ask();
      });
    } catch (error) {
      if (isRefresh || signal?.aborted || isFinal(error)) throw error;
      return loadDirectly(slug, signal).catch((second: unknown) => {
        throw isFinal(second) ? second : error;
      });
    }
  }

  /**
   * @param known the folder as it was before: what a direct read can't say, such as where its key is, would be lost
   * @throws folder.not_found; folder.taken_down; folder.changed; folder.load_failed or what the server said
   */
  return async (slug: string, signal?: AbortSignal, known?: FolderCompleteData | ExpiredFolder) => {
    const data = await load(slug, signal, known !== undefined);
    return requireSame(slug, data, known && 'folder_id' in known ? known : null);
  };
}
