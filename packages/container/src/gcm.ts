import { encodeBase64Url } from './base64url.ts';

/** The form of labels, sealed keys and stills: nonce12 and AES-256-GCM (docs/container.md §2, §3, §6). */

type Bytes = Uint8Array<ArrayBuffer>;

export const NONCE_BYTES = 12;
export const GCM_TAG_BYTES = 16;

/**
 * Seals under a fresh random nonce.
 * @param aad additional data, which opening needs again
 * @returns base64url(nonce12 | ciphertext and tag)
 */
export async function sealGcm(key: CryptoKey, plain: Bytes, aad: Bytes): Promise<string> {
  return encodeBase64Url(await sealGcmBytes(key, plain, aad));
}

/**
 * Seals under a fresh random nonce.
 * @param aad additional data, which opening needs again
 * @returns nonce12 | ciphertext and tag
 */
export async function sealGcmBytes(key: CryptoKey, plain: Bytes, aad: Bytes): Promise<Bytes> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: aad }, key, plain));
  const out = new Uint8Array(NONCE_BYTES + sealed.length);
  out.set(iv);
  out.set(sealed, NONCE_BYTES);
  return out;
}

/**
 * Opens nonce12 | ciphertext and tag.
 * @throws DOMException OperationError when it was not sealed under `key` with `aad`
 */
export async function openGcm(key: CryptoKey, bytes: Bytes, aad: Bytes): Promise<Bytes> {
  const gcm = { name: 'AES-GCM', iv: bytes.subarray(0, NONCE_BYTES), additionalData: aad };
  return new Uint8Array(await crypto.subtle.decrypt(gcm, key, bytes.subarray(NONCE_BYTES)));
}
