import { isIP } from 'node:net';
import { z } from 'zod';

/** The types of single settings: how each is parsed, and what is said of a bad value. */

const UNITS: Record<string, number> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for the host name of a URL that never leaves this machine. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);

const parseUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

function parseSize(text: string): number {
  const [, digits, unit = ''] = /^(\d+)\s*([KMGT]iB)?$/.exec(text) ?? [];
  const sizeBytes = Number(digits) * (UNITS[unit] ?? Number.NaN);
  return Number.isSafeInteger(sizeBytes) ? sizeBytes : Number.NaN;
}

function isCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

export const integer = (min: number, max: number) =>
  z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN))
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

/** Room for the database and its log to continue, when uploads have filled the disk. */
export const DEFAULT_DISK_KEPT_FREE_BYTES = 256 * 1024 ** 2;

/** More than a page can list. */
export const FOLDER_FILES_MAX = 100_000;

export const size = z
  .string()
  .transform(parseSize)
  .refine((value) => value > 0, 'must be a number of bytes, or one with KiB, MiB, GiB or TiB');

/** The same, or 0. */
export const sizeOrNone = z
  .string()
  .transform(parseSize)
  .refine((value) => value >= 0, 'must be a number of bytes, or one with KiB, MiB, GiB or TiB');

export const hours = z
  .string()
  .transform(Number)
  .refine((value) => value > 0 && value <= 24 * 365, 'must be a number of hours above 0 and at most 8760');

export const publicUrl = z.string().superRefine((text, context) => {
  const url = parseUrl(text);
  const problem = (message: string) => context.addIssue({ code: 'custom', message });
  if (!url || !/^https?:$/.test(url.protocol)) return problem('must be an address such as https://files.example.org');
  if (url.href !== `${url.origin}/`) return problem('must be an origin alone, without path, query or user name');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return problem(
      'plain http works on this machine only, since browsers have no WebCrypto there and so cannot encrypt; use https',
    );
  }
});

export const discordApi = z.string().refine((text) => {
  const url = parseUrl(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}, 'must be an https address, such as https://discord.com/api/v10');

export const cidrs = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every(isCidr), 'must be addresses or CIDR ranges with commas between, such as 127.0.0.1/32');

export const TierSettings = z.record(
  z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/),
  z.strictObject({ storage: size, file: size, hours: z.coerce.string().pipe(hours) }),
);

/** A setting written as JSON. */
export const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

export const discordIds = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((ids) => ids.every((id) => /^\d{1,20}$/.test(id)), 'must be Discord user ids with commas between');

const DISCORD_EPOCH_MS = Date.UTC(2015, 0, 1);
const DAY_MS = 24 * 3_600_000;

/** Each id of Discord begins with the time at which it was made; an id of the future is nobody's, such as the sandbox's. */
export const isFutureId = (id: string): boolean => DISCORD_EPOCH_MS + Number(BigInt(id) >> 22n) > Date.now() + DAY_MS;

export const guildIds = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((ids) => ids.every((id) => /^\d{1,20}$/.test(id)), 'must be ids of Discord servers with commas between');

export const secret = z.string().min(32, 'must have at least 32 characters');

/** What else an S3 address needs, `platform/blobs/s3-settings.ts` checks. */
export const blobsUrl = z.string().refine((text) => {
  const url = parseUrl(text);
  return (url?.protocol === 'file:' && url.host === '') || url?.protocol === 's3:';
}, 'must be the address of a directory that all nodes reach, such as file:///srv/satchel/blobs, or s3://bucket');

/** An origin that may be sent secrets. */
const secureOrigin = (message: string) =>
  z.string().refine((text) => {
    const url = parseUrl(text);
    if (!url || url.href.replace(/\/$/, '') !== url.origin) return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  }, message);
export const keyServiceUrl = secureOrigin(
  'must be an https origin, such as https://keys.example.org, since keys go that way',
);
export const usercontentUrl = secureOrigin('must be an https origin, such as https://usercontent.example.net');

/** Whether it leads to a page that people open in their browser. */
const isPage = (text: string) => /^https?:$/.test(parseUrl(text)?.protocol ?? '');
export const pageUrl = z.string().refine(isPage, 'must be an address such as https://example.org/terms');

export const contactUrl = z.string().refine((text) => {
  const url = parseUrl(text);
  return isPage(text) || (url?.protocol === 'mailto:' && url.pathname !== '');
}, 'must be an address such as mailto:help@example.org or https://example.org/contact');
