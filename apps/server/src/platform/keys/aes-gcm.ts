import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

/** AES-256-GCM: a fresh nonce, the sealed bytes and their tag, as one. */

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** What sealing adds to the bytes. */
export const SEALING_BYTES = NONCE_BYTES + TAG_BYTES;

/** A key object: with a buffer, each cipher would create one. */
export const keyFor = (secret: Buffer, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));

/** @param context what the bytes belong to: they can't be opened in another context */
export function sealBytes(key: KeyObject, bytes: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** The bytes, or null when they were sealed under another key or for another context, or were changed. */
export function openBytes(key: KeyObject, sealed: Buffer, context: string): Buffer | null {
  if (sealed.length < SEALING_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
