import { BlobStoreError } from './blobs.ts';

/** Where the blobs of a site are in an S3-compatible store. */
export interface S3Settings {
  readonly bucket: string;
  /** Before the names of all objects; ends with a slash unless it is empty. */
  readonly prefix: string;
  /** Null for Amazon's own. */
  readonly endpoint: string | null;
  readonly region: string;
  /** True to put the bucket into the path: most stores but Amazon's have no host name for each bucket. */
  readonly isPathStyle: boolean;
  /** Null: from where the SDK finds them, such as the role of the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

export type S3Access = Readonly<Record<'id' | 'key', string | undefined>>;

/**
 * @returns null when the SDK has to find them
 * @throws BlobStoreError
 */
export function s3Credentials({ id, key }: S3Access): S3Settings['credentials'] {
  if (id === undefined && key === undefined) return null;
  if (id !== undefined && key !== undefined) return { accessKeyId: id, secretAccessKey: key };
  throw new BlobStoreError('BLOBS_ACCESS_KEY_ID: comes with BLOBS_SECRET_ACCESS_KEY, or not at all');
}

/** As S3 names buckets; stores that are kin to it allow no more. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PARAMETERS = new Set(['endpoint', 'region', 'path_style']);
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @returns why `s3://bucket/prefix?endpoint=…&region=…&path_style=…` names no store, or null */
export function s3UrlProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:' || !BUCKET.test(url.hostname)) {
    return 'must be an address such as s3://bucket?endpoint=https://s3.example.org&region=eu-central-1';
  }
  if (url.username || url.password) {
    return 'holds no credentials: they go into BLOBS_ACCESS_KEY_ID and BLOBS_SECRET_ACCESS_KEY';
  }
  if ([...url.searchParams.keys()].some((name) => !PARAMETERS.has(name))) {
    return 'has the parameters endpoint, region and path_style, and no other';
  }
  const given = url.searchParams.get('endpoint');
  if (given === null) return null;
  const endpoint = URL.canParse(given) ? new URL(given) : null;
  const isSafe =
    endpoint?.protocol === 'https:' || (endpoint?.protocol === 'http:' && LOOPBACK.test(endpoint.hostname));
  return isSafe ? null : 'needs an https endpoint, since files go that way';
}

/** @param text one that has no problem */
export function parseS3Url(text: string): Omit<S3Settings, 'credentials'> {
  const url = new URL(text);
  const endpoint = url.searchParams.get('endpoint');
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') ?? 'us-east-1',
    // Amazon has a host name for each bucket; of the others only some have.
    isPathStyle: (url.searchParams.get('path_style') ?? String(endpoint !== null)) === 'true',
  };
}
