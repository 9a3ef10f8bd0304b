import { chunkStart, containerSize, type DecodedHeader, plainLength } from '@satchel/container/format';
import { type SealedChunk, type Sealer, sealStream } from '@satchel/container/seal';
import { AppError } from '@satchel/contract/errors';
import { CHUNK_OVERHEAD_BYTES } from '@satchel/contract/limits';
import type { Bytes } from '../ports.ts';

/** Receives the chunks and bytes that a virtual file makes. */
export interface RangeSink {
  /** Each chunk made on the way, once, before any of its bytes is written. May throw to stop. */
  onChunk(index: number, tag: Bytes): void;
  /** The next bytes, in order; good until the call returns. */
  write(bytes: Bytes): void;
}

/** How the stored bytes of a file divide into chunks; the pieces of a plain file are chunks here, too. */
export interface Geometry {
  readonly sizeBytes: number;
  readonly totalChunks: number;
  /** Position of a chunk's first byte. */
  chunkStart(index: number): number;
  /** How many chunks have a byte before `offset`. */
  chunksBefore(offset: number): number;
}

/**
 * The bytes to upload. Any range can be made at any time from the chosen file: no range is kept, and a retry or resume makes
 * only the range that it sends.
 */
export interface VirtualFile extends Geometry {
  /** Makes the bytes from `start` up to `end`. One call at a time. */
  range(start: number, end: number, sink: RangeSink): Promise<void>;
  close(): Promise<void>;
}

interface Cursor {
  /** The chunk; `onMade` hears of it first when it had to be made. */
  chunk(index: number, onMade: (chunk: SealedChunk) => void): Promise<SealedChunk>;
  close(): Promise<void>;
}

/** Chrome and Firefox refuse to read a file that was written to, moved or removed after it was chosen. */
export function explainReadFailure(error: unknown): unknown {
  const cause = error instanceof AppError ? error.cause : error;
  const name = cause instanceof DOMException ? cause.name : '';
  if (name !== 'NotReadableError' && name !== 'NotFoundError') return error;
  return new AppError('upload.changed_file', {}, { cause: error });
}

/**
 * A stream that is open reads on when its file is written to, and would give old bytes and new ones. Opening it again
 * fails then. An empty file is read itself: browsers answer for an empty slice without looking at the file, and a directory
 * that no browser interface names as one has no bytes, either.
 * @throws upload.changed_file
 */
export async function requireUnchanged(file: Blob): Promise<void> {
  const first = file.size === 0 ? file : file.slice(0, 1);
  await first.arrayBuffer().catch((error: unknown) => {
    throw explainReadFailure(error);
  });
}

/**
 * Walks a file's chunks forward. The stream below is opened again only when another chunk is wanted than the next one;
 * the last chunk is kept, since a slice usually ends inside of one. Units share a buffer: the next one is made only when no
 * chunk of the one before is wanted any more.
 */
function createCursor(sealer: Sealer, file: Blob): Cursor {
  let stream: AsyncGenerator<SealedChunk[]> | null = null;
  let unit: SealedChunk[] = [];
  let next = 0;
  let last: SealedChunk | null = null;

  async function close(): Promise<void> {
    const open = stream;
    stream = null;
    unit = [];
    await open?.return(undefined).catch(() => undefined);
  }

  async function advance(index: number): Promise<SealedChunk> {
    if (!stream || index !== next) {
      await close();
      stream = sealStream(sealer, file, { fromChunk: index, reuseBuffer: true });
      next = index;
    }
    if (unit.length === 0) unit = (await stream.next()).value ?? [];
    const chunk = unit.shift();
    if (!chunk) throw new AppError('upload.stream_size');
    next = index + 1;
    return chunk;
  }

  return {
    close,
    async chunk(index, onMade) {
      if (last?.index === index) return last;
      last = null;
      try {
        const chunk = await advance(index);
        onMade(chunk);
        last = chunk;
        return chunk;
      } catch (error) {
        await close();
        throw explainReadFailure(error);
      }
    },
  };
}

/** The chunks of a container. */
export function sealedGeometry(decoded: DecodedHeader): Geometry {
  const { prefix, header } = decoded;
  const step = header.chunkSize + CHUNK_OVERHEAD_BYTES;
  return {
    sizeBytes: containerSize(decoded) ?? 0,
    totalChunks: header.totalChunks,
    chunkStart: (index) => chunkStart(decoded, index),
    chunksBefore: (offset) => Math.min(header.totalChunks, Math.max(0, Math.ceil((offset - prefix.length) / step))),
  };
}

/**
 * The container of a file as a virtual file.
 * @param file the plaintext
 */
export function createSealedFile(sealer: Sealer, file: Blob): VirtualFile {
  const { decoded, sizeBytes } = sealer;
  const { prefix, header } = decoded;
  const step = header.chunkSize + CHUNK_OVERHEAD_BYTES;
  const cursor = createCursor(sealer, file);

  async function range(start: number, end: number, sink: RangeSink): Promise<void> {
    if (start < prefix.length) sink.write(prefix.subarray(start, Math.min(end, prefix.length)));
    const stop = Math.min(end, sizeBytes);
    let at = Math.max(start, prefix.length);
    while (at < stop) {
      const index = Math.floor((at - prefix.length) / step);
      const chunk = await cursor.chunk(index, ({ tag }) => sink.onChunk(index, tag));
      const chunkAt = chunkStart(decoded, index);
      const chunkEnd = chunkAt + plainLength(header, index) + CHUNK_OVERHEAD_BYTES;
      sink.write(chunk.bytes.subarray(at - chunkAt, Math.min(stop, chunkEnd) - chunkAt));
      at = Math.min(stop, chunkEnd);
    }
    await requireUnchanged(file);
  }

  return { ...sealedGeometry(decoded), range, close: cursor.close };
}
