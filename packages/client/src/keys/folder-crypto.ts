import { decodeBase64Url } from '@satchel/container/base64url';
import { parseKey, proveSecret } from '@satchel/container/key';
import { type Keyring, newKeyring, openKeyring, sealingKeyOf } from '@satchel/container/keyring';
import type { FolderCompleteData, PrivateKeyOutput } from '@satchel/contract/api';
import { AppError, toAppError } from '@satchel/contract/errors';
import type { DerivePassphraseKey } from './derive-passphrase-key.ts';
import { type Fragment, parseFragment, secretFragment } from './folder-link.ts';
import type { FolderKnowledge } from './folder-trust.ts';
import { createKeyService } from './key-service.ts';
import type { KeyStore, Recalled, RememberedKey } from './key-store.ts';
import { includesRing, isSameBytes, joinRings } from './keyrings.ts';
import { type SealedLink, type SealOptions, sealLink } from './sealed-link.ts';

/** How a folder's keys come to this page (§8 "Folder and key", docs/container.md §3, §6). */

type Bytes = Uint8Array<ArrayBuffer>;

export interface CreatedFolderKey extends SealedLink {
  readonly ring: Keyring;
}

export interface LoadedFolderKey {
  /** All keys that open files here; null when there are none. */
  readonly ring: Keyring | null;
  /** The key that seals where the folder's trust lets it (@satchel/client/keys/folder-trust), 64 bytes; null for keys that only read. */
  readonly sealingKey: Bytes | null;
  /** What this device knows: its own row, or for visitors what this page opened. */
  readonly known: RememberedKey | null;
  /** Link secret S, for the link to share; null when only the key is known. */
  readonly secret: Bytes | null;
  /** What follows the folder's address in a link to hand on, with its `#`; empty where that opens the folder, too. */
  readonly fragment: string;
  /** The link opens the folder together with its passphrase only. */
  readonly needsPassphrase: boolean;
  /** Why there is no key; beside a key, what is wrong with the fragment that it did not come by. */
  readonly error: AppError | null;
  readonly knows: Omit<FolderKnowledge, 'isReplaced'>;
}

export interface FolderKeyRequest {
  readonly folder: FolderCompleteData;
  /** The signed-in person, or null. */
  readonly userId: string | null;
  /** `location.hash` */
  readonly hash: string;
  /** What this page has opened before, by the secret in its address: a visitor's device keeps it nowhere else. */
  readonly held?: RememberedKey | null;
}

export interface FolderCryptoDeps {
  readonly fetch: typeof globalThis.fetch;
  readonly keys: Pick<KeyStore, 'recallFolder' | 'rememberKey'>;
  readonly derivePassphraseKey: DerivePassphraseKey;
}

/**
 * A new folder's keyring, and the private link to it.
 * @throws key.passphrase_failed
 */
export async function createFolderKey(
  { hidesNames, ...options }: SealOptions & Pick<Keyring, 'hidesNames'>,
  derive: DerivePassphraseKey,
): Promise<CreatedFolderKey> {
  const ring = newKeyring({ hidesNames });
  return { ring, ...(await sealLink(ring, options, derive)) };
}

const withHash = (hash: string): string => (hash === '' || hash.startsWith('#') ? hash : `#${hash}`);

/** Whether the folder's link is no longer the link of these keys. A missing token counts as no change. */
export const isReplaced = (known: Pick<RememberedKey, 'api_token'> | null, apiToken: string | null): boolean =>
  apiToken !== null && known !== null && known.api_token !== null && known.api_token !== apiToken;

/** Whether the secret of remembered keys belongs to the folder's present link. */
const isPresentLink = ({ folder_link_mode, temp_key_api_token }: FolderCompleteData, known: RememberedKey): boolean =>
  // A folder that was read without the procedure does not tell its token: the secret then is as good as any.
  folder_link_mode !== 'revoked' && known.mode === 'private' && !isReplaced(known, temp_key_api_token);

/**
 * Keys of the same id under another slug: the server shows one of this device's folders at the address of another folder,
 * whose key the server may have.
 */
const isAnothers = ({ folder }: FolderKeyRequest, known: RememberedKey | null): boolean =>
  known !== null && known.slug !== folder.folder_slug;

const isKnownSecret = ({ secret }: RememberedKey, other: Bytes): boolean =>
  secret !== null && isSameBytes(secret, other);

/** Whether this device has seen the link of that secret replaced. */
const isDeadSecret = ({ secret, spent }: RememberedKey, other: Bytes, isOld: boolean): boolean =>
  [...spent, ...(isOld && secret !== null ? [secret] : [])].some((one) => isSameBytes(one, other));

/** The secret in the address; if that is dead or missing, the secret of a pending new link. */
function secretToTry(fragment: Fragment, own: RememberedKey | null, isOld: boolean): Bytes | null {
  const secret = fragment.kind === 'secret' ? fragment.secret : null;
  const isAlive = secret !== null && !(own && isDeadSecret(own, secret, isOld));
  return isAlive ? secret : isOld ? (own?.pending?.secret ?? null) : null;
}

