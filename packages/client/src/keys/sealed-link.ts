import { encodeBase64Url } from '@satchel/container/base64url';
import { hashProof, newKeyShare, newLinkSecret, proveSecret } from '@satchel/container/key';
import { type Keyring, sealKeyring } from '@satchel/container/keyring';
import type { DerivePassphraseKey } from './derive-passphrase-key.ts';
import type { SealedLinkFields } from './link-parts.ts';

/** A private link for the keys of a folder (docs/container.md §3, §6): its secret for the person, and what the server keeps. */

type Bytes = Uint8Array<ArrayBuffer>;

export interface SealedLink {
  /** S, 32 bytes: goes into the link, never to the server. */
  readonly secret: Bytes;
  readonly fields: SealedLinkFields;
}

export interface SealOptions {
  /** Without one, the link alone opens the folder. */
  readonly passphrase?: string;
  readonly signal?: AbortSignal;
}

/**
 * Seals `ring` under a new secret and share.
 * @throws key.passphrase_failed, key.ring_full; the signal's reason
 */
export async function sealLink(
  ring: Keyring,
  { passphrase, signal }: SealOptions,
  derivePassphraseKey: DerivePassphraseKey,
): Promise<SealedLink> {
  const [secret, share] = [newLinkSecret(), newKeyShare()];
  const key_share = encodeBase64Url(share);
  if (!passphrase) return { secret, fields: { sealed_key: await sealKeyring({ ring, secret, share }), key_share } };
  const passphraseKey = await derivePassphraseKey({ passphrase, secret }, signal);
  const sealed_key = await sealKeyring({ ring, secret, share, passphraseKey });
  const proof_hash = await hashProof(await proveSecret({ secret, passphraseKey }));
  return { secret, fields: { sealed_key, key_share, passphrase: true, proof_hash } };
}
