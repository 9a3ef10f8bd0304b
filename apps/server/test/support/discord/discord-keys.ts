import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** Discord's key pair in tests. An Ed25519 private key in PKCS #8 is this prefix and 32 bytes (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED = Buffer.alloc(32, 7);
const PRIVATE_KEY: KeyObject = createPrivateKey({
  key: Buffer.concat([PKCS8_PREFIX, SEED]),
  format: 'der',
  type: 'pkcs8',
});

/** The seed in hex, the form that the sandbox takes. */
export const DISCORD_PRIVATE_KEY = SEED.toString('hex');
/** DISCORD_PUBLIC_KEY of test apps. */
export const DISCORD_PUBLIC_KEY = createPublicKey(PRIVATE_KEY)
  .export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('hex');

/** The headers that Discord sends with a body. */
export const signedHeaders = (body: string, timestamp = String(Math.floor(Date.now() / 1000))) => ({
  'content-type': 'application/json',
  'x-signature-timestamp': timestamp,
  'x-signature-ed25519': sign(null, Buffer.from(timestamp + body), PRIVATE_KEY).toString('hex'),
});
