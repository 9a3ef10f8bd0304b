import type { StillSize } from '@satchel/contract/wire/still-frames';
import { BlobMissingError, type BlobStore, type ByteRange, wholeBlob } from '../../platform/blobs/blobs.ts';
import type { files } from '../../platform/schema/files.ts';

/**
 * The still of a file: a small picture in two sizes, in one blob, small and then large (docs/container.md §6, docs/decisions/025).
 * It belongs to the version of the file that it was stored for, and goes with it.
 */

type FileRow = typeof files.$inferSelect;
/** The columns of a file that name its still. */
export type StillColumns = Pick<FileRow, 'still_key' | 'still_small_bytes' | 'still_large_bytes'>;
/** The columns of a file that name its blobs. */
export type FileBlobs = Pick<FileRow, 'blob_key' | 'still_key' | 'still_small_bytes' | 'still_large_bytes'>;

export const NO_STILL: StillColumns & Pick<FileRow, 'still_checksum'> = {
  still_key: null,
  still_small_bytes: null,
  still_large_bytes: null,
  still_checksum: null,
};

/** The stored bytes of a file's still, which count for its owner. */
export const stillBytesOf = ({ still_small_bytes: small, still_large_bytes: large }: StillColumns): number =>
  (small ?? 0) + (large ?? 0);

/** All blobs of a file. */
export const blobsOfFile = ({ blob_key, still_key }: Pick<FileBlobs, 'blob_key' | 'still_key'>): string[] =>
  still_key === null ? [blob_key] : [blob_key, still_key];

function rangeOf(file: StillColumns, size: StillSize): ByteRange {
  const smallBytes = file.still_small_bytes ?? 0;
  return size === 'small' ? { start: 0, end: smallBytes } : { start: smallBytes, end: stillBytesOf(file) };
}

/**
 * Reads one size of a file's still.
 * @returns null without a still, and when its blob is missing or cut: a reader does without
 */
export async function readStill(blobs: BlobStore, file: StillColumns, size: StillSize): Promise<Uint8Array | null> {
  if (file.still_key === null) return null;
  try {
    const range = rangeOf(file, size);
    const blob = await blobs.open(wholeBlob(file.still_key), range.end);
    return await blob.read(range).finally(() => blob.close());
  } catch (error) {
    if (error instanceof BlobMissingError) return null;
    throw error;
  }
}
