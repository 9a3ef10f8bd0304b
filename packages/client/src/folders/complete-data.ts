import type { FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';

/** The data of a folder read without the procedure: its owner is unknown, and its key can't be requested. */
export function completeData(folder: Folder, nowMs: number): FolderCompleteData & { readonly is_direct: true } {
  return {
    is_direct: true,
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
