import { AppError } from '@satchel/contract/errors';
import { KEYRING_MAX_KEYS } from '@satchel/contract/limits';
import { decodeBase64Url } from './base64url.ts';
import { openGcm, sealGcm } from './gcm.ts';
import {
  FOLDER_KEY_BYTES,
  type FolderKeys,
  importKeys,
  keyEncryptionKey,
  type LinkSecrets,
  newFolderKey,
} from './key.ts';

/** The keyring of a folder: all of its folder keys, and what they vouch for (docs/container.md §6). */

type Bytes = Uint8Array<ArrayBuffer>;

const VERSION = 1;
const PREFIX_BYTES = 3;
const HIDES_NAMES = 1;
const NO_AAD: Bytes = new Uint8Array(0);

/** The folder keys of one folder, and the flags that are sealed with them. */
export interface Keyring {
  /** 64 bytes each, oldest first; the last one seals. At least one, at most 16. */
  readonly keys: readonly Bytes[];
  /** Whether file names are hidden from the server (docs/container.md §2). */
  readonly hidesNames: boolean;
}

/** A keyring as WebCrypto keys, for opening files. It can be posted to workers. */
export interface FolderKeyring {
  /** Newest first: the newest one opens the labels. */
  readonly keys: readonly FolderKeys[];
}

/** A keyring with one fresh folder key. */
export const newKeyring = ({ hidesNames }: Pick<Keyring, 'hidesNames'>): Keyring => ({
  keys: [newFolderKey()],
  hidesNames,
});

/**
 * The same keyring with a fresh folder key: labels count under that one from then on, and the earlier keys open none of them.
 * @throws key.ring_full when it has 16 keys already
 */
export function addFolderKey(ring: Keyring): Keyring {
  if (ring.keys.length >= KEYRING_MAX_KEYS) throw new AppError('key.ring_full');
  return { ...ring, keys: [...ring.keys, newFolderKey()] };
}

/** The folder key that seals: the newest, 64 bytes. */
export const sealingKeyOf = (ring: Keyring): Bytes => ring.keys.at(-1) as Bytes;

/**
 * Imports every key of a keyring.
 * @throws open.import_keys with the reason
 */
export async function importKeyring({ keys }: Keyring): Promise<FolderKeyring> {
  return { keys: await Promise.all([...keys].reverse().map(importKeys)) };
}

/** `u8 1 | u8 flags | u8 n | n × 64 bytes`, newest key last. */
function encodeKeyring({ keys, hidesNames }: Keyring): Bytes {
  const bytes = new Uint8Array(PREFIX_BYTES + keys.length * FOLDER_KEY_BYTES);
  bytes.set([VERSION, hidesNames ? HIDES_NAMES : 0, keys.length]);
  for (const [at, key] of keys.entries()) bytes.set(key, PREFIX_BYTES + at * FOLDER_KEY_BYTES);
  return bytes;
}

function decodeKeyring(bytes: Bytes): Keyring {
  const [version, flags = 0, count = 0] = bytes;
  const isWhole = count >= 1 && count <= KEYRING_MAX_KEYS && bytes.length === PREFIX_BYTES + count * FOLDER_KEY_BYTES;
  if (version !== VERSION || !isWhole) throw new RangeError('not a keyring');
  const keyAt = (at: number) =>
    bytes.slice(PREFIX_BYTES + at * FOLDER_KEY_BYTES, PREFIX_BYTES + (at + 1) * FOLDER_KEY_BYTES);
  return {
    keys: Array.from({ length: count }, (_, at) => keyAt(at)),
    hidesNames: (flags & HIDES_NAMES) !== 0,
  };
}

/**
 * Seals a keyring for the server to keep: sealed_key = base64url(nonce12 | AES-256-GCM(KEK, keyring)) (docs/container.md §3,
 * §6), 127 characters with one key, 1,407 with sixteen.
 * @throws key.bad_length when a key is not 64 bytes, key.ring_full; RangeError when a secret is not 32 bytes or the
 * ring   is empty (mistakes of the caller)
 */
export async function sealKeyring({ ring, ...secrets }: LinkSecrets & { ring: Keyring }): Promise<string> {
  const wrong = ring.keys.find(({ length }) => length !== FOLDER_KEY_BYTES);
  if (wrong) throw new AppError('key.bad_length', { length: wrong.length * 2 });
  if (ring.keys.length > KEYRING_MAX_KEYS) throw new AppError('key.ring_full');
  if (ring.keys.length === 0) throw new RangeError('a keyring has a key');
  return sealGcm(await keyEncryptionKey(secrets), encodeKeyring(ring), NO_AAD);
}

/**
 * Opens a sealed_key.
 * @throws key.unsealable when link, share, passphrase and sealed key don't belong together, or one is malformed
 */
export async function openKeyring({ sealedKey, ...secrets }: LinkSecrets & { sealedKey: string }): Promise<Keyring> {
  try {
    const kek = await keyEncryptionKey(secrets);
    return decodeKeyring(await openGcm(kek, decodeBase64Url(sealedKey), NO_AAD));
  } catch (error) {
    throw new AppError('key.unsealable', {}, { cause: error });
  }
}