/** The result of one way to the keys. */
interface Found {
  readonly ring: Keyring | null;
  readonly known: RememberedKey | null;
  readonly needsPassphrase?: boolean;
  readonly error?: AppError | null;
}

const NOT_KNOWN: Recalled = { known: null, isPinned: true };

/** The part of the result that a page shows and shares. */
function present(request: FolderKeyRequest, fragment: Fragment, found: Found, isPinned: boolean): LoadedFolderKey {
  const { folder, hash } = request;
  const { known, needsPassphrase = false } = found;
  const own = known?.is_servers === false ? known : null;
  const secret = own && isPresentLink(folder, own) ? own.secret : null;
  const ring = found.ring ?? known?.ring ?? null;
  const badFragment = fragment.kind === 'bad' ? fragment.error : null;
  const address = fragment.kind === 'bad' ? 'key' : fragment.kind;
  const servers = found.ring !== null || known !== null ? 'servers' : 'none';
  const knows = {
    ring: own ? 'own' : servers,
    mode: known?.mode ?? null,
    hidesNames: known?.ring.hidesNames ?? false,
    kept: known?.kept ?? [],
    address,
    isPinned,
  } as const;
  // With keys at hand, report only that the link in the address is dead, not that the server is unreachable.
  const isNews = ring === null || /unsealable|discord_now/.test(found.error?.code ?? '');
  const error = badFragment ?? (isNews ? (found.error ?? null) : null);
  const shared = { known, needsPassphrase, error, knows, secret };
  if (ring === null && fragment.kind === 'key') {
    // Only the files' labels prove that these are this folder's keys (docs/container.md §6).
    const read = { keys: fragment.keys, hidesNames: true };
    return { ...shared, ring: read, sealingKey: null, fragment: withHash(hash), error: null };
  }
  if (ring === null) return { ...shared, ring, sealingKey: null, fragment: withHash(hash) };
  const sealingKey = sealingKeyOf(own?.ring ?? ring);
  return { ...shared, ring, sealingKey, fragment: secret === null ? '' : secretFragment(secret) };
}

/** The ways to a folder's keys: what this device remembers, what the link gives, what the server has. */
function createKeyWays({ fetch, keys }: Pick<FolderCryptoDeps, 'fetch' | 'keys'>) {
  const service = createKeyService(fetch);
  const addressOf = (folder: FolderCompleteData) => ({ slug: folder.folder_slug, apiToken: folder.temp_key_api_token });

  async function remember(
    { folder, userId }: FolderKeyRequest,
    found: Pick<RememberedKey, 'ring' | 'secret' | 'is_servers' | 'mode' | 'kept'>,
  ): Promise<RememberedKey> {
    const { folder_id: folderId, folder_slug: slug, folder_expires_at: expires_at } = folder;
    const known = { slug, expires_at, api_token: folder.temp_key_api_token, pending: null, ...found };
    // Visitors keep the key in their address only: a shared computer should not remember their folders.
    if (userId !== null) await keys.rememberKey({ userId, folderId, ...known });
    return { ...known, spent: [] };
  }

  /** If the store can't be read, the folder is unknown; an unknown folder is never treated as plain. */
  async function recall({ folder, userId, held }: FolderKeyRequest, fragment: Fragment): Promise<Recalled> {
    if (userId === null) {
      // Visitors keep nothing and upload nothing, and reading would create the key store.
      const isHeld = held && fragment.kind === 'secret' && isKnownSecret(held, fragment.secret);
      return { known: isHeld ? held : null, isPinned: false };
    }
    const name = { folderId: folder.folder_id, slug: folder.folder_slug };
    return keys.recallFolder(userId, name).catch(() => NOT_KNOWN);
  }

  /** @throws key.unsealable, also when the ring lacks a key that this device knows */
  async function openSealed(
    request: FolderKeyRequest,
    sealed: PrivateKeyOutput,
    link: { secret: Bytes; passphraseKey?: Bytes },
    own: RememberedKey | null,
  ): Promise<Found> {
    const { sealed_key: sealedKey, key_share } = sealed;
    const ring = await openKeyring({ sealedKey, share: shareOf(key_share), ...link });
    // A new link appends to the ring: a ring without the earlier keys is from a crafted or an old link.
    if (own && !includesRing(ring, own.ring)) throw new AppError('key.unsealable');
    const known = await remember(request, { ring, secret: link.secret, is_servers: false, mode: 'private', kept: [] });
    return { ring, known };
  }

  /** By the link's secret and what the server holds. */
  async function bySecret(request: FolderKeyRequest, secret: Bytes, own: RememberedKey | null): Promise<Found> {
    const answer = await service.askForKey(addressOf(request.folder));
    if (answer.kind === 'passphrase') return { ring: own?.ring ?? null, known: own, needsPassphrase: true };
    if (answer.kind === 'sealed') return openSealed(request, answer.sealed, { secret }, own);
    // Never use unsealed keys of the server here: the person came with a secret.
    throw new AppError(request.folder.folder_link_mode === 'discord' ? 'key.discord_now' : 'key.unsealable');
  }

  const askForRing = async ({ folder }: FolderKeyRequest): Promise<Keyring> => {
    const answer = await service.askForKey(addressOf(folder));
    if (answer.kind !== 'keys') throw new AppError('key.not_found');
    return { keys: answer.hex.map(parseKey), hidesNames: folder.hide_names };
  };

  /** By the Discord link: the server has the keys. */
  async function byServer(request: FolderKeyRequest, known: RememberedKey | null): Promise<Found> {
    const { folder, userId } = request;
    const asked = await askForRing(request);
    const { mode = null, kept = [] } = known ?? {};
    const ring = mode === null ? asked : { ...asked, hidesNames: known?.ring.hidesNames ?? asked.hidesNames };
    const row = { ring, secret: null, is_servers: true, mode, kept };
    // So that an owner who revokes the link here can still read; everyone else asks for the key each time.
    const isOwner = userId === folder.folder_owner_profile_id;
    return { ring, known: isOwner ? await remember(request, row) : known };
  }

  /** With this device's own keys, to which a new link may add newer ones. */
  async function byOwn(request: FolderKeyRequest, fragment: Fragment, own: RememberedKey): Promise<Found> {
    const { folder } = request;
    const held: Found = { ring: own.ring, known: own };
    const isOld = isReplaced(own, folder.temp_key_api_token);
    if (folder.folder_link_mode === 'discord') {
      if (own.mode !== 'discord' || !isOld) return held;
      // Another device made links since: files that it sealed open with the keys that it left with the server.
      return { ...held, ring: joinRings(own.ring, await askForRing(request).catch(() => null)) };
    }
    const secret = secretToTry(fragment, own, isOld);
    if (secret === null) return fragment.kind === 'secret' ? { ...held, error: new AppError('key.unsealable') } : held;
    if (isKnownSecret(own, secret) && isPresentLink(folder, own)) return held;
    try {
      const found = await bySecret(request, secret, own);
      // The keys of the present link need no passphrase again.
      return found.needsPassphrase && !isOld ? held : found;
    } catch (failure) {
      return { ...held, error: toAppError(failure, 'key.retrieval_failed') };
    }
  }

  async function byLink(request: FolderKeyRequest, fragment: Fragment, known: RememberedKey | null): Promise<Found> {
    if (known?.is_servers === false) return byOwn(request, fragment, known);
    const { folder_link_mode: mode } = request.folder;
    try {
      if (fragment.kind === 'secret') return await bySecret(request, fragment.secret, null);
      if (mode === 'discord') return await byServer(request, known);
      return { ring: null, known };
    } catch (failure) {
      return { ring: null, known, error: toAppError(failure, 'key.retrieval_failed') };
    }
  }

  /** What the server holds, for a proof of the passphrase. */
  const askWithProof = ({ folder }: FolderKeyRequest, proof: string, signal?: AbortSignal) =>
    service.proveForKey(addressOf(folder), proof, signal);

  return { recall, openSealed, byLink, askWithProof };
}

