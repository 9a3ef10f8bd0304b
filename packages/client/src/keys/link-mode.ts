import { formatKey } from '@satchel/container/key';
import { addFolderKey, importKeyring, type Keyring } from '@satchel/container/keyring';
import { renewLabel } from '@satchel/container/proof';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { TempKeyInfo } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { type Api, isLost } from '../api.ts';
import type { DerivePassphraseKey } from './derive-passphrase-key.ts';
import { secretFragment } from './folder-link.ts';
import type { KeyStore, PendingLink } from './key-store.ts';
import { type SealOptions, sealLink } from './sealed-link.ts';

/**
 * How the owner changes what a folder's link is (docs/container.md §3). Each new private link brings a new folder
 * key, and all labels under it. What the link becomes here is what the folder is on this device from then on: a person's act.
 */

type Bytes = Uint8Array<ArrayBuffer>;

export type LinkFolder = Pick<
  FolderCompleteData,
  'folder_id' | 'folder_slug' | 'folder_owner_profile_id' | 'folder_expires_at' | 'temp_key_api_token'
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
  readonly rpc: Api['rpc'];
  readonly keys: Pick<KeyStore, 'rememberKey' | 'deleteSecret' | 'keepPending' | 'recallFolder'>;
  readonly derivePassphraseKey: DerivePassphraseKey;
  /**
   * Runs one change of a folder's link at a time on this device: a client that starts must not finish what another one is just
   * doing.
   * @returns null when another client is at it, and `waits` is false
   */
  readonly alone: <Result>(folderId: string, waits: boolean, act: () => Promise<Result>) => Promise<Result | null>;
  /**
   * Called before a change of the folder's link; returns what is called after it. The device keeps the new link only once the
   * answer has come; before that, a client that hears the server's news would take its own change for one that somebody else made.
   */
  readonly ignoreNewsOf: (folderId: string) => () => void;
}

/** How often the labels are brought again when files came, went or were renamed meanwhile. */
const TRIES = 5;

/** The acts that change a folder's link, for its owner. */
export function createLinkMode({ rpc, keys, derivePassphraseKey, alone, ignoreNewsOf }: LinkModeDeps) {
  const changing = <Result>({ folder_id }: LinkFolder, act: () => Promise<Result>): Promise<Result> => {
    const hearNewsAgain = ignoreNewsOf(folder_id);
    return act().finally(hearNewsAgain);
  };

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

  /**
   * Brings the labels of all files under the newest key of `next`. Nobody sees them before the link is changed.
   * @throws key.labels_changed when the server asks again for labels that it has been brought
   */
  async function stageLabels({ folder_id }: LinkFolder, ring: Keyring, next: Keyring): Promise<string> {
    const [before, after] = await Promise.all([importKeyring(ring), importKeyring(next)]);
    const input = { folder_id, stage_id: crypto.randomUUID() };
    const renew = async ({ name, sealed: earlier }: { name: string; sealed: string }) => {
      // What the present keys don't prove is not the folder's, and doesn't become so.
      const sealed = await renewLabel(before, after, { storedName: name, sealed: earlier }).catch(() => null);
      return { name, earlier, sealed };
    };
    const brought = new Set<string>();
    let { missing } = await rpc('stage_folder_labels', { ...input, labels: [] });
    while (missing.length > 0) {
      const asked = missing.map(({ name, sealed }) => `${name}/${sealed}`);
      if (asked.some((one) => brought.has(one))) throw new AppError('key.labels_changed');
      for (const one of asked) brought.add(one);
      const labels = await Promise.all(missing.map(renew));
      ({ missing } = await rpc('stage_folder_labels', { ...input, labels }));
    }
    return input.stage_id;
  }

  /** @param ring the folder's keys before the change */
  async function sendLink(folder: LinkFolder, ring: Keyring, { ring: next, fields }: PendingLink) {
    const { folder_id, temp_key_api_token: replaces } = folder;
    for (let tries = 1; ; tries += 1) {
      const relabel = { stage_id: await stageLabels(folder, ring, next), replaces };
      try {
        return await rpc('generate_temp_encryption_key', { folder_id, ...fields, relabel });
      } catch (error) {
        const isLate = error instanceof AppError && error.code === 'key.labels_changed';
        if (!isLate || tries === TRIES) throw error;
      }
    }
  }

  /** Makes a link that this device keeps as pending the folder's. */
  const finish = (folder: LinkFolder, ring: Keyring, pending: PendingLink): Promise<NewLink> =>
    changing(folder, async () => {
      const { secret, fields } = pending;
      const info = await sendLink(folder, ring, pending).catch(async (error: unknown) => {
        // The person is told that it failed: no page may do it later.
        if (!isLost(error)) await keys.keepPending(folder.folder_owner_profile_id, folder.folder_id, null);
        throw error;
      });
      const isKept = await remember(folder, { ring: pending.ring, mode: 'private', secret }, info);
      const fragment = isKept ? '' : secretFragment(secret);
      return { linkMode: 'private', fragment, hasPassphrase: fields.passphrase === true, info };
    });

  return {
    /**
     * Leaves the folder keys with the server, so that the link alone opens the folder. The old private link is dead then.
     * @param ring the folder's keys, ones that may seal (docs/container.md §3)
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
     * links are dead then. The new link opens every file, since all labels come under the new key in the same act; the
     * earlier keys open no label any more, and can't make one that counts (docs/container.md §6).
     * @param ring the folder's keys, ones that may seal
     * @throws AppError what the server said, key.passphrase_failed, key.ring_full, key.link_changed, key.labels_changed; the
     *   signal's reason. Nothing has changed then, unless the answer was lost: this device keeps the new link until it knows
     *   (folder-crypto.ts), and {@link finishPrivateLink} continues it
     */
    makePrivateLink: async (folder: LinkFolder, ring: Keyring, options: SealOptions = {}): Promise<NewLink> => {
      const next = addFolderKey(ring);
      const { secret, fields } = await sealLink(next, options, derivePassphraseKey);
      options.signal?.throwIfAborted();
      const pending = { ring: next, secret, fields };
      const made = await alone(folder.folder_id, true, async () => {
        await keys.keepPending(folder.folder_owner_profile_id, folder.folder_id, pending);
        return finish(folder, ring, pending);
      });
      return made as NewLink;
    },

    /**
     * Finishes a change of the link that was interrupted: until then the former link and its keys are the folder's.
     * @returns null when there is nothing to finish, or another page is at it
     * @throws what makePrivateLink throws
     */
    finishPrivateLink: (folder: LinkFolder): Promise<NewLink | null> =>
      alone(folder.folder_id, false, async () => {
        const name = { folderId: folder.folder_id, slug: folder.folder_slug };
        const { known } = await keys.recallFolder(folder.folder_owner_profile_id, name);
        // Another token: the change was made, and its answer lost (folder-crypto.ts opens it), or another device made one.
        const isOpen = known?.pending?.fields && known.api_token === folder.temp_key_api_token;
        return isOpen ? finish(folder, known.ring, known.pending) : null;
      }),

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
