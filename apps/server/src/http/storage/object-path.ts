import { AppError } from '@satchel/contract/errors';
import { BUCKET } from '@satchel/contract/limits';
import { isSafeSegment, splitObjectPath } from '@satchel/contract/naming';
import type { ObjectName } from '../../domain/files/files.ts';

/** @throws storage.bucket_not_found */
export function requireBucket(bucket: string): void {
  if (bucket !== BUCKET) throw new AppError('storage.bucket_not_found');
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new AppError('storage.bad_path', {}, { cause: error });
  }
}

/**
 * The object that a URL names. Splits the raw URL before decoding it once: a router's decoding would turn '%2F' into a
 * separator.
 * @param url path and query of the request
 * @param prefix the path before the bucket, without a trailing slash
 * @throws storage.bad_path, storage.bucket_not_found
 */
export function objectOfUrl(url: string, prefix: string): ObjectName {
  const [path = ''] = url.split('?', 1);
  if (!path.startsWith(`${prefix}/`)) throw new AppError('storage.bad_path');
  const [bucket = '', ...segments] = path
    .slice(prefix.length + 1)
    .split('/')
    .map(decodeSegment);
  requireBucket(bucket);
  if (segments.length !== 2 || !segments.every(isSafeSegment)) throw new AppError('storage.bad_path');
  return splitObjectPath(segments.join('/'));
}

/** The path of an object in its bucket, as signed and listed. */
export const pathOfObject = ({ storagePath, segment }: ObjectName): string => `${BUCKET}/${storagePath}/${segment}`;
