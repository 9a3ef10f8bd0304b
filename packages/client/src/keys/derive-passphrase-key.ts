import { argon2id } from 'hash-wasm';

/** P of docs/container.md §3: what a passphrase adds to a link's secret. */

type Bytes = Uint8Array<ArrayBuffer>;

export interface PassphraseRequest {
  readonly passphrase: string;
  /** Link secret S, 32 bytes. */
  readonly secret: Bytes;
}

/**
 * Derives away from what a person waits for: it takes 64 MiB and most of a second.
 * @throws key.passphrase_failed; the signal's reason
 */
export type DerivePassphraseKey = (request: PassphraseRequest, signal?: AbortSignal) => Promise<Bytes>;

/** The cost of one guess (docs/container.md §3). Existing links depend on it: a link has no field for another cost. */
const COST = { memorySize: 64 * 1024, iterations: 3, parallelism: 1 } as const;
const SALT_LABEL = new TextEncoder().encode('satchel passphrase');
const SALT_BYTES = 16;
const PASSPHRASE_KEY_BYTES = 32;

/** The salt comes from S, so that guesses made for one link are of no use for another. */
async function saltOf(secret: Bytes): Promise<Bytes> {
  const material = new Uint8Array(SALT_LABEL.length + secret.length);
  material.set(SALT_LABEL);
  material.set(secret, SALT_LABEL.length);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', material)).subarray(0, SALT_BYTES);
}

/** Argon2id of the passphrase in NFC, so that one that looks the same is the same on every keyboard; 32 bytes. */
export async function derivePassphraseKey({ passphrase, secret }: PassphraseRequest): Promise<Bytes> {
  const derived = await argon2id({
    ...COST,
    password: new TextEncoder().encode(passphrase.normalize('NFC')),
    salt: await saltOf(secret),
    hashLength: PASSPHRASE_KEY_BYTES,
    outputType: 'binary',
  });
  return new Uint8Array(derived);
}
