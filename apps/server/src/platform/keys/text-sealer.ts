import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';

/** Seals short texts at rest. */
export interface TextSealer {
  /** @param context what the text belongs to: it can't be opened in another context */
  seal(text: string, context: string): string;
  /** The text, or null when `sealed` was sealed under another secret or for another context, or was changed. */
  open(sealed: string, context: string): string | null;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates a sealer: AES-256-GCM under a key derived from a secret.
 * @param secret at least 128 bits of entropy
 * @param purpose separates the sealers of one secret
 */
export function createTextSealer(secret: Buffer, purpose: string): TextSealer {
  // A key object: with a buffer, each cipher would create one.
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