/** A folder's keys by link, by passphrase, by fragment and by what this device remembers. */
export function createFolderCrypto({ derivePassphraseKey, ...deps }: FolderCryptoDeps) {
  const { recall, openSealed, byLink, askWithProof } = createKeyWays(deps);

  /**
   * The keys of `folder`, in this order: this device's own keys, to which the link in the address may add; the link's
   * keys; the server's keys in a Discord-link folder; 128 hex characters after `#`, for reading only. Remembered
   * keys come before unsealed ones: they were proven to be this folder's, while a fragment can be forged by anyone. Never
   * rejects: a folder without its keys still loads, and `error` says why.
   */
  async function loadFolderKey(request: FolderKeyRequest): Promise<LoadedFolderKey> {
    const fragment = parseFragment(request.hash);
    const { known, isPinned } = await recall(request, fragment);
    if (isAnothers(request, known)) {
      return present(request, fragment, { ring: null, known: null, error: new AppError('folder.changed') }, isPinned);
    }
    return present(request, fragment, await byLink(request, fragment, known), isPinned);
  }

  /**
   * Opens a private link that has a passphrase. The passphrase is not kept; the keys are remembered like any.
   * @throws folder.changed, key.wrong_passphrase, key.no_tries_left, key.passphrase_failed, key.unsealable, key.not_found,
   *   key.retrieval_failed; the signal's reason
   */
  async function unlockFolderKey(
    request: FolderKeyRequest,
    passphrase: string,
    signal?: AbortSignal,
  ): Promise<LoadedFolderKey> {
    const fragment = parseFragment(request.hash);
    const { known, isPinned } = await recall(request, fragment);
    if (isAnothers(request, known)) throw new AppError('folder.changed');
    const own = known?.is_servers === false ? known : null;
    const secret = secretToTry(fragment, own, isReplaced(own, request.folder.temp_key_api_token));
    if (secret === null) throw new AppError('key.unsealable');
    const passphraseKey = await derivePassphraseKey({ passphrase, secret }, signal);
    const proof = await proveSecret({ secret, passphraseKey });
    const sealed = await askWithProof(request, proof, signal);
    const found = await openSealed(request, sealed, { secret, passphraseKey }, own);
    return present(request, fragment, found, isPinned);
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
