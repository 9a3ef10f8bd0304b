import { decodeBase64Url } from '@satchel/container/base64url';
import { newFolderKey, openFolderKey, parseKey, proveSecret } from '@satchel/container/key';
import type { FolderCompleteData, PrivateKeyOutput } from '@satchel/contract/api';
import { AppError, toAppError } from '@satchel/contract/errors';
import { type Fragment, parseFragment, secretFragment } from './folder-link.ts';
import { createKeyService } from './key-service.ts';
import { type KeyStore, type RememberedKey, recallKey, rememberKey } from './key-store.ts';
import { type DerivePassphraseKey, derivePassphraseKey } from './passphrase-client.ts';
import { type SealedLink, type SealOptions, sealLink } from './sealed-link.ts';

/** How a folder's key comes to this page (§8 "Folder and key", CONTAINER §3). */

type Bytes = Uint8Array<ArrayBuffer>;

export interface CreatedFolderKey extends SealedLink {
  /** The folder key, 64 bytes. */
  readonly key: Bytes;
}

export interface LoadedFolderKey {
  readonly key: Bytes | null;
  /** Link secret S, for the link to share; null when only the key is known. */
  readonly secret: Bytes | null;
  /** Whether files may be sealed, and links made, with this key (CONTAINER §3 "Who may seal"). */
  readonly maySeal: boolean;
  /** What follows the folder's address in a link to hand on, with its `#`; empty where that opens the folder, too. */
  readonly fragment: string;
  /** The link opens the folder together with its passphrase only. */
  readonly needsPassphrase: boolean;
  /** Why there is no key; beside a key, what is wrong with the fragment that it did not come by. */
  readonly error: AppError | null;
}

export interface FolderKeyRequest {
  readonly folder: FolderCompleteData;
  /** The signed-in person, or null. */
  readonly userId: string | null;
  /** `location.hash` */
  readonly hash: string;
}

export interface FolderCryptoDeps {
  readonly fetch: typeof fetch;
  readonly keys: Pick<KeyStore, 'recallKey' | 'rememberKey'>;
  readonly derivePassphraseKey: DerivePassphraseKey;
}

/**
 * A new folder's key, and the private link to it.
 * @throws key.passphrase_failed
 */
export async function createFolderKey(
  options: SealOptions = {},
  derive: DerivePassphraseKey = derivePassphraseKey,
): Promise<CreatedFolderKey> {
  const key = newFolderKey();
  return { key, ...(await sealLink(key, options, derive)) };
}

const sameBytes = (one: Bytes, other: Bytes): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

const withHash = (hash: string): string => (hash === '' || hash.startsWith('#') ? hash : `#${hash}`);

/** A revoked folder takes no further uploads; a key that the server sent seals in a Discord-link folder only. */
const maySealIn = ({ folder_link_mode: mode }: FolderCompleteData, isServers: boolean): boolean =>
  mode !== 'revoked' && (!isServers || mode === 'discord');

/** Whether the secret of a remembered key is that of the folder's present link. */
function isPresentLink({ folder_link_mode, temp_key_api_token }: FolderCompleteData, known: RememberedKey): boolean {
  // A folder that was read without the procedure does not tell its token (§8): the secret then is as good as any.
  return folder_link_mode === 'private' && (temp_key_api_token === null || temp_key_api_token === known.api_token);
}

const ofSecret = (folder: FolderCompleteData, key: Bytes, secret: Bytes): LoadedFolderKey => ({
  key,
  secret,
  maySeal: maySealIn(folder, false),
  fragment: secretFragment(secret),
  needsPassphrase: false,
  error: null,
});

function ofMemory(folder: FolderCompleteData, known: RememberedKey): LoadedFolderKey {
  const secret = isPresentLink(folder, known) ? known.secret : null;
  return {
    key: known.key,
    secret,
    maySeal: maySealIn(folder, known.is_servers),
    fragment: secret === null ? '' : secretFragment(secret),
    needsPassphrase: false,
    error: null,
  };
}

/** No key; the link that one came by is handed on as it is. */
const nothing = ({ hash }: FolderKeyRequest, error: AppError | null, needsPassphrase = false): LoadedFolderKey => ({
  key: null,
  secret: null,
  maySeal: false,
  fragment: withHash(hash),
  needsPassphrase,
  error,
});

