import { createHash, randomBytes } from 'node:crypto';

/** What a browser sends for a private folder: valid in form, and easy to find wherever it should not be stored. */
export const PRIVATE_KEY = {
  sealed_key: `sealed-key-canary_${'s'.repeat(105)}`,
  key_share: `key-share-canary_${'t'.repeat(26)}`,
};
/** The same, random. */
export const newPrivate = () => ({
  sealed_key: randomBytes(92).toString('base64url'),
  key_share: randomBytes(32).toString('base64url'),
});

/** What a browser sends for a Discord link: the key itself. */
export const DISCORD_KEY = { encryption_key: `d15c0de${'5eca1ed'.repeat(17)}d0` };
export const newKey = () => randomBytes(64).toString('hex');

/** What a browser sends in addition for a passphrase, and the proof that it computes later. */
export function newPassphrase() {
  const proof = randomBytes(32);
  return {
    proof: proof.toString('base64url'),
    input: { passphrase: true, proof_hash: createHash('sha256').update(proof).digest('base64url') },
  };
}

export const hoursFromNow = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
