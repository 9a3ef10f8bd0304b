import { AppError } from '@satchel/contract/errors';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';

/** The folder key, the link secret, and the key share (docs/container.md §1, §3). Keyrings of folder keys: keyring.ts. */

type Bytes = Uint8Array<ArrayBuffer>;

export const FOLDER_KEY_BYTES = 64;
const HALF_KEY_BYTES = 32;
const SECRET_BYTES = 32;
const NO_PASSPHRASE: Bytes = new Uint8Array(0);
const METADATA_LABEL = new TextEncoder().encode('satchel v2 metadata\0');
const STILL_LABEL = new TextEncoder().encode('satchel v2 still\0');
const PROOF_INFO = new TextEncoder().encode('satchel v2 proof');
const NO_SALT: Bytes = new Uint8Array(0);
const FOLDER_KEY_INFO = new TextEncoder().encode('satchel v2 folder key');
const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' };

/** A folder key as WebCrypto keys: not extractable, and they can be posted to workers. */
export interface FolderKeys {
  /** AES-256-CTR, for the chunks. */
  aes: CryptoKey;
  /** HMAC-SHA256: macKey, from which the file keys and the label key derive. */
  mac: CryptoKey;
  /** AES-256-GCM: metaKey of both halves, for labels (docs/container.md §6). */
  meta: CryptoKey;
  /** AES-256-GCM: stillKey of both halves, for stills (docs/container.md §6). */
  still: CryptoKey;
}

/** What seals a keyring. `passphraseKey` is P of docs/container.md §3: 32 bytes, absent without a passphrase. */
export interface LinkSecrets {
  /** S: 32 bytes, only in the link. */
  secret: Bytes;
  /** T: 32 bytes, kept by the server until expiry. */
  share: Bytes;
  passphraseKey?: Bytes;
}

const randomBytes = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

/** A fresh folder key: 64 random bytes, the AES-256 key and then macKey. */
export const newFolderKey = (): Bytes => randomBytes(FOLDER_KEY_BYTES);

/** A fresh link secret S: 32 random bytes. */
export const newLinkSecret = (): Bytes => randomBytes(SECRET_BYTES);

/** A fresh key share T: 32 random bytes. */
export const newKeyShare = (): Bytes => randomBytes(SECRET_BYTES);

/**
 * A folder key of 64 bytes from its 128 hex characters.
 * @throws key.bad_length
 */
export function parseKey(hex: string): Bytes {
  const digits = hex.match(/[0-9a-fA-F]/g)?.length ?? 0;
  if (hex.length !== FOLDER_KEY_BYTES * 2) throw new AppError('key.bad_length', { length: hex.length });
  if (digits !== hex.length) throw new AppError('key.bad_length', { length: digits });
  return Uint8Array.from({ length: FOLDER_KEY_BYTES }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}

/** The 128 lower-case hex characters of a folder key. */
export const formatKey = (key: Uint8Array): string =>
  Array.from(key, (byte) => byte.toString(16).padStart(2, '0')).join('');

const joinBytes = (first: Uint8Array, second: Uint8Array): Bytes => {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
};

/** HMAC(macKey, input), as a key for AES-256-GCM. */
async function deriveGcm(mac: CryptoKey, input: Bytes): Promise<CryptoKey> {
  const derived = await crypto.subtle.sign('HMAC', mac, input);
  return crypto.subtle.importKey('raw', derived, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/**
 * Imports a folder key of 64 bytes.
 * @throws open.import_keys with the reason
 */
export async function importKeys(key: Bytes): Promise<FolderKeys> {
  if (key.length !== FOLDER_KEY_BYTES) {
    throw new AppError('open.import_keys', { reason: `expected ${FOLDER_KEY_BYTES} bytes, got ${key.length}` });
  }
  try {
    const { subtle } = crypto;
    const aes = await subtle.importKey('raw', key.subarray(0, HALF_KEY_BYTES), 'AES-CTR', false, [
      'encrypt',
      'decrypt',
    ]);
    const mac = await subtle.importKey('raw', key.subarray(HALF_KEY_BYTES), HMAC_SHA256, false, ['sign', 'verify']);
    const aesHalf = key.subarray(0, HALF_KEY_BYTES);
    const [meta, still] = await Promise.all([
      deriveGcm(mac, joinBytes(METADATA_LABEL, aesHalf)),
      deriveGcm(mac, joinBytes(STILL_LABEL, aesHalf)),
    ]);
    return { aes, mac, meta, still };
  } catch (error) {
    // Outside a secure context there is no `crypto.subtle`; its absence lands here too.
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('open.import_keys', { reason }, { cause: error });
  }
}

/**
 * S
 * P, the input of HKDF for both the KEK and the proof.
 */
async function linkMaterial(
  { secret, passphraseKey = NO_PASSPHRASE }: Omit<LinkSecrets, 'share'>,
  usage: 'deriveKey' | 'deriveBits',
): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', joinBytes(secret, passphraseKey), 'HKDF', false, [usage]);
}

const fits = ({ secret, share, passphraseKey }: LinkSecrets): boolean =>
  secret.length === SECRET_BYTES &&
  share.length === SECRET_BYTES &&
  (passphraseKey === undefined || passphraseKey.length === SECRET_BYTES);

/**
 * KEK = HKDF(ikm = S | P, salt = T, info = "satchel v2 folder key") (docs/container.md §3, RFC 5869): AES-256-GCM, for a
 * keyring.
 * @throws RangeError when a secret is not 32 bytes (a mistake of the caller)
 */
export async function keyEncryptionKey({ share, ...link }: LinkSecrets): Promise<CryptoKey> {
  if (!fits({ share, ...link })) throw new RangeError('secret, share and passphraseKey are 32 bytes each');
  const base = await linkMaterial(link, 'deriveKey');
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: share, info: FOLDER_KEY_INFO };
  return crypto.subtle.deriveKey(hkdf, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

/**
 * Proves to the server that the caller has the link and knows its passphrase, without revealing either: proof =
 * base64url(HKDF(S
 * P, salt empty, info = "satchel v2 proof")) (docs/container.md §3), 43 characters.
 * @throws RangeError when a secret is not 32 bytes (a mistake of the caller)
 */
export async function proveSecret(link: { secret: Bytes; passphraseKey: Bytes }): Promise<string> {
  if (link.secret.length !== SECRET_BYTES || link.passphraseKey.length !== SECRET_BYTES) {
    throw new RangeError('secret and passphraseKey are 32 bytes each');
  }
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: NO_SALT, info: PROOF_INFO };
  const proof = await crypto.subtle.deriveBits(hkdf, await linkMaterial(link, 'deriveBits'), SECRET_BYTES * 8);
  return encodeBase64Url(new Uint8Array(proof));
}

/**
 * proof_hash = base64url(SHA-256(proof)): the server recognizes a right proof by it, and can't make one.
 * @param proof what `proveSecret` gave
 */
export async function hashProof(proof: string): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', decodeBase64Url(proof))));
}
