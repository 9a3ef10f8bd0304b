import { NOTHING } from '../../platform/blobs/sums/blob-sum.ts';

/**
 * Checksums of stored bytes, made while the bytes come. A checksum is saved with what it is of, since a node of an earlier
 * version changes a row without changing its checksum (docs/decisions/032).
 */

/** Bytes of an upload by their number, or a blob by its key. */
type Subject = number | string;

/** A few characters tell a blob from the one that it replaced. */
const KEY_LENGTH = 8;

const nameOf = (subject: Subject): string =>
  typeof subject === 'string' ? subject.slice(0, KEY_LENGTH) : `${subject}`;

/** A checksum as it is saved; null for one that is not known. */
export const savedChecksum = (subject: Subject, sum: string | null): string | null =>
  sum === null ? null : `${nameOf(subject)}:${sum}`;

/** @returns null for bytes of before there were checksums, and for a checksum that is of something else */
export function readChecksum(subject: Subject, saved: string | null): string | null {
  const [of, sum] = saved?.split(':') ?? [];
  return of === nameOf(subject) && sum !== undefined ? sum : null;
}

/** The checksum of an upload's acknowledged bytes. */
export const checksumOfUpload = (upload: { readonly offset_bytes: number; readonly checksum: string | null }) =>
  upload.offset_bytes === 0 ? NOTHING.sum : readChecksum(upload.offset_bytes, upload.checksum);

export const checksumOfFile = (file: { readonly blob_key: string; readonly checksum: string | null }) =>
  readChecksum(file.blob_key, file.checksum);
