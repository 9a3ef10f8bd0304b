import { formatKey } from '@satchel/container/key';
import { type Keyring, newKeyring, sealingKeyOf } from '@satchel/container/keyring';
import type { CreateFolderInput, CreateFolderOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { dropUnseen } from '@satchel/contract/unseen';
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
  /** What its address needs, with its `#`: empty where this device remembers the key, and where there is none. */
  readonly fragment: string;
}

/** The keyring of a folder to be, and what of it goes to the server. */
interface NewKey {
  readonly ring: Keyring;
  readonly mode: 'private' | 'discord';
  /** S; null in a Discord-link folder. */
  readonly secret: Bytes | null;
  readonly fields: Partial<CreateFolderInput>;
}

/** Makes folders; the key of an encrypted one is made here. */
export function createFolderMaker({ rpc, createFolderKey, rememberKey }: CreateFolderDeps) {
  async function newKey(draft: FolderDraft): Promise<NewKey | null> {
    const mode = linkModeOf(draft);
    if (mode === 'plain') return null;
    const { hideNames: hidesNames } = draft;
    if (mode === 'discord') {
      const ring = newKeyring({ hidesNames });
      return { ring, mode, secret: null, fields: { encryption_key: formatKey(sealingKeyOf(ring)) } };
    }
    const passphrase = passphraseOf(draft);
    // The secret is not among the fields, nor the key: what the server holds opens nothing (CONTAINER §3).
    return { mode, ...(await createFolderKey({ hidesNames, ...(passphrase !== null && { passphrase }) })) };
  }

  /**
   * What was made is remembered first, whatever it is: its pin holds for the folder's page, too.
   * @returns whether it is on the disk
   */
  async function remember(
    { ring, mode, secret }: NewKey,
    { folder, temp_key_info }: CreateFolderOutput,
    userId: string,
  ): Promise<boolean> {
    const { id: folderId, slug, created_at: server_time, expires_at } = folder;
    const api_token = temp_key_info?.api_token ?? null;
    const known = { ring, mode, secret, kept: [], pending: null, is_servers: false, api_token };
    return rememberKey({ userId, folderId, slug, ...known, expires_at, server_time });
  }

  /**
   * @param intentId of what was asked for by /upload in Discord: the reply there is told of the folder's files
   * @throws AppError what the server said; folder.not_as_asked; key.passphrase_failed
   */
  return async (draft: FolderDraft, userId: string, intentId: string | null = null): Promise<NewFolder> => {
    const made = await newKey(draft);
    const hide_names = made !== null && draft.hideNames;
    const answer = await rpc('create_folder_with_temp_key', {
      folder_name: dropUnseen(draft.name).trim() || null,
      folder_description: dropUnseen(draft.description).trim() || null,
      expires_in_hours: draft.lifetimeHours,
      hide_names,
      ...made?.fields,
      ...(intentId !== null && { intent_id: intentId }),
    });
    const isKept = made !== null && (await remember(made, answer, userId));
    const { folder } = answer;
    const asked = { link_mode: made?.mode ?? 'plain', hide_names, access: 'link', owner_profile_id: userId } as const;
    const isAsAsked = (Object.keys(asked) as (keyof typeof asked)[]).every((fact) => folder[fact] === asked[fact]);
    if (!isAsAsked) throw new AppError('folder.not_as_asked');
    return { folder, fragment: made?.secret && !isKept ? secretFragment(made.secret) : '' };
  };
}
