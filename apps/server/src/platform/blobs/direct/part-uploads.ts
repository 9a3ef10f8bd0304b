import { createHash, randomBytes } from 'node:crypto';
import type { PutAddress } from '@satchel/contract/wire/direct-uploads';
import { BlobMissingError, type NewPart, type PartUploads, type Validity } from '../blobs.ts';
import type { S3Objects, S3Place } from '../s3-objects.ts';
import { encoded, presign } from './presign.ts';

/**
 * Parts that browsers store by themselves, by addresses that expire. Length, hash and checksums of a part are signed, so
 * that an address takes one content and no other, however often it is used.
 */

const PROBE_MS = 5000;
const PROBE_SECONDS = 60;
const NONCE_BYTES = 12;
const OCTETS = 'application/octet-stream';
const BODY = 'content-type';
const HASH = 'x-amz-content-sha256';
const SUMS = 'x-amz-meta-crc32';

/** An object that is tried and deleted. No blob has such a name. */
const PROBE = ['probe', 'sent'] as const;
const SIGNED = { start: 0, sizeBytes: 4, sums: 'AAAAAA==', bytes: Buffer.from('good') };
/** As many bytes. */
const OTHER = Buffer.from('evil');

const hex = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const allows = (header: string | null, name: string): boolean =>
  (header ?? '').split(',').some((given) => ['*', name.toLowerCase()].includes(given.trim().toLowerCase()));

export interface PartUploadDeps {
  readonly place: S3Place;
  readonly objects: Pick<S3Objects, 'look' | 'delete'>;
  /** The name of a part's object. */
  readonly keyOf: (blobKey: string, name: string) => string;
}

export function createPartUploads({ place, objects, keyOf }: PartUploadDeps): PartUploads {
  const { baseUrl, region, credentials } = place;

  async function addressOf(blobKey: string, name: string, part: NewPart, valid: Validity): Promise<PutAddress> {
    const key = keyOf(blobKey, name).split('/').map(encoded).join('/');
    const headers = { [BODY]: OCTETS, [HASH]: part.sha256, [SUMS]: part.sums };
    const url = presign({
      ...{ method: 'PUT', url: new URL(baseUrl + key), region, credentials: await credentials(), ...valid },
      headers: { ...headers, 'content-length': String(part.sizeBytes) },
    });
    return { name, url, headers };
  }

  async function preflight({ url, headers }: PutAddress, pageOrigin: string): Promise<string | null> {
    const asking = {
      origin: pageOrigin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': Object.keys(headers).sort().join(','),
    };
    const answer = await fetch(url, {
      method: 'OPTIONS',
      headers: asking,
      signal: AbortSignal.timeout(PROBE_MS),
    }).catch(() => null);
    await answer?.body?.cancel();
    if (answer === null) return 'the store does not answer';
    if (!allows(answer.headers.get('access-control-allow-origin'), pageOrigin)) {
      return `the bucket's CORS rules don't allow PUT to the origin ${pageOrigin}`;
    }
    if (!allows(answer.headers.get('access-control-allow-methods'), 'PUT')) return "its CORS rules don't allow PUT";
    const refused = Object.keys(headers).find(
      (name) => !allows(answer.headers.get('access-control-allow-headers'), name),
    );
    return refused === undefined ? null : `its CORS rules don't allow the header ${refused}`;
  }

  /** What an address has to refuse: other bytes, more or fewer of them, other checksums. */
  async function laxity({ url, headers: signed }: PutAddress): Promise<string | null> {
    const put = async (body: Buffer<ArrayBuffer>, headers: Record<string, string> = {}) => {
      const answer = await fetch(url, {
        ...{ method: 'PUT', headers: { ...signed, ...headers }, body },
        signal: AbortSignal.timeout(PROBE_MS),
      });
      await answer.body?.cancel();
      return answer.ok;
    };
    if (await put(OTHER)) return 'the store takes other bytes than were signed';
    if (await put(Buffer.concat([SIGNED.bytes, OTHER]))) return 'the store takes more bytes than were signed';
    if (await put(OTHER, { [HASH]: hex(OTHER) })) return 'the store takes another hash than was signed';
    if (await put(SIGNED.bytes, { [SUMS]: 'AAAAAQ==' })) return 'the store takes other checksums than were signed';
    if (!(await put(SIGNED.bytes))) return 'the store refuses what was signed';
    // It would copy whatever these credentials read: other files, other buckets.
    const source = `/${place.bucket}/${keyOf(...PROBE)}`;
    const copying = { 'x-amz-copy-source': source, 'x-amz-metadata-directive': 'REPLACE' };
    return (await put(SIGNED.bytes, copying)) ? 'the store obeys headers that were not signed' : null;
  }

  return {
    newName: ({ start, sizeBytes }, epoch) =>
      `${start}-${epoch}-${sizeBytes}-${randomBytes(NONCE_BYTES).toString('hex')}`,
    addressOf,
    async has(blobKey, name, { sizeBytes, sums }) {
      try {
        const found = await objects.look(keyOf(blobKey, name));
        return found.sizeBytes === sizeBytes && found.sums === sums;
      } catch (error) {
        if (error instanceof BlobMissingError) return false;
        throw error;
      }
    },
    async problem(pageOrigin) {
      const valid = { now: new Date(), seconds: PROBE_SECONDS };
      const asked = await addressOf(...PROBE, { ...SIGNED, sha256: hex(SIGNED.bytes) }, valid);
      const refusal = (await preflight(asked, pageOrigin)) ?? (await laxity(asked));
      await objects.delete([keyOf(...PROBE)]);
      return refusal;
    },
  };
}
