import { chunkStart, containerSize, type DecodedHeader, decodeHeader, plainLength } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import { type ByteReader, createByteReader } from '@satchel/container/read';
import { createSealer, type SealedChunk, type Sealer, sealStream } from '@satchel/container/seal';
import { AppError } from '@satchel/contract/errors';
import { CHUNK_OVERHEAD_BYTES, KIB } from '@satchel/contract/limits';
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

/** What the stored bytes of a file are made of. */
export interface Ingredients {
  readonly file: Blob;
  /** The folder's keys and the container's header; both null in a plain folder. */
  readonly keys: FolderKeys | null;
  readonly prefix: Bytes | null;
}

export interface ChunkTag {
  readonly index: number;
  readonly tag: Bytes;
}

/** The bytes of a window, at the beginning of the buffer that was given, and the tags of the chunks that were made for it. */
export interface Made {
  readonly buffer: ArrayBuffer;
  readonly tags: readonly ChunkTag[];
}

/** Makes the bytes of one upload, in whichever thread. */
export interface WindowMaker {
  /**
   * Makes the bytes from `start` up to `end` into `buffer`, which is the maker's until this settles. Answers come in the order
   * of the calls.
   * @throws AppError upload.changed_file, upload.stream_size, upload.no_header
   */
  make(start: number, end: number, buffer: ArrayBuffer): Promise<Made>;
  /** Rejects what has not been made yet. */
  close(): void;
}

async function openFile({ file, keys, prefix }: Ingredients, release: (piece: Bytes) => void): Promise<VirtualFile> {
  if (prefix === null) return createPlainFile(file);
  const decoded = decodeHeader(prefix);
  if (!decoded || !keys) throw new AppError('upload.no_header');
  return createSealedFile(await createSealer(keys, decoded, release), file);
}

/**
 * Makes windows in this thread.
 * @param release frees a piece of ciphertext that was copied, before the collector finds it
 */
export function createWindowMaker(ingredients: Ingredients, release: (piece: Bytes) => void = () => {}): WindowMaker {
  const opened = openFile(ingredients, release);
  opened.catch(() => undefined);
  let isClosed = false;
  /** A virtual file has one cursor: ranges are made one after the other. */
  let last: Promise<unknown> = Promise.resolve();

  async function make(start: number, end: number, buffer: ArrayBuffer): Promise<Made> {
    if (isClosed) throw new AppError('unexpected');
    const tags: ChunkTag[] = [];
    const bytes = new Uint8Array(buffer, 0, end - start);
    let at = 0;
    const virtual = await opened;
    await virtual.range(start, end, {
      onChunk: (index, tag) => tags.push({ index, tag }),
      write(part) {
        bytes.set(part, at);
        at += part.length;
      },
    });
    if (at !== bytes.length) throw new AppError('upload.stream_size');
    return { buffer, tags };
  }

  return {
    make(start, end, buffer) {
      const mine = last.then(() => make(start, end, buffer));
      last = mine.catch(() => undefined);
      return mine;
    },
    close() {
      isClosed = true;
      void last.then(async () => (await opened).close()).catch(() => undefined);
    },
  };
}
