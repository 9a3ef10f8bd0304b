import { formatKeys } from '@satchel/client/keys/folder-link';
import { decodeBase64Url, encodeBase64Url } from '@satchel/container/base64url';
import { FOLDER_KEY_BYTES } from '@satchel/container/key';
import type { OperatorKeyList, ReportInput } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { KEYRING_MAX_KEYS } from '@satchel/contract/limits';

/**
 * A folder's keys on their way from a reporter to an operator (docs/abuse.md): sealed in the one browser and opened in the
 * other, so that the server between them can't read them.
 *
 * `sealed` = ephemeral public point 65 | nonce 12 | AES-256-GCM ciphertext with its tag 16, as base64url.
 */

type Bytes = Uint8Array<ArrayBuffer>;

const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const;
const POINT_BYTES = 65;
const NONCE_BYTES = 12;
const INFO = 'satchel report key v1';

/** The AES key of one sealing. The slug is in it: what was sealed for one folder opens as no other's. */
async function sealingKey(slug: string, point: Bytes, secret: ArrayBuffer): Promise<CryptoKey> {
  const shared = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: point, info: new TextEncoder().encode(`${INFO}|${slug}`) },
    shared,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
}

const sharedSecret = (publicKey: CryptoKey, privateKey: CryptoKey): Promise<ArrayBuffer> =>
  crypto.subtle.deriveBits({ name: 'ECDH', public: publicKey }, privateKey, 256);

const importPoint = (point: Bytes): Promise<CryptoKey> => crypto.subtle.importKey('raw', point, CURVE, true, []);

async function sealTo(publicKey: string, slug: string, content: Bytes): Promise<string> {
  const operatorKey = await importPoint(decodeBase64Url(publicKey));
  const ephemeral = await crypto.subtle.generateKey(CURVE, false, ['deriveBits']);
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', ephemeral.publicKey));
  const key = await sealingKey(slug, point, await sharedSecret(operatorKey, ephemeral.privateKey));
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, key, content);
  return encodeBase64Url(new Uint8Array([...point, ...nonce, ...new Uint8Array(sealed)]));
}

export type SealedKeys = NonNullable<ReportInput['sealed_keys']>;

/**
 * Seals a folder's keys to every operator: all of them, or files from before the last new link would stay closed.
 * @param folderKeys 64 bytes each, oldest first
 * @throws when one of the public keys is none
 */
export function sealToOperators(
  slug: string,
  folderKeys: readonly Bytes[],
  operators: OperatorKeyList,
): Promise<SealedKeys> {
  const content = new Uint8Array(folderKeys.flatMap((key) => [...key]));
  return Promise.all(
    operators.map(async ({ id, public_key }) => ({
      operator_key_id: id,
      sealed: await sealTo(public_key, slug, content),
    })),
  );
}

/**
 * Opens what a reporter sealed.
 * @returns the folder's keys as a fragment says them: 128 hex characters each, oldest first, joined by dots
 * @throws when it was sealed to another key or for another folder, or is no folder key
 */
export async function openSealedKey(slug: string, sealed: string, privateKey: CryptoKey): Promise<string> {
  const bytes = decodeBase64Url(sealed);
  const point = bytes.slice(0, POINT_BYTES);
  const nonce = bytes.slice(POINT_BYTES, POINT_BYTES + NONCE_BYTES);
  const key = await sealingKey(slug, point, await sharedSecret(await importPoint(point), privateKey));
  const content = await crypto.subtle.decrypt(
    { name: 'AES-GCM', iv: nonce },
    key,
    bytes.slice(POINT_BYTES + NONCE_BYTES),
  );
  // Any bytes can be sealed to a public key: check that these are keys before they are put into an address.
  return formatKeys(keysIn(new Uint8Array(content)));
}

/** @throws key.bad_length when it is no folder key */
function keysIn(content: Bytes): Bytes[] {
  const count = content.length / FOLDER_KEY_BYTES;
  if (!Number.isInteger(count) || count < 1 || count > KEYRING_MAX_KEYS) {
    throw new AppError('key.bad_length', { length: content.length * 2 });
  }
  return Array.from({ length: count }, (_, at) => content.slice(at * FOLDER_KEY_BYTES, (at + 1) * FOLDER_KEY_BYTES));
}

export interface OperatorKeyPair {
  /** Stays in this browser: no script, and no export, gets its bytes. */
  readonly privateKey: CryptoKey;
  /** The raw point as base64url. */
  readonly publicKey: string;
}

/** A fresh key pair of an operator's. */
export async function newOperatorKeyPair(): Promise<OperatorKeyPair> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(CURVE, false, ['deriveBits']);
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));
  return { privateKey, publicKey: encodeBase64Url(point) };
}
