import type { FolderKeys } from '@satchel/container/key';
import { type FolderKeyring, importKeyring } from '@satchel/container/keyring';
import {
  type FolderKeyRequest,
  type LoadedFolderKey,
  loadFolderKey,
  unlockFolderKey,
} from '../../lib/folder-crypto.ts';
import { isSameBytes, isSameRing, withHeldKeys } from '../../lib/keyrings.ts';

/** A folder's keys as a page holds them: loaded where there may be some, and not before. */

/** A key as it was loaded, with what WebCrypto makes of it. */
export interface Loaded extends LoadedFolderKey {
  readonly keyring: FolderKeyring | null;
  readonly sealer: FolderKeys | null;
}

/** The same keys keep their CryptoKeys: files that were opened with them need no second opening. */
async function withKeys(loaded: LoadedFolderKey, before: Loaded | null): Promise<Loaded> {
  const { ring, sealingKey } = loaded;
  if (ring === null) return { ...loaded, keyring: null, sealer: null };
  const held = before?.ring && before.keyring ? { ring: before.ring, imported: before.keyring } : null;
  const importNew = async () => {
    const imported = await importKeyring(ring);
    return held ? withHeldKeys(imported, ring, held) : imported;
  };
  const keyring = held && isSameRing(held.ring, ring) ? held.imported : await importNew();
  // The imported keys come newest first.
  const at = sealingKey === null ? -1 : ring.keys.toReversed().findIndex((key) => isSameBytes(key, sealingKey));
  return { ...loaded, keyring, sealer: keyring.keys[at] ?? null };
}

/** What the link, this device and the server give. */
export const load = async (request: FolderKeyRequest, before: Loaded | null): Promise<Loaded> =>
  withKeys(await loadFolderKey({ ...request, held: before?.known ?? null }), before);

/** @throws AppError key.wrong_passphrase and its like; the signal's reason */
export const unlock = async (
  request: FolderKeyRequest,
  { passphrase, signal }: { passphrase: string; signal: AbortSignal },
  before: Loaded | null,
): Promise<Loaded> => withKeys(await unlockFolderKey(request, passphrase, signal), before);
