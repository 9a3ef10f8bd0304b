import { formatKey } from '@satchel/container/key';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { rpc } from './api.ts';
import { secretFragment } from './folder-link.ts';
import { dropSecret, type KeyStore, rememberKey } from './key-store.ts';
import { type DerivePassphraseKey, derivePassphraseKey } from './passphrase-client.ts';
import { type SealOptions, sealLink } from './sealed-link.ts';

/** How the owner changes what a folder's link is (DESIGN R1, CONTAINER §3). The folder key stays the same always. */

type Bytes = Uint8Array<ArrayBuffer>;

export type LinkFolder = Pick<
  FolderCompleteData,
  'folder_id' | 'folder_slug' | 'folder_owner_profile_id' | 'folder_expires_at'
>;

export interface NewLink {
  readonly linkMode: 'private' | 'discord' | 'revoked';
  /**
   * What the page's address holds from now on, with its `#`; empty where no key belongs into it. It takes the place of
   * the old one without a step in the history, where a dead link would wait (pages/use-page-link).
   */
  readonly fragment: string;
  /** Whether the new link needs a passphrase, too. */
  readonly hasPassphrase: boolean;
  /** What the server says of it; null for a link that has ended. */
  readonly info: TempKeyInfo | null;
}

export interface LinkModeDeps {
  readonly rpc: typeof rpc;
  readonly keys: Pick<KeyStore, 'rememberKey' | 'dropSecret'>;
  readonly derivePassphraseKey: DerivePassphraseKey;
}

/** The acts that change a folder's link, for its owner. */
export function createLinkMode({ rpc, keys, derivePassphraseKey }: LinkModeDeps) {
  const remember = (
    folder: LinkFolder,
    key: Bytes,
    secret: Bytes | null,
    info: { api_token: string; created_at: string },
  ) =>
    keys.rememberKey({
      userId: folder.folder_owner_profile_id,
      folderId: folder.folder_id,
      slug: folder.folder_slug,
      secret,
      key,
      is_servers: false,
      api_token: info.api_token,
      expires_at: folder.folder_expires_at,
      server_time: info.created_at,
    });

  return {
    /**
     * Leaves the folder key with the server, so that the link alone opens the folder. The old private link is dead then.
     * @param key the folder key, one that may seal (CONTAINER §3 "Who may seal")
     * @throws AppError what the server said; nothing has changed then
     */
    openToDiscord: async (folder: LinkFolder, key: Bytes): Promise<NewLink> => {
      const info = await rpc('generate_temp_encryption_key', {
        folder_id: folder.folder_id,
        encrypted_key: formatKey(key),
      });
      await remember(folder, key, null, info);
      return { linkMode: 'discord', fragment: '', hasPassphrase: false, info };
    },

    /**
     * Makes a new private link, with a passphrase or without, and has the server forget what it held before: links made
     * earlier are dead then, whatever they were.
     * @param key the folder key, one that may seal
     * @throws AppError what the server said, key.passphrase_failed; the signal's reason. Nothing has changed then
     */
    makePrivateLink: async (folder: LinkFolder, key: Bytes, options: SealOptions = {}): Promise<NewLink> => {
      const { secret, fields } = await sealLink(key, options, derivePassphraseKey);
      options.signal?.throwIfAborted();
      const info = await rpc('generate_temp_encryption_key', { folder_id: folder.folder_id, ...fields });
      await remember(folder, key, secret, info);
      return { linkMode: 'private', fragment: secretFragment(secret), hasPassphrase: fields.passphrase === true, info };
    },

    /**
     * Ends the link for whoever comes later. This device keeps the folder key, to read with.
     * @throws AppError what the server said; nothing has changed then
     */
    revokeLink: async (folder: LinkFolder): Promise<NewLink> => {
      await rpc('revoke_temp_encryption_key', { folder_id: folder.folder_id });
      await keys.dropSecret(folder.folder_id);
      return { linkMode: 'revoked', fragment: '', hasPassphrase: false, info: null };
    },
  };
}

export const { openToDiscord, makePrivateLink, revokeLink } = createLinkMode({
  rpc,
  keys: { rememberKey, dropSecret },
  derivePassphraseKey,
});
