import { KEYRING_MAX_KEYS } from '@satchel/contract/limits';
import { keyFor, openBytes, SEALING_BYTES, sealBytes } from './aes-gcm.ts';

/** What a sealed key belongs to: it can't be opened for another folder, slug or expiry. */
export interface SealedFor {
  readonly folder_id: string;
  readonly slug: string;
  readonly expires_at: Date;
}

/**
 * Seals the keys of Discord links at rest: the database alone does not give them away (docs/container.md §3). The sealing
 * secret may be on another machine, so most of the server has this interface only.
 */
export interface KeySealer {
  /** @param keys 128 lower-case hex characters for each folder key, concatenated; at most 16 keys */
  seal(keys: string, target: SealedFor): Promise<string>;
  /** Seals the same keys for another expiry; null when `sealed` can't be opened. */
  reseal(sealed: string, target: SealedFor, expires_at: Date): Promise<string | null>;
}

/** A sealer that holds the secret. */
export interface OpeningSealer extends KeySealer {
  /** The keys, or null when `sealed` was sealed under another secret or for another target, or was changed. */
  open(sealed: string, target: SealedFor): string | null;
}

/**
 * Version of the sealed format. It precedes the sealed bytes and is authenticated with them, so that a later format can
 * be told apart.
 */
const VERSION = 1;
const PREFIX = `v${VERSION}.`;
const KEY_BYTES = 64;

/** True when the bytes hold whole keys: the current one, and earlier ones of the folder. */
function holdsKeys(sealedBytes: number): boolean {
  const count = (sealedBytes - SEALING_BYTES) / KEY_BYTES;
  return Number.isInteger(count) && count >= 1 && count <= KEYRING_MAX_KEYS;
}

const contextOf = ({ folder_id, slug, expires_at }: SealedFor): string =>
  JSON.stringify([folder_id, slug, expires_at.toISOString(), VERSION]);

/**
 * Creates a sealer under a key derived from a secret.
 * @param secret KEY_SEALING_SECRET, or the secret made in its place; at least 32 bytes
 */
export function createKeySealer(secret: Buffer): OpeningSealer {
  const sealingKey = keyFor(secret, 'satchel key sealing v1');

  async function seal(keys: string, target: SealedFor): Promise<string> {
    return PREFIX + sealBytes(sealingKey, Buffer.from(keys, 'hex'), contextOf(target)).toString('base64url');
  }

  function open(sealed: string, target: SealedFor): string | null {
    if (!sealed.startsWith(PREFIX)) return null;
    const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
    if (!holdsKeys(bytes.length)) return null;
    return openBytes(sealingKey, bytes, contextOf(target))?.toString('hex') ?? null;
  }

  async function reseal(sealed: string, target: SealedFor, expires_at: Date): Promise<string | null> {
    const keys = open(sealed, target);
    return keys === null ? null : seal(keys, { ...target, expires_at });
  }

  return { seal, reseal, open };
}
