import { formatKey, newFolderKey } from '@satchel/container/key';
import type { CreateFolderInput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import type { rpc } from '../../lib/api.ts';
import type { createFolderKey } from '../../lib/folder-crypto.ts';
import { secretFragment } from '../../lib/folder-link.ts';
import type { rememberKey } from '../../lib/key-store.ts';
import { type FolderDraft, linkModeOf, passphraseOf } from './folder-draft.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface CreateFolderDeps {
  readonly rpc: typeof rpc;
  readonly createFolderKey: typeof createFolderKey;
  readonly rememberKey: typeof rememberKey;
}

export interface NewFolder {
  readonly folder: Folder;
  /** The fragment of its link with its `#`; empty where the link needs none. */
  readonly fragment: string;
}

/** The key of a folder to be, and what of it goes to the server. */
interface NewKey {
  readonly key: Bytes;
  /** S; null in a Discord-link folder. */
  readonly secret: Bytes | null;
  readonly fields: Partial<CreateFolderInput>;
}

/** Makes folders; the key of an encrypted one is made here. */
export function createFolderMaker({ rpc, createFolderKey, rememberKey }: CreateFolderDeps) {
  async function newKey(draft: FolderDraft): Promise<NewKey | null> {
    const mode = linkModeOf(draft);
    if (mode === 'plain') return null;
    if (mode === 'discord') {
      const key = newFolderKey();
      return { key, secret: null, fields: { encryption_key: formatKey(key) } };
    }
    const passphrase = passphraseOf(draft);
    // The secret is not among the fields, nor the key: what the server holds opens nothing (CONTAINER §3).
    return createFolderKey(passphrase === null ? {} : { passphrase });
  }

  /**
   * @param intentId of what was asked for by /upload in Discord: the reply there is told of the folder's files
   * @throws AppError what the server said; key.passphrase_failed
   */
  return async (draft: FolderDraft, userId: string, intentId: string | null = null): Promise<NewFolder> => {
    const made = await newKey(draft);
    const { folder, temp_key_info } = await rpc('create_folder_with_temp_key', {
      folder_name: draft.name.trim() || null,
      folder_description: draft.description.trim() || null,
      expires_in_hours: draft.lifetimeHours,
      hide_names: made !== null && draft.hideNames,
      ...made?.fields,
      ...(intentId !== null && { intent_id: intentId }),
    });
    if (!made) return { folder, fragment: '' };
    const { id: folderId, slug, created_at: server_time, expires_at } = folder;
    const { secret, key } = made;
    const api_token = temp_key_info?.api_token ?? null;
    await rememberKey({ userId, folderId, slug, secret, key, is_servers: false, api_token, expires_at, server_time });
    return { folder, fragment: secret === null ? '' : secretFragment(secret) };
  };
}
