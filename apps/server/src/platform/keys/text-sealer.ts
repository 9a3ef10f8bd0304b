import { keyFor, openBytes, sealBytes } from './aes-gcm.ts';

/** Seals short texts at rest. */
export interface TextSealer {
  /** @param context what the text belongs to: it can't be opened in another context */
  seal(text: string, context: string): string;
  /** The text, or null when `sealed` was sealed under another secret or for another context, or was changed. */
  open(sealed: string, context: string): string | null;
}

/**
 * Creates a sealer under a key derived from a secret.
 * @param secret at least 128 bits of entropy
 * @param purpose separates the sealers of one secret
 */
export function createTextSealer(secret: Buffer, purpose: string): TextSealer {
  const key = keyFor(secret, `satchel ${purpose} v1`);
  return {
    seal: (text, context) => sealBytes(key, Buffer.from(text), context).toString('base64url'),
    open: (sealed, context) => openBytes(key, Buffer.from(sealed, 'base64url'), context)?.toString() ?? null,
  };
}
