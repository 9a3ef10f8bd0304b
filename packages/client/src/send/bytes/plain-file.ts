import { type ByteReader, createByteReader } from '@satchel/container/read';
import { AppError } from '@satchel/contract/errors';
import { KIB } from '@satchel/contract/limits';
import type { Bytes } from '../ports.ts';
import {
  explainReadFailure,
  type Geometry,
  type RangeSink,
  requireUnchanged,
  type VirtualFile,
} from './virtual-file.ts';

/** What one digest covers; subtle is fastest on calls of this size. */
const PIECE_BYTES = 512 * KIB;
/** How many digests run at once: 3 MiB are held then, twice. */
const PIECES_AT_ONCE = 6;

/** The pieces of a plain file. */
export function plainGeometry(sizeBytes: number): Geometry {
  const chunksBefore = (offset: number) => Math.ceil(Math.min(offset, sizeBytes) / PIECE_BYTES);
  return {
    sizeBytes,
    totalChunks: chunksBefore(sizeBytes),
    chunkStart: (index) => index * PIECE_BYTES,
    chunksBefore,
  };
}

/**
 * A file as it is, for plain folders. Its digests take the part of tags in the log, since an upload is resumed only if the
 * content is the same.
 */
export function createPlainFile(file: Blob): VirtualFile {
  const geometry = plainGeometry(file.size);
  let reader: ByteReader | null = null;
  /** The piece that the reader gives next. */
  let next = 0;

  async function close(): Promise<void> {
    const open = reader;
    reader = null;
    await open?.close().catch(() => undefined);
  }

  async function read(firstPiece: number, endPiece: number): Promise<Bytes> {
    const from = firstPiece * PIECE_BYTES;
    const length = Math.min(endPiece * PIECE_BYTES, file.size) - from;
    if (reader === null || firstPiece !== next) {
      await close();
      const part = file.slice(from);
      reader = createByteReader(part.stream(), part);
    }
    const bytes = await reader.read(length);
    if (bytes.length !== length) throw new AppError('upload.stream_size');
    next = endPiece;
    return bytes;
  }

  async function makePieces(first: number, end: number, start: number, stop: number, sink: RangeSink): Promise<void> {
    const bytes = await read(first, end);
    const pieces = Array.from({ length: end - first }, (_, at) =>
      bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
    );
    const digests = await Promise.all(pieces.map((piece) => crypto.subtle.digest('SHA-256', piece)));
    for (const [at, digest] of digests.entries()) sink.onChunk(first + at, new Uint8Array(digest));
    const from = first * PIECE_BYTES;
    sink.write(bytes.subarray(Math.max(0, start - from), Math.min(bytes.length, stop - from)));
  }

  async function range(start: number, end: number, sink: RangeSink): Promise<void> {
    const stop = geometry.chunksBefore(end);
    try {
      for (let first = Math.floor(start / PIECE_BYTES); first < stop; first += PIECES_AT_ONCE) {
        await makePieces(first, Math.min(stop, first + PIECES_AT_ONCE), start, end, sink);
      }
    } catch (error) {
      await close();
      throw explainReadFailure(error);
    }
    await requireUnchanged(file);
  }

  return { ...geometry, range, close };
}