/** Folder keys by link, by passphrase, by fragment and by what this device remembers. */
export function createFolderCrypto({ fetch, keys, derivePassphraseKey }: FolderCryptoDeps) {
  const service = createKeyService(fetch);
  const addressOf = (folder: FolderCompleteData) => ({
    slug: folder.folder_slug,
    apiToken: folder.temp_key_api_token,
  });

  async function remember(
    { folder, userId }: FolderKeyRequest,
    known: Pick<RememberedKey, 'key' | 'secret' | 'is_servers' | 'api_token'>,
  ): Promise<void> {
    // Visitors keep the key in their address only: a shared computer should not remember what they looked at.
    if (userId === null) return;
    const { folder_id: folderId, folder_slug: slug, folder_expires_at: expires_at, server_time } = folder;
    await keys.rememberKey({ userId, folderId, slug, expires_at, server_time, ...known });
  }

  const recall = async ({ folder, userId }: FolderKeyRequest): Promise<RememberedKey | null> =>
    userId === null ? null : keys.recallKey(userId, folder.folder_id).catch(() => null);

  async function openSealed(
    request: FolderKeyRequest,
    sealed: PrivateKeyOutput,
    link: { secret: Bytes; passphraseKey?: Bytes },
  ): Promise<LoadedFolderKey> {
    const { folder } = request;
    const { sealed_key: sealedKey, key_share } = sealed;
    const key = await openFolderKey({ sealedKey, share: shareOf(key_share), ...link });
    await remember(request, { key, secret: link.secret, is_servers: false, api_token: folder.temp_key_api_token });
    return ofSecret(folder, key, link.secret);
  }

  /** By the link's secret and what the server holds. Null when the link needs its passphrase, too. */
  async function bySecret(request: FolderKeyRequest, secret: Bytes): Promise<LoadedFolderKey | null> {
    const answer = await service.askForKey(addressOf(request.folder));
    if (answer.kind === 'passphrase') return null;
    // A key as it is can't come for a private link: whoever sends one wants files sealed under a key of theirs.
    if (answer.kind === 'key') throw new AppError('key.unsealable');
    return openSealed(request, answer.sealed, { secret });
  }

  /** By the Discord link: the server has the key. */
  async function byServer(request: FolderKeyRequest): Promise<LoadedFolderKey> {
    const { folder, userId } = request;
    const answer = await service.askForKey(addressOf(folder));
    if (answer.kind !== 'key') throw new AppError('key.not_found');
    const key = parseKey(answer.hex);
    // So that an owner who revokes the link here can still read; everyone else asks for the key each time.
    const known = { key, secret: null, is_servers: true, api_token: folder.temp_key_api_token };
    if (userId === folder.folder_owner_profile_id) await remember(request, known);
    return { ...nothing(request, null), key, maySeal: maySealIn(folder, true), fragment: '' };
  }

  /** What the folder's present link gives, or why it gives nothing. Null when it has nothing to give. */
  async function byLink(
    request: FolderKeyRequest,
    fragment: Fragment,
    known: RememberedKey | null,
  ): Promise<LoadedFolderKey | null> {
    const { folder } = request;
    const own = known?.is_servers === false ? known : null;
    try {
      if (folder.folder_link_mode === 'discord') return own ? ofMemory(folder, own) : await byServer(request);
      if (fragment.kind !== 'secret') return null;
      const isKnown = own?.secret && sameBytes(own.secret, fragment.secret) && isPresentLink(folder, own);
      if (own && isKnown) return ofMemory(folder, own);
      const opened = await bySecret(request, fragment.secret);
      return opened ?? (own ? ofMemory(folder, own) : nothing(request, null, true));
    } catch (failure) {
      return nothing(request, toAppError(failure, 'key.retrieval_failed'));
    }
  }

  /**
   * The key of `folder`, by this order: what its link gives, of the secret after `#` or of the server in a Discord-link
   * folder; what this device remembers; 128 hex characters after `#`, for reading only. A key that is remembered goes
   * before one that comes as it is, for it was proven to be this folder's, while anybody can write a fragment. Never
   * rejects: a folder without its key still loads, and `error` says why.
   */
  async function loadFolderKey(request: FolderKeyRequest): Promise<LoadedFolderKey> {
    const { folder, hash } = request;
    if (folder.folder_link_mode === 'plain') return { ...nothing(request, null), fragment: '' };
    const fragment = parseFragment(hash);
    const known = await recall(request);
    const linked = await byLink(request, fragment, known);
    const badFragment = fragment.kind === 'bad' ? fragment.error : null;
    if (linked?.key || linked?.needsPassphrase) return { ...linked, error: badFragment };
    if (known !== null) {
      // That the server can't be asked is no news for somebody who needn't ask it; that the link is dead is.
      const isDead = linked?.error?.code === 'key.unsealable';
      return { ...ofMemory(folder, known), error: badFragment ?? (isDead ? linked.error : null) };
    }
    if (fragment.kind === 'key') return { ...nothing(request, null), key: fragment.key };
    return nothing(request, badFragment ?? linked?.error ?? null);
  }

  /**
   * Opens a private link that has a passphrase. The passphrase is forgotten at once; the key is remembered like any.
   * @throws key.wrong_passphrase, key.no_tries_left, key.passphrase_failed, key.unsealable, key.not_found,
   *   key.retrieval_failed; the signal's reason
   */
  async function unlockFolderKey(
    request: FolderKeyRequest,
    passphrase: string,
    signal?: AbortSignal,
  ): Promise<LoadedFolderKey> {
    const fragment = parseFragment(request.hash);
    if (fragment.kind !== 'secret') throw new AppError('key.unsealable');
    const { secret } = fragment;
    const passphraseKey = await derivePassphraseKey({ passphrase, secret }, signal);
    const proof = await proveSecret({ secret, passphraseKey });
    const sealed = await service.proveForKey(addressOf(request.folder), proof, signal);
    return openSealed(request, sealed, { secret, passphraseKey });
  }

  return { loadFolderKey, unlockFolderKey };
}

/** @throws key.unsealable: a share that is not ours opens nothing */
function shareOf(text: string): Bytes {
  try {
    return decodeBase64Url(text);
  } catch (error) {
    throw new AppError('key.unsealable', {}, { cause: error });
  }
}

export const { loadFolderKey, unlockFolderKey } = createFolderCrypto({
  fetch: (...request) => fetch(...request),
  keys: { recallKey, rememberKey },
  derivePassphraseKey,
});
