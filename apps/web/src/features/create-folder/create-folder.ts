import type { CreateFolderInput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import type { rpc } from '../../lib/api.ts';
import type { CreatedFolderKey, createFolderKey } from '../../lib/folder-crypto.ts';
import { secretFragment } from '../../lib/folder-link.ts';
import type { rememberKey } from '../../lib/key-store.ts';
import type { FolderDraft } from './folder-draft.ts';

export interface CreateFolderDeps {
  readonly rpc: typeof rpc;
  readonly createFolderKey: typeof createFolderKey;
  readonly rememberKey: typeof rememberKey;
}

export interface NewFolder {
  readonly folder: Folder;
  /** The fragment of its link with its `#`; empty for a plain folder. */
  readonly fragment: string;
}

function inputOf(draft: FolderDraft, created: CreatedFolderKey | null): CreateFolderInput {
  return {
    folder_name: draft.name.trim() || null,
    folder_description: draft.description.trim() || null,
    expires_in_hours: draft.lifetimeHours,
    hide_names: created !== null && draft.hideNames,
    // The link secret is not among these, nor the key: what the server holds opens nothing (CONTAINER §3).
    ...(created ? created.fields : {}),
  };
}

/** Makes folders; the key of an encrypted one is made here and stays in this browser and in the link. */
export function createFolderMaker({ rpc, createFolderKey, rememberKey }: CreateFolderDeps) {
  /** @throws AppError what the server said */
  return async (draft: FolderDraft, userId: string): Promise<NewFolder> => {
    const created = draft.encrypt ? await createFolderKey() : null;
    const { folder, temp_key_info } = await rpc('create_folder_with_temp_key', inputOf(draft, created));
    if (!created) return { folder, fragment: '' };
    const { id: folderId, slug, created_at: server_time, expires_at } = folder;
    const api_token = temp_key_info?.api_token ?? null;
    const { secret, key } = created;
    await rememberKey({ userId, folderId, slug, secret, key, is_servers: false, api_token, expires_at, server_time });
    return { folder, fragment: secretFragment(created.secret) };
  };
}
