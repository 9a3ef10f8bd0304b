import { PATHS } from '@satchel/contract/paths';

const encodePath = (segments: readonly string[]): string => segments.map(encodeURIComponent).join('/');

/**
 * Path of a stored file's bytes on this site.
 * @param storagePath the folder's bucket_storage_path; empty when files lie in the bucket itself
 * @param name the stored name
 */
export const publicFileUrl = (bucket: string, storagePath: string, name: string): string =>
  `${PATHS.objectPublic}/${objectPath(bucket, storagePath, name)}`;

/** `{bucket}/{path}` of a stored file, encoded for an address. */
export const objectPath = (bucket: string, storagePath: string, name: string): string =>
  encodePath([bucket, ...storagePath.split('/').filter((segment) => segment !== ''), name]);

/**
 * The address of a stored file, made absolute, or null when it is anything else: keys are never put to use on bytes from
 * elsewhere.
 * @param origin of this site
 */
export function ownFileUrl(url: string, origin: string): string | null {
  if (!URL.canParse(url, origin)) return null;
  const parsed = new URL(url, origin);
  return parsed.origin === origin && parsed.pathname.startsWith(`${PATHS.objectPublic}/`) ? parsed.href : null;
}
