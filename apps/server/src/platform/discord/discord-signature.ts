import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** Checks Discord's signatures: Ed25519 over the timestamp header and the bytes of the body. */

export interface Signature {
  readonly timestamp: string | string[] | undefined;
  readonly signature: string | string[] | undefined;
}

/** An Ed25519 public key in SPKI is this prefix and 32 bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** Exactly the spelling that Discord writes. */
const TIMESTAMP = /^[1-9]\d{0,11}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;
/** How far Discord's clock and ours may differ; an older request may be a replay. */
const MAX_AGE_SECONDS = 5 * 60;

const keyOf = (publicKey: string): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_PREFIX, Buffer.from(publicKey, 'hex')]), format: 'der', type: 'spki' });

export interface SignatureCheck {
  /** True when the headers are well-formed and recent; known before the body is read. */
  looksRight(signature: Signature): boolean;
  /** True when Discord signed this body within the last minutes. */
  isSigned(signature: Signature, body: Buffer): boolean;
}

/** @param publicKey DISCORD_PUBLIC_KEY, 64 hex characters */
export function createSignatureCheck(publicKey: string, now: () => number = Date.now): SignatureCheck {
  const key = keyOf(publicKey);

  function looksRight({ timestamp, signature }: Signature): boolean {
    if (typeof timestamp !== 'string' || typeof signature !== 'string') return false;
    if (!TIMESTAMP.test(timestamp) || !SIGNATURE.test(signature)) return false;
    return Math.abs(now() / 1000 - Number(timestamp)) <= MAX_AGE_SECONDS;
  }

  // Discord, Interactions Overview: "you must validate the request each time you receive an interaction."
  function isSigned(headers: Signature, body: Buffer): boolean {
    if (!looksRight(headers)) return false;
    const { timestamp, signature } = headers as { timestamp: string; signature: string };
    return verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(signature, 'hex'));
  }

  return { looksRight, isSigned };
}
