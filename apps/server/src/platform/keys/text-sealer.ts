import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';

/** Seals short texts at rest. */
export interface TextSealer {
  /** @param context what it belongs to: under another one it doesn't open */
  seal(text: string, context: string): string;
  /** The text, or null when `sealed` was sealed by another secret, for another context, or was changed. */
  open(sealed: string, context: string): string | null;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A sealer with AES-256-GCM under a key derived from a secret.
 * @param secret at least 128 bits that nobody guesses
 * @param purpose tells the sealers of one secret apart
 */
export function createTextSealer(secret: Buffer, purpose: string): TextSealer {
  // As a key object: of a buffer each cipher would make one.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `satchel ${purpose} v1`, 32)));

  function seal(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
    const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(parts).toString('base64url');
  }

  function open(sealed: string, context: string): string | null {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }

  return { seal, open };
}
