import type { FolderKeys } from '@satchel/container/key';
import { type FolderKeyring, importKeyring } from '@satchel/container/keyring';
import {
  type FolderKeyRequest,
  type LoadedFolderKey,
  loadFolderKey,
  unlockFolderKey,
} from '../../../engine/keys/folder-crypto.ts';
import { isSameBytes, isSameRing, withHeldKeys } from '../../../engine/keys/keyrings.ts';

/** A folder's keys on a page. */

/** A loaded key with its imported CryptoKeys. */
export interface Loaded extends LoadedFolderKey {
  readonly keyring: FolderKeyring | null;
  readonly sealer: FolderKeys | null;
}

/** Unchanged keys keep their CryptoKeys: files opened with them need no second opening. */
async function withKeys(loaded: LoadedFolderKey, before: Loaded | null): Promise<Loaded> {
  const { ring, sealingKey } = loaded;
  if (ring === null) return { ...loaded, keyring: null, sealer: null };
  const held = before?.ring && before.keyring ? { ring: before.ring, imported: before.keyring } : null;
  const importNew = async () => {
    const imported = await importKeyring(ring);
    return held ? withHeldKeys(imported, ring, held) : imported;
  };
  const keyring = held && isSameRing(held.ring, ring) ? held.imported : await importNew();
  // The imported keys are newest first.
  const at = sealingKey === null ? -1 : ring.keys.toReversed().findIndex((key) => isSameBytes(key, sealingKey));
  return { ...loaded, keyring, sealer: keyring.keys[at] ?? null };
}

/** The keys from the link, this device and the server. */
export const load = async (request: FolderKeyRequest, before: Loaded | null): Promise<Loaded> =>
  withKeys(await loadFolderKey({ ...request, held: before?.known ?? null }), before);

/** @throws AppError key.wrong_passphrase and other key errors; the signal's reason */
export const unlock = async (
  request: FolderKeyRequest,
  { passphrase, signal }: { passphrase: string; signal: AbortSignal },
  before: Loaded | null,
): Promise<Loaded> => withKeys(await unlockFolderKey(request, passphrase, signal), before);
