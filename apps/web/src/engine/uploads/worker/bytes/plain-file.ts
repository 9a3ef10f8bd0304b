import { AppError } from '@satchel/contract/errors';
import { KIB } from '@satchel/contract/limits';
import { releaseChunk } from '../../../../lib/browser/release-chunk.ts';
import { explainReadFailure, type RangeSink, type VirtualFile } from './virtual-file.ts';

/** What one digest covers; subtle is fastest on calls of this size (CONTAINER §4). */
const PIECE_BYTES = 512 * KIB;
/** How many digests run at once: 3 MiB are held then. */
const PIECES_AT_ONCE = 6;

/**
 * A file as it is, for plain folders. By tus its bytes are sent as slices of the file itself; what is made are digests,
 * which take the part of tags in the log, since an upload is resumed only if the content is the same (DESIGN R13).
 */
export function createPlainFile(file: Blob): VirtualFile {
  const sizeBytes = file.size;
  const chunksBefore = (offset: number) => Math.ceil(Math.min(offset, sizeBytes) / PIECE_BYTES);

  async function digests(
    firstPiece: number,
    endPiece: number,
  ): Promise<{ made: ArrayBuffer[]; bytes: Uint8Array<ArrayBuffer> }> {
    const from = firstPiece * PIECE_BYTES;
    const to = Math.min(endPiece * PIECE_BYTES, sizeBytes);
    const bytes = await file.slice(from, to).arrayBuffer();
    if (bytes.byteLength !== to - from) throw new AppError('upload.stream_size');
    const pieces = Array.from({ length: endPiece - firstPiece }, (_, at) => {
      const start = at * PIECE_BYTES;
      return new Uint8Array(bytes, start, Math.min(PIECE_BYTES, bytes.byteLength - start));
    });
    const made = await Promise.all(pieces.map((piece) => crypto.subtle.digest('SHA-256', piece)));
    return { made, bytes: new Uint8Array(bytes) };
  }

  async function range(start: number, end: number, sink: RangeSink): Promise<void> {
    const stop = chunksBefore(end);
    for (let first = Math.floor(start / PIECE_BYTES); first < stop; first += PIECES_AT_ONCE) {
      const { made, bytes } = await digests(first, Math.min(stop, first + PIECES_AT_ONCE)).catch((error: unknown) => {
        throw explainReadFailure(error);
      });
      for (const [at, digest] of made.entries()) sink.onChunk(first + at, new Uint8Array(digest));
      const from = first * PIECE_BYTES;
      sink.write(bytes.subarray(Math.max(0, start - from), Math.min(bytes.length, end - from)));
      releaseChunk(bytes);
    }
  }

  return {
    sizeBytes,
    totalChunks: chunksBefore(sizeBytes),
    chunkStart: (index) => index * PIECE_BYTES,
    chunksBefore,
    range,
    stored: (start, end) => file.slice(start, end),
    close: async () => undefined,
  };
}
