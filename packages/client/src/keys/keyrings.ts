import type { FolderKeys } from '@satchel/container/key';
import type { FolderKeyring, Keyring } from '@satchel/container/keyring';

/** How keyrings of one folder, from different places, relate. */

type Bytes = Uint8Array<ArrayBuffer>;

export const isSameBytes = (one: Bytes, other: Bytes): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

const hasKey = ({ keys }: Keyring, key: Bytes): boolean => keys.some((one) => isSameBytes(one, key));

/** Whether `ring` has every key of `other`. */
export const includesRing = (ring: Keyring, other: Keyring): boolean => other.keys.every((key) => hasKey(ring, key));

export const isSameRing = (one: Keyring | null, other: Keyring): boolean =>
  one !== null &&
  one.keys.length === other.keys.length &&
  one.keys.every((key, at) => isSameBytes(key, other.keys[at] as Bytes)) &&
  one.hidesNames === other.hidesNames;

/** The device's own ring with the keys of the server's that it lacks, which are later ones. */
export const joinRings = (own: Keyring, servers: Keyring | null): Keyring => ({
  ...own,
  keys: [...own.keys, ...(servers?.keys.filter((key) => !hasKey(own, key)) ?? [])],
});

/**
 * The imported keys of `ring`, with the CryptoKeys of the keys that were there before: a proof of a file names its key by
 * them, and holds while the folder has that key.
 * @param imported the keys of `ring`, newest first
 * @param before the earlier keyring, and the keys imported from it
 */
export function withHeldKeys(
  imported: FolderKeyring,
  ring: Keyring,
  before: { readonly ring: Keyring; readonly imported: FolderKeyring },
): FolderKeyring {
  const heldKeys = before.ring.keys.toReversed();
  const keys = ring.keys.toReversed().map((key, at) => {
    const held = before.imported.keys[heldKeys.findIndex((one) => isSameBytes(one, key))];
    return held ?? (imported.keys[at] as FolderKeys);
  });
  return { ...imported, keys };
}
