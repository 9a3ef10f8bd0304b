import { decodeBase64Url, encodeBase64Url } from '@satchel/container/base64url';
import { newFolderKey, newKeyShare, newLinkSecret, openFolderKey, sealFolderKey } from '@satchel/container/key';
import type { FolderCompleteData, PrivateKeyOutput } from '@satchel/contract/api';
import { AppError, fromWire, toAppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { parseFragment } from './folder-link.ts';
import { type KeyStore, recallKey, rememberKey } from './key-store.ts';

/** How a folder's key comes to this page (§8 "Folder and key", CONTAINER §3). */

type Bytes = Uint8Array<ArrayBuffer>;

export interface CreatedFolderKey {
  /** The folder key, 64 bytes. */
  readonly key: Bytes;
  /** Link secret S, 32 bytes: goes into the link, never to the server. */
  readonly secret: Bytes;
  /** `sealed_key` of the creating call. */
  readonly sealedKey: string;
  /** `key_share` of the creating call: T, 32 bytes, base64url. */
  readonly keyShareText: string;
}

export interface LoadedFolderKey {
  readonly key: Bytes | null;
  /** Link secret S, for the link to share; null when only the key is known. */
  readonly secret: Bytes | null;
  /** Whether files may be sealed with this key (CONTAINER §3 "Who may seal"). */
  readonly maySeal: boolean;
  readonly error: AppError | null;
}

export interface FolderKeyRequest {
  readonly folder: FolderCompleteData;
  /** The signed-in person, or null. */
  readonly userId: string | null;
  /** `location.hash` */
  readonly hash: string;
}

interface FolderCryptoDeps {
  readonly fetch: typeof fetch;
  readonly keys: Pick<KeyStore, 'recallKey' | 'rememberKey'>;
}

/** A new folder's key, link secret and share, and the key sealed for the server to keep. */
export async function createFolderKey(): Promise<CreatedFolderKey> {
  const [key, secret, share] = [newFolderKey(), newLinkSecret(), newKeyShare()];
  return { key, secret, sealedKey: await sealFolderKey({ key, secret, share }), keyShareText: encodeBase64Url(share) };
}

/** A captive portal answers everything with 200 and something of its own. */
function isKeyAnswer(body: unknown): body is PrivateKeyOutput {
  const { success, sealed_key, key_share } = (body ?? {}) as Partial<PrivateKeyOutput>;
  return success === true && typeof sealed_key === 'string' && typeof key_share === 'string';
}

const NOT_FOUND = new AppError('key.not_found');
/** A revoked folder takes no further uploads (CONTAINER §3). */
const takesUploads = (folder: FolderCompleteData): boolean => folder.folder_link_mode !== 'revoked';
const nothing = (error: AppError | null): LoadedFolderKey => ({ key: null, secret: null, maySeal: false, error });

/** Folder keys by link, by fragment and by what this device remembers. */
export function createFolderCrypto({ fetch, keys }: FolderCryptoDeps) {
  /** @throws key.not_found, key.retrieval_failed: the key service's words, else 'Key not found', else the network's */
  async function fetchSealedKey(slug: string, apiToken: string | null): Promise<PrivateKeyOutput> {
    if (apiToken === null) throw NOT_FOUND;
    const path = `${PATHS.key}/${encodeURIComponent(slug)}/${encodeURIComponent(apiToken)}`;
    const response = await fetch(path, { cache: 'no-store' }).catch((error: unknown) => {
      throw toAppError(error, 'key.retrieval_failed');
    });
    const body: unknown = await response.json().catch(() => null);
    if (response.ok && isKeyAnswer(body)) return body;
    const { error } = (body ?? {}) as { error?: unknown };
    const message = typeof error === 'string' ? error : fromWire(body)?.message;
    throw message && message !== NOT_FOUND.message ? new AppError('key.retrieval_failed', { message }) : NOT_FOUND;
  }

  async function openWithSecret({ folder, userId }: FolderKeyRequest, secret: Bytes): Promise<LoadedFolderKey> {
    const answer = await fetchSealedKey(folder.folder_slug, folder.temp_key_api_token);
    const key = await openFolderKey({ sealedKey: answer.sealed_key, secret, share: decodeBase64Url(answer.key_share) });
    // Visitors keep the key in their address only: a shared computer should not remember what they looked at.
    if (userId !== null) {
      const { folder_id: folderId, folder_slug: slug, folder_expires_at: expires_at, server_time } = folder;
      const known = { slug, secret, key, is_servers: false, api_token: folder.temp_key_api_token, expires_at };
      await keys.rememberKey({ userId, folderId, server_time, ...known });
    }
    return { key, secret, maySeal: takesUploads(folder), error: null };
  }

  async function recall({ folder, userId }: FolderKeyRequest): Promise<LoadedFolderKey | null> {
    if (userId === null) return null;
    const known = await keys.recallKey(userId, folder.folder_id).catch(() => null);
    // Only keys made here, or opened from sealed_key through S, are ever remembered: both may seal.
    return known && { key: known.key, secret: known.secret, maySeal: takesUploads(folder), error: null };
  }

  /**
   * The key of `folder`, by this order: the link's secret and what the server holds; what this device remembers; 128 hex
   * characters after `#`, for reading only. A remembered key goes before the latter, for it was proven to be this folder's
   * while anybody can write a fragment. Never rejects: a folder without its key still loads, and `error` says why.
   */
  async function loadFolderKey(request: FolderKeyRequest): Promise<LoadedFolderKey> {
    if (request.folder.folder_link_mode === 'plain') return nothing(null);
    const fragment = parseFragment(request.hash);
    let error = fragment.kind === 'bad' ? fragment.error : null;
    if (fragment.kind === 'secret') {
      try {
        return await openWithSecret(request, fragment.secret);
      } catch (failure) {
        error = toAppError(failure, 'key.retrieval_failed');
      }
    }
    const known = await recall(request);
    if (known !== null) return known;
    if (fragment.kind === 'key') return { key: fragment.key, secret: null, maySeal: false, error: null };
    return nothing(error);
  }

  return { loadFolderKey };
}

export const { loadFolderKey } = createFolderCrypto({
  fetch: (...request) => fetch(...request),
  keys: { recallKey, rememberKey },
});
