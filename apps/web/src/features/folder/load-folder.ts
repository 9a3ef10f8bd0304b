import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import type { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { getJson, rpc } from '../../lib/api.ts';

export interface LoadFolderDeps {
  readonly rpc: typeof rpc;
  readonly getJson: typeof getJson;
  readonly nowMs: () => number;
}

/** What a folder read without the procedure can say: its owner stays unnamed, and no key can be asked for. */
function completeData(folder: Folder, nowMs: number): FolderCompleteData {
  return {
    folder_id: folder.id,
    folder_slug: folder.slug,
    folder_name: folder.name,
    folder_description: folder.description,
    folder_created_at: folder.created_at,
    folder_expires_at: folder.expires_at,
    folder_bucket: folder.bucket,
    folder_bucket_storage_path: folder.bucket_storage_path,
    folder_size_bytes: folder.size_bytes,
    folder_owner_profile_id: folder.owner_profile_id,
    folder_link_mode: folder.link_mode,
    folder_access: folder.access,
    hide_names: folder.hide_names,
    show_name_in_previews: folder.show_name_in_previews,
    owner_discord_username: null,
    owner_discord_global_name: null,
    owner_avatar_url: null,
    owner_discord_id: null,
    owner_subscription_tier: null,
    owner_banner_url: null,
    owner_accent_color: null,
    temp_key_api_token: null,
    temp_key_expires_at: null,
    temp_key_created_at: null,
    temp_key_passphrase: null,
    server_time: new Date(nowMs).toISOString(),
  };
}

/** A second opinion would say the same. */
export const isFinal = (error: unknown): boolean => /found|taken/.test(String((error as AppError).code));

/** Loads a folder by the consolidated procedure, and directly when that fails (§8). */
export function createFolderLoader({ rpc, getJson, nowMs }: LoadFolderDeps) {
  async function loadDirectly(slug: string, signal: AbortSignal | undefined): Promise<FolderCompleteData> {
    const path = `${PATHS.folders}/${encodeURIComponent(slug)}`;
    const folder = await getJson<Folder>(path, { fallback: 'folder.load_failed', ...(signal ? { signal } : {}) });
    return completeData(folder, nowMs());
  }

  /**
   * @param isRefresh the folder is known already: what a direct read can't say, such as where its key is, would be lost
   * @throws folder.not_found; folder.taken_down; folder.load_failed or what the server said
   */
  return async (slug: string, signal?: AbortSignal, isRefresh = false): Promise<FolderCompleteData | ExpiredFolder> => {
    const options = { fallback: 'folder.load_failed', ...(signal ? { signal } : {}) } as const;
    try {
      // Who asks is said by the session alone; without an id here the call needn't wait for it (DESIGN R2).
      return await rpc('get_folder_complete_data', { input_folder_slug: slug }, options);
    } catch (error) {
      if (isRefresh || signal?.aborted || isFinal(error)) throw error;
      return loadDirectly(slug, signal).catch((second: unknown) => {
        throw isFinal(second) ? second : error;
      });
    }
  };
}
