import { formatKey } from '@satchel/container/key';
import { type Keyring, newKeyring, sealingKeyOf } from '@satchel/container/keyring';
import type { CreateFolderInput, CreateFolderOutput, FolderCompleteData } from '@satchel/contract/api';
import type { NewLinkMode } from '@satchel/contract/entities';
import { AppError, toAppError } from '@satchel/contract/errors';
import { newSlug } from '@satchel/contract/naming';
import { dropUnseen } from '@satchel/contract/unseen';
import type { Api } from '../api.ts';
import type { DerivePassphraseKey } from '../keys/derive-passphrase-key.ts';
import { createFolderKey } from '../keys/folder-crypto.ts';
import { secretFragment } from '../keys/folder-link.ts';
import type { KeyStore } from '../keys/key-store.ts';
import { pause } from '../pause.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Before the same folder is asked for again. */
const PAUSES_MS = [1000, 3000];

/** The folder that a person asked for. */
export interface FolderWish {
  readonly name: string;
  readonly description: string;
  readonly linkMode: NewLinkMode;
  /** Encrypted folders only. */
  readonly hideNames: boolean;
  /** Of a private link; null where the link alone opens the folder. */
  readonly passphrase: string | null;
  /** Null for as long as the server lets it live. */
  readonly lifetimeHours: number | null;
}

export interface CreateFolderDeps {
  readonly rpc: Api['rpc'];
  readonly pausesMs?: readonly number[];
  readonly derivePassphraseKey: DerivePassphraseKey;
  readonly rememberKey: KeyStore['rememberKey'];
}

export interface NewFolder extends CreateFolderOutput {
  /** Whether its link needs a passphrase, too; null where the server has no part of a key. */
  readonly needsPassphrase: boolean | null;
  /** Fragment of the new address, with `#`; empty where this device remembers the key, and where there is none. */
  readonly fragment: string;
}

/** The keyring of a new folder, and the part of it that the server stores. */
interface NewKey {
  readonly ring: Keyring;
  readonly mode: 'private' | 'discord';
  /** S; null in a Discord-link folder. */
  readonly secret: Bytes | null;
  readonly fields: Partial<CreateFolderInput>;
}

/** The answer that the creation would have had, made from the folder's data. */
const asCreated = (data: FolderCompleteData): CreateFolderOutput => ({
  folder: {
    id: data.folder_id,
    slug: data.folder_slug,
    name: data.folder_name,
    description: data.folder_description,
    created_at: data.folder_created_at,
    expires_at: data.folder_expires_at,
    bucket: data.folder_bucket,
    bucket_storage_path: data.folder_bucket_storage_path,
    size_bytes: data.folder_size_bytes,
    file_count: 0,
    owner_profile_id: data.folder_owner_profile_id,
    link_mode: data.folder_link_mode,
    access: data.folder_access,
    hide_names: data.hide_names,
    show_name_in_previews: data.show_name_in_previews,
  },
  temp_key_info: data.temp_key_api_token
    ? {
        api_token: data.temp_key_api_token,
        created_at: data.temp_key_created_at ?? data.folder_created_at,
        expires_at: data.temp_key_expires_at ?? data.folder_expires_at,
      }
    : null,
});

/** Creates folders; the key of an encrypted folder is made here. */
export function createFolderMaker({ rpc, derivePassphraseKey, rememberKey, pausesMs = PAUSES_MS }: CreateFolderDeps) {
  async function newKey(folder: FolderWish): Promise<NewKey | null> {
    const { linkMode: mode, hideNames: hidesNames, passphrase } = folder;
    if (mode === 'plain') return null;
    if (mode === 'discord') {
      const ring = newKeyring({ hidesNames });
      return { ring, mode, secret: null, fields: { encryption_key: formatKey(sealingKeyOf(ring)) } };
    }
    // Neither secret nor key is among the fields: what the server stores opens nothing (docs/container.md §3).
    const wish = { hidesNames, ...(passphrase !== null && { passphrase }) };
    return { mode, ...(await createFolderKey(wish, derivePassphraseKey)) };
  }

  /**
   * Asks for the same folder again when the answer was lost. The server may have made the folder or not; by its slug it is
   * made only once.
   */
  async function create(input: CreateFolderInput & { folder_slug: string }): Promise<CreateFolderOutput> {
    const pauses = pausesMs.values();
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await rpc('create_folder_with_temp_key', input);
      } catch (error) {
        const { code } = toAppError(error);
        if (code === 'folder.slug_taken' && !isFirst) break;
        const next = pauses.next();
        // Any other code is an answer of the server, and final.
        if (code !== 'unexpected' || next.done) throw error;
        await pause(next.value);
      }
    }
    const found = await rpc('get_folder_complete_data', { input_folder_slug: input.folder_slug });
    if (!('folder_id' in found)) throw new AppError('folder.expired');
    return asCreated(found);
  }

  /**
   * Remembers the new folder before its page opens, plain or encrypted: the page relies on this pin.
   * @returns whether it is stored on disk
   */
  async function remember(
    { ring, mode, secret }: NewKey,
    { folder, temp_key_info }: CreateFolderOutput,
    userId: string,
  ): Promise<boolean> {
    const { id: folderId, slug, expires_at } = folder;
    const api_token = temp_key_info?.api_token ?? null;
    const known = { ring, mode, secret, kept: [], pending: null, is_servers: false, api_token };
    return rememberKey({ userId, folderId, slug, ...known, expires_at });
  }

  /**
   * @param intentId of the /upload command in Discord, whose reply is updated with the folder's files
   * @throws AppError the server's error; folder.not_as_asked; key.passphrase_failed
   */
  return async (wish: FolderWish, userId: string, intentId: string | null = null): Promise<NewFolder> => {
    const made = await newKey(wish);
    const hide_names = made !== null && wish.hideNames;
    const answer = await create({
      folder_name: dropUnseen(wish.name).trim() || null,
      folder_description: dropUnseen(wish.description).trim() || null,
      expires_in_hours: wish.lifetimeHours,
      hide_names,
      ...made?.fields,
      ...(intentId !== null && { intent_id: intentId }),
      folder_slug: newSlug(),
    });
    const isKept = made !== null && (await remember(made, answer, userId));
    const { folder, temp_key_info } = answer;
    const asked = { link_mode: made?.mode ?? 'plain', hide_names, access: 'link', owner_profile_id: userId } as const;
    const isAsAsked = (Object.keys(asked) as (keyof typeof asked)[]).every((fact) => folder[fact] === asked[fact]);
    if (!isAsAsked) throw new AppError('folder.not_as_asked');
    const needsPassphrase = temp_key_info && wish.passphrase !== null;
    return {
      folder,
      temp_key_info,
      needsPassphrase,
      fragment: made?.secret && !isKept ? secretFragment(made.secret) : '',
    };
  };
}
