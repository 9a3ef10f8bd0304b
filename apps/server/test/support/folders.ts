import { createHash, randomBytes } from 'node:crypto';
import { BUCKET } from '@satchel/contract/limits';

/** What a browser sends for a private folder: valid in form, and easy to find wherever it should not be stored. */
export const PRIVATE_KEY = {
  sealed_key: `sealed-key-canary_${'s'.repeat(109)}`,
  key_share: `key-share-canary_${'t'.repeat(26)}`,
};
/** The same, random. */
export const newPrivate = () => ({
  sealed_key: randomBytes(95).toString('base64url'),
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

/** tus: Upload-Metadata is "one or more comma-separated key-value pairs"; "the value MUST be Base64 encoded". */
const encoded = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/**
 * The headers that create an upload over tus.
 * @param path the file's path in the bucket
 */
export const creationHeaders = (
  path: string,
  sizeBytes: number,
  metadata: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  'upload-length': String(sizeBytes),
  'upload-metadata': encoded({ bucketName: BUCKET, objectName: path, ...metadata }),
});
