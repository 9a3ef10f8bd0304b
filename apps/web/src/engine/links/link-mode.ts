import { formatKey } from '@satchel/container/key';
import { addFolderKey, type Keyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { rpc } from '../../lib/api/api.ts';
import { ignoreNewsOf } from '../folders/own-changes.ts';
import { deleteSecret, type KeyStore, keepPending, rememberKey } from '../keys/key-store.ts';
import { type DerivePassphraseKey, derivePassphraseKey } from '../passphrase/passphrase-client.ts';
import { secretFragment } from './folder-link.ts';
import { type SealOptions, sealLink } from './sealed-link.ts';

/**
 * How the owner changes what a folder's link is (DESIGN R1, CONTAINER §3, §6). Each new private link brings a new folder
 * key for later files. What the link becomes here is what the folder is on this device from then on: a person's act.
 */

type Bytes = Uint8Array<ArrayBuffer>;

export type LinkFolder = Pick<
  FolderCompleteData,
  'folder_id' | 'folder_slug' | 'folder_owner_profile_id' | 'folder_expires_at'
>;

export interface NewLink {
  readonly linkMode: 'private' | 'discord' | 'revoked';
  /**
   * What the page's address holds from now on, with its `#`; empty where no key belongs into it, since there is none or
   * this device remembers it. It takes the place of the old one without a step in the history, where a dead link would
   * wait (pages/folder/use-page-link).
   */
  readonly fragment: string;
  /** Whether the new link needs a passphrase, too. */
  readonly hasPassphrase: boolean;
  /** What the server says of it; null for a link that has ended. */
  readonly info: TempKeyInfo | null;
}

export interface LinkModeDeps {
  readonly rpc: typeof rpc;
  readonly keys: Pick<KeyStore, 'rememberKey' | 'deleteSecret' | 'keepPending'>;
  readonly derivePassphraseKey: DerivePassphraseKey;
}

/**
 * Runs a change of the link, during which the page ignores the server's news of the folder. The device keeps the new link only
 * once the answer has come; before that, the page would take its own change for one that somebody else made, and ask about it.
 */
async function changing<Result>({ folder_id }: LinkFolder, act: () => Promise<Result>): Promise<Result> {
  const hearNewsAgain = ignoreNewsOf(folder_id);
  return act().finally(hearNewsAgain);
}

/** The acts that change a folder's link, for its owner. */
export function createLinkMode({ rpc, keys, derivePassphraseKey }: LinkModeDeps) {
  const remember = (
    folder: LinkFolder,
    known: { ring: Keyring; mode: 'private' | 'discord'; secret: Bytes | null },
    info: Pick<TempKeyInfo, 'api_token'>,
  ) =>
    keys.rememberKey({
      userId: folder.folder_owner_profile_id,
      folderId: folder.folder_id,
      slug: folder.folder_slug,
      ...known,
      kept: [],
      pending: null,
      is_servers: false,
      api_token: info.api_token,
      expires_at: folder.folder_expires_at,
    });

  return {
    /**
     * Leaves the folder keys with the server, so that the link alone opens the folder. The old private link is dead then.
     * @param ring the folder's keys, ones that may seal (CONTAINER §3 "Who may seal")
     * @throws AppError what the server said; nothing has changed then
     */
    openToDiscord: async (folder: LinkFolder, ring: Keyring): Promise<NewLink> => {
      const [encrypted_key, ...earlier_keys] = ring.keys.map(formatKey).toReversed();
      return changing(folder, async () => {
        const info = await rpc('generate_temp_encryption_key', {
          folder_id: folder.folder_id,
          encrypted_key,
          ...(earlier_keys.length > 0 && { earlier_keys }),
        });
        await remember(folder, { ring, mode: 'discord', secret: null }, info);
        return { linkMode: 'discord', fragment: '', hasPassphrase: false, info };
      });
    },

    /**
     * Makes a new private link, with or without a passphrase, and has the server delete what it held before: all earlier
     * links are dead then. The new link opens every file; the earlier keys open no later file (CONTAINER §6 "Epochs").
     * @param ring the folder's keys, ones that may seal
     * @throws AppError what the server said, key.passphrase_failed, key.ring_full; the signal's reason. Nothing has
     *   changed then, unless the answer was lost: this device keeps the new link until it knows (engine/keys/folder-crypto)
     */
    makePrivateLink: async (folder: LinkFolder, ring: Keyring, options: SealOptions = {}): Promise<NewLink> => {
      const next = addFolderKey(ring);
      const { secret, fields } = await sealLink(next, options, derivePassphraseKey);
      options.signal?.throwIfAborted();
      await keys.keepPending(folder.folder_owner_profile_id, folder.folder_id, { ring: next, secret });
      return changing(folder, async () => {
        const info = await rpc('generate_temp_encryption_key', { folder_id: folder.folder_id, ...fields });
        const isKept = await remember(folder, { ring: next, mode: 'private', secret }, info);
        const fragment = isKept ? '' : secretFragment(secret);
        return { linkMode: 'private', fragment, hasPassphrase: fields.passphrase === true, info };
      });
    },

    /**
     * Ends the link for people who come later. This device keeps the folder keys, to read with.
     * @throws AppError what the server said; nothing has changed then
     */
    revokeLink: (folder: LinkFolder): Promise<NewLink> =>
      changing(folder, async () => {
        await rpc('revoke_temp_encryption_key', { folder_id: folder.folder_id });
        await keys.deleteSecret(folder.folder_id);
        return { linkMode: 'revoked', fragment: '', hasPassphrase: false, info: null };
      }),
  };
}

export const { openToDiscord, makePrivateLink, revokeLink } = createLinkMode({
  rpc,
  keys: { rememberKey, deleteSecret, keepPending },
  derivePassphraseKey,
});
