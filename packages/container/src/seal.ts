import { AppError } from '@satchel/contract/errors';
import { safeFileName } from '@satchel/contract/file-name';
import { CHUNK_HEADER_BYTES, CHUNK_OVERHEAD_BYTES, chunkSizeFor } from '@satchel/contract/limits';
import { type ChunkSpan, cipherChunk, tagKey, unitChunks, writeChunkHeader } from './chunk.ts';
import { type Bytes, containerSize, type DecodedHeader, encodeHeader, type Header, plainLength } from './format.ts';
import type { FolderKeys } from './key.ts';
import { type ByteReader, createByteReader } from './read.ts';

/** Sealing: from a file's plaintext to the chunks of its container (docs/container.md §1, §4). */

/** A chunk as it stands in the container. */
export interface SealedChunk {
  /** 0-based. */
  index: number;
  /** header20 | ciphertext | tag32. */
  bytes: Bytes;
  /** The last 32 bytes of `bytes`, as their own copy: what the write-ahead log of docs/container.md §5 keeps. */
  tag: Bytes;
}

/** Seals the chunks of one file, in any order. */
export interface Sealer {
  decoded: DecodedHeader;
  /** Bytes of the whole container. */
  sizeBytes: number;
  /**
   * Seals one chunk. The same index and plaintext always give the same bytes.
   * @param index 0-based
   * @param plain exactly the plaintext of that chunk
   * @param out where to write the chunk; a fresh array when absent, and the chunk's length + 52 bytes at least
   * @throws upload.stream_size when `plain` has not the length that the header gives this chunk
   */
  sealChunk(index: number, plain: Bytes, out?: Bytes): Promise<{ bytes: Bytes; tag: Bytes }>;
}

export interface SealOptions extends ChunkSpan {
  /**
   * Seals every unit into the same buffer, a third faster in Chromium: the `bytes` of a unit are then good only until
   * the next unit is asked for. Off by default.
   */
  reuseBuffer?: boolean;
}

/**
 * The header of a new container. Its baseCounter is random, and must never meet two contents: keep the header, not its
 * ingredients, to resume (docs/container.md §5).
 * @param file.hidesName leaves name and type out of the header: the label has them (docs/container.md §2, §6)
 * @throws seal.header_too_long
 */
export function createHeader(file: { sizeBytes: number; name: string; type: string; hidesName?: boolean }): Header {
  const { sizeBytes, name, type, hidesName = false } = file;
  const chunkSize = chunkSizeFor(sizeBytes);
  const header: Header = {
    baseCounter: crypto.getRandomValues(new Uint8Array(8)),
    chunkSize,
    totalChunks: Math.ceil(sizeBytes / chunkSize),
    originalSize: sizeBytes,
    originalName: hidesName ? 'file' : safeFileName(name.toWellFormed()),
    originalType: hidesName ? 'application/octet-stream' : type.toWellFormed(),
    mac: 'file',
  };
  encodeHeader(header); // throws when it doesn't fit
  return header;
}

/**
 * Prepares the sealing of one file.
 * @param decoded of `encodeHeader`, or of `decodeHeader` when resuming
 * @param release called with each piece of ciphertext once it is copied: a caller may free its buffer before the collector
 * finds it
 * @throws upload.no_header for a header of the old reading, which is never written
 */
export async function createSealer(
  keys: FolderKeys,
  decoded: DecodedHeader,
  release: (piece: Bytes) => void = () => {},
): Promise<Sealer> {
  const { header } = decoded;
  const sizeBytes = containerSize(decoded);
  if (sizeBytes === null || header.mac === null) throw new AppError('upload.no_header');
  const tagger = await tagKey(keys, decoded);

  async function sealChunk(index: number, plain: Bytes, out?: Bytes): Promise<{ bytes: Bytes; tag: Bytes }> {
    if (plain.length === 0 || plain.length !== plainLength(header, index)) throw new AppError('upload.stream_size');
    const tagAt = CHUNK_HEADER_BYTES + plain.length;
    const bytes = (out ?? new Uint8Array(plain.length + CHUNK_OVERHEAD_BYTES)).subarray(
      0,
      plain.length + CHUNK_OVERHEAD_BYTES,
    );
    const pieces = await cipherChunk('encrypt', keys.aes, header, index, plain);
    writeChunkHeader(bytes, header, index, plain.length);
    for (const { offset, output } of pieces) {
      bytes.set(output, CHUNK_HEADER_BYTES + offset);
      release(output);
    }
    const tag = new Uint8Array(await crypto.subtle.sign('HMAC', tagger, bytes.subarray(0, tagAt)));
    bytes.set(tag, tagAt);
    return { bytes, tag };
  }

  return { decoded, sizeBytes, sealChunk };
}

