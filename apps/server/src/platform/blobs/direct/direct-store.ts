import type { PartAddress } from '@satchel/contract/wire/direct-reads';
import { type DirectStore, partsOf } from '../blobs.ts';
import { rangesOf } from '../part-ranges.ts';
import type { S3Place } from '../s3-objects.ts';
import { encoded, presign } from './presign.ts';

/** Of one answer: 256 MiB of a fast sender's file, in some 20 KB. */
const PARTS_MAX = 32;
const PROBE_MS = 5000;
/** What opens such an address by itself gets a file to save, of no type. */
const AS_BYTES = {
  'response-content-type': 'application/octet-stream',
  'response-content-disposition': 'attachment',
};

const listed = (header: string | null): readonly string[] =>
  (header ?? '').split(',').map((name) => name.trim().toLowerCase());

const allows = (header: string | null, name: string): boolean =>
  listed(header).some((given) => given === '*' || given === name.toLowerCase());

export interface DirectStoreDeps {
  readonly place: S3Place;
  /** The name of a part's object. */
  readonly keyOf: (blobKey: string, name: string) => string;
}

export function createDirectStore({ place, keyOf }: DirectStoreDeps): DirectStore {
  const { baseUrl, region, credentials } = place;
  const urlOf = (key: string) => new URL(baseUrl + key.split('/').map(encoded).join('/'));

  return {
    baseUrl,
    async addressesOf(blob, sizeBytes, range, valid) {
      const signing = { method: 'GET', region, credentials: await credentials(), query: AS_BYTES, ...valid };
      const addresses: PartAddress[] = [];
      for (const { part, endsAt } of rangesOf(partsOf(blob), range)) {
        const { start } = part;
        const end = endsAt === null ? sizeBytes : start + endsAt;
        addresses.push({ start, end, url: presign({ ...signing, url: urlOf(keyOf(blob.blobKey, part.name)) }) });
        if (addresses.length === PARTS_MAX) break;
      }
      return addresses;
    },
    async problem(pageOrigin) {
      const valid = { now: new Date(), seconds: 60 };
      const url = presign({
        method: 'GET',
        url: urlOf(keyOf('probe', 'none')),
        region,
        credentials: await credentials(),
        ...valid,
      });
      const headers = {
        origin: pageOrigin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range',
      };
      const answer = await fetch(url, { method: 'OPTIONS', headers, signal: AbortSignal.timeout(PROBE_MS) }).catch(
        () => null,
      );
      await answer?.body?.cancel();
      if (answer === null) return 'the store does not answer';
      if (!allows(answer.headers.get('access-control-allow-origin'), pageOrigin)) {
        return `the bucket's CORS rules don't allow the origin ${pageOrigin}`;
      }
      if (!allows(answer.headers.get('access-control-allow-methods'), 'GET')) return "its CORS rules don't allow GET";
      if (!allows(answer.headers.get('access-control-allow-headers'), 'range')) {
        return "its CORS rules don't allow the header range";
      }
      return null;
    },
  };
}
