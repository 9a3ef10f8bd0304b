import { createHash, createHmac } from 'node:crypto';

/**
 * Addresses that carry their own signature: AWS Signature Version 4 in the query. By hand, since a file of a hundred parts takes a
 * hundred of them, and the SDK takes a request through all of its layers for each.
 */

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface Signing {
  readonly method: string;
  /** Without a query, and with a path that is encoded already. */
  readonly url: URL;
  readonly region: string;
  readonly credentials: Credentials;
  /** By whose clock the address begins to be valid. */
  readonly now: Date;
  readonly seconds: number;
  /** What the store is asked for beside the signature. */
  readonly query?: Readonly<Record<string, string>>;
}

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** As S3 encodes: everything but the unreserved characters of RFC 3986. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

/** @returns an address that any holder may use once or often, from `now`, for that number of seconds */
export function presign({ method, url, region, credentials, now, seconds, query }: Signing): string {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const parameters: Record<string, string> = {
    ...query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
    ...(credentials.sessionToken !== undefined && { 'X-Amz-Security-Token': credentials.sessionToken }),
  };
  const search = Object.entries(parameters)
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(byName)
    .map((pair) => pair.join('='))
    .join('&');
  const request = [method, url.pathname, search, `host:${url.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const hash = createHash('sha256').update(request).digest('hex');
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${credentials.secretAccessKey}`);
  const signature = hmac(key as Buffer, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash}`).toString('hex');
  return `${url.origin}${url.pathname}?${search}&X-Amz-Signature=${signature}`;
}