/**
 * Seals chunks of a file in order, in units of about 768 KiB whose chunks are sealed together; the next unit is read
 * at the same time. The chunks of a unit lie one after the other in one buffer, which is the caller's to keep unless
 * `reuseBuffer` is set.
 * @param blob the plaintext of the whole file
 * @throws upload.stream_size when the blob is not as long as the header says, or has changed and can't be read
 */
export async function* sealStream(
  sealer: Sealer,
  blob: Blob,
  options: SealOptions = {},
): AsyncGenerator<SealedChunk[]> {
  const { header } = sealer.decoded;
  const { fromChunk = 0, toChunk = header.totalChunks, reuseBuffer = false } = options;
  if (blob.size !== header.originalSize) throw new AppError('upload.stream_size');
  if (fromChunk >= toChunk) return;
  const part = blob.slice(fromChunk * header.chunkSize, toChunk * header.chunkSize);
  const reader = createByteReader(part.stream(), part);
  try {
    yield* sealUnits(sealer, reader, { fromChunk, toChunk, reuseBuffer });
  } finally {
    await reader.close().catch(() => {}); // the stream has failed already, and that error is on its way
  }
}

async function* sealUnits(sealer: Sealer, reader: ByteReader, options: Required<SealOptions>) {
  const { header } = sealer.decoded;
  const { fromChunk, toChunk, reuseBuffer } = options;
  const step = unitChunks(header.chunkSize);
  const end = Math.min(toChunk * header.chunkSize, header.originalSize ?? 0);
  const readUnit = (index: number) => {
    const start = index * header.chunkSize;
    const read = readPlain(reader, Math.min(step * header.chunkSize, end - start));
    read.catch(() => {}); // it is awaited later; until then its failure must not count as unhandled
    return read;
  };
  let next = readUnit(fromChunk);
  let out: Bytes | null = null;
  for (let index = fromChunk; index < toChunk; index += step) {
    const plain = await next;
    if (index + step < toChunk) next = readUnit(index + step);
    if (!out || !reuseBuffer) out = new Uint8Array(sealedLength(header, plain.length));
    yield await sealUnit(sealer, index, plain, out);
  }
}

/** A file that was cut, replaced or removed after it was chosen either reads short or fails to read at all. */
async function readPlain(reader: ByteReader, sizeBytes: number): Promise<Bytes> {
  const plain = await reader.read(sizeBytes).catch((error: unknown) => {
    throw new AppError('upload.stream_size', {}, { cause: error });
  });
  if (plain.length !== sizeBytes) throw new AppError('upload.stream_size');
  return plain;
}

/** Bytes that a unit's chunks take in the container; of all units the first is the longest. */
const sealedLength = (header: Header, plainBytes: number): number =>
  plainBytes + Math.ceil(plainBytes / header.chunkSize) * CHUNK_OVERHEAD_BYTES;

async function sealUnit(sealer: Sealer, firstChunk: number, plain: Bytes, out: Bytes): Promise<SealedChunk[]> {
  const { chunkSize } = sealer.decoded.header;
  const seals = Array.from({ length: Math.ceil(plain.length / chunkSize) }, async (_, at) => {
    const index = firstChunk + at;
    const chunk = plain.subarray(at * chunkSize, (at + 1) * chunkSize);
    const slot = out.subarray(at * (chunkSize + CHUNK_OVERHEAD_BYTES));
    return { index, ...(await sealer.sealChunk(index, chunk, slot)) };
  });
  return Promise.all(seals);
}
