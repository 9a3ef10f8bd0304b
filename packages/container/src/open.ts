import { AppError } from '@satchel/contract/errors';
import { CHUNK_HEADER_BYTES, CHUNK_OVERHEAD_BYTES, HEADER_MAX_BYTES } from '@satchel/contract/limits';
import { type ChunkSpan, checkChunk, cipherChunk, tagKey, unitChunks } from './chunk.ts';
import { type Bytes, type DecodedHeader, decodeHeader, type Header, plainLength } from './format.ts';
import type { FolderKeys } from './key.ts';
import { type ByteReader, createByteReader } from './read.ts';

/** Opening: from a container's bytes to verified plaintext (docs/container.md §1, §4). */

/** Opens the chunks of one file, in any order. */
export interface Opener {
  decoded: DecodedHeader;
  /**
   * Verifies a chunk, and only then hands out its plaintext.
   * @param index 0-based
   * @param bytes exactly header20 | ciphertext | tag32
   * @throws open.no_chunk_header, open.index_mismatch, open.corrupted, open.no_chunk, open.no_hmac, open.size_mismatch,
   * open.bad_hmac, open.chunk_failed, open.empty
   */
  openChunk(index: number, bytes: Bytes): Promise<Bytes>;
}

/** Takes bytes that were copied: a caller may free their buffer before the collector finds it. */
type Release = (piece: Bytes) => void;

/**
 * Prepares the opening of one file.
 * @param decoded of `decodeHeader`; it becomes authentic with the first chunk that opens
 * @param release called with each piece of a chunk above 512 KiB, which is opened in several calls, once it is copied
 * @throws open.failed when the keys can't be used for it
 */
export async function createOpener(
  keys: FolderKeys,
  decoded: DecodedHeader,
  release: Release = () => {},
): Promise<Opener> {
  const { header } = decoded;
  const tagger = await tagKey(keys, decoded).catch((error: unknown) => {
    throw new AppError('open.failed', {}, { cause: error });
  });

  async function openChunk(index: number, bytes: Bytes): Promise<Bytes> {
    const tagAt = CHUNK_HEADER_BYTES + checkChunk(header, index, bytes);
    // Both are queued at once for speed; what AES gives is dropped unread when the tag is wrong.
    const [verified, opened] = await Promise.allSettled([
      crypto.subtle.verify('HMAC', tagger, bytes.subarray(tagAt), bytes.subarray(0, tagAt)),
      cipherChunk('decrypt', keys.aes, header, index, bytes.subarray(CHUNK_HEADER_BYTES, tagAt)),
    ]);
    if (verified.status === 'rejected') throw new AppError('open.failed', {}, { cause: verified.reason });
    if (!verified.value) throw new AppError('open.bad_hmac', { chunk: index });
    if (opened.status === 'rejected') {
      throw new AppError('open.chunk_failed', { chunk: index }, { cause: opened.reason });
    }
    if (tagAt === CHUNK_HEADER_BYTES) throw new AppError('open.empty');
    return joined(opened.value, tagAt - CHUNK_HEADER_BYTES, release);
  }

  return { decoded, openChunk };
}

function joined(pieces: { offset: number; output: Bytes }[], length: number, release: Release): Bytes {
  const [first] = pieces;
  if (first && pieces.length === 1) return first.output;
  const plain = new Uint8Array(length);
  for (const { offset, output } of pieces) {
    plain.set(output, offset);
    release(output);
  }
  return plain;
}

/**
 * Opens chunks in order, in units of about 768 KiB; the next unit is read at the same time. What is yielded is verified. At an
 * error the verified chunks before it have been yielded, and the last chunk of a file never without the whole container
 * having been in order. An error of the stream itself comes through as it is.
 * @param stream positioned at the first byte of `fromChunk`
 * @throws what Opener.openChunk throws, open.incomplete when the stream ends between two chunks, open.size_mismatch
 * when it continues after the last one
 */
export async function* openStream(
  opener: Opener,
  stream: ReadableStream<Uint8Array>,
  span: ChunkSpan = {},
): AsyncGenerator<Bytes[]> {
  yield* openReader(opener, createByteReader(stream), span);
}

/**
 * Opens a whole container. Resolves once the first unit has been verified, so that the header it returns is authentic
 * and may name the file. A container without chunks has nothing to verify: only `check` can vouch for it.
 * @param options.check refuses a header by throwing, before any chunk is opened: see proof.ts
 * @param options.release see {@link createOpener}
 * @throws open.corrupted when the header is malformed; open.empty when nothing vouches for a container without chunks; what
 * `check`, decodeHeader and openStream throw
 */
export async function openContainer(
  keys: FolderKeys,
  stream: ReadableStream<Uint8Array>,
  options: { check?: (decoded: DecodedHeader) => Promise<unknown>; release?: Release } = {},
): Promise<{ decoded: DecodedHeader; plaintext: AsyncGenerator<Bytes[]> }> {
  const reader = createByteReader(stream);
  try {
    const decoded = await readHeader(reader);
    if (!options.check && decoded.header.totalChunks === 0) throw new AppError('open.empty');
    await options.check?.(decoded);
    const plaintext = afterFirst(openReader(await createOpener(keys, decoded, options.release), reader, {}));
    await plaintext.next();
    return { decoded, plaintext };
  } catch (error) {
    await reader.close().catch(() => {}); // the error that is being thrown says more
    throw error;
  }
}

/**
 * The chunks that cover a range of plaintext bytes.
 * @param startByte first byte wanted
 * @param endByteExclusive one past the last byte wanted; cut to the file's end
 * @returns `toChunk` is exclusive; `skipBytes` of the first chunk's plaintext precede `startByte`
 */
export function chunkRange(
  header: Header,
  startByte: number,
  endByteExclusive: number,
): { fromChunk: number; toChunk: number; skipBytes: number } {
  const { chunkSize, totalChunks, originalSize } = header;
  const end = Math.min(endByteExclusive, originalSize ?? totalChunks * chunkSize);
  const fromChunk = Math.min(Math.floor(startByte / chunkSize), totalChunks);
  const toChunk = startByte < end ? Math.ceil(end / chunkSize) : fromChunk;
  return { fromChunk, toChunk, skipBytes: startByte - fromChunk * chunkSize };
}

async function readHeader(reader: ByteReader): Promise<DecodedHeader> {
  const head = await reader.read(4 + HEADER_MAX_BYTES);
  const decoded = decodeHeader(head);
  if (!decoded) throw new AppError('open.corrupted');
  reader.unread(head.subarray(decoded.prefix.length));
  return decoded;
}

/** Yields an empty list once the first unit is there, and then everything; closes `source` even if the caller stops. */
async function* afterFirst(source: AsyncGenerator<Bytes[]>): AsyncGenerator<Bytes[]> {
  try {
    const first = await source.next();
    yield [];
    if (first.done) return;
    yield first.value;
    yield* source;
  } finally {
    await source.return(undefined);
  }
}

async function* openReader(opener: Opener, reader: ByteReader, span: ChunkSpan): AsyncGenerator<Bytes[]> {
  const { header } = opener.decoded;
  const { fromChunk = 0, toChunk = header.totalChunks } = span;
  const step = unitChunks(header.chunkSize);
  const readUnit = (index: number) => {
    const read = reader.read(unitBytes(header, index, Math.min(index + step, toChunk)));
    read.catch(() => {}); // it is awaited later; until then its failure must not count as unhandled
    return read;
  };
  try {
    if (header.totalChunks === 0 && (await reader.read(1)).length > 0) throw new AppError('open.size_mismatch');
    if (fromChunk >= toChunk) return;
    let next = readUnit(fromChunk);
    for (let index = fromChunk; index < toChunk; index += step) {
      const bytes = await next;
      const unitEnd = Math.min(index + step, toChunk);
      if (unitEnd < toChunk) next = readUnit(unitEnd);
      const { plain, error } = await openUnit(opener, bytes, index, unitEnd);
      if (plain.length > 0) yield plain;
      if (error) throw error.reason;
    }
  } finally {
    await reader.close().catch(() => {}); // the stream has failed already, and that error is on its way
  }
}

/** Bytes to ask for: the unit's chunks, and one more after the file's last chunk, where the stream must end. */
function unitBytes(header: Header, fromChunk: number, toChunk: number): number {
  const { chunkSize } = header;
  const plain = (toChunk - fromChunk - 1) * chunkSize + plainLength(header, toChunk - 1);
  return plain + (toChunk - fromChunk) * CHUNK_OVERHEAD_BYTES + (toChunk === header.totalChunks ? 1 : 0);
}

/** The verified chunks of a unit up to the first that failed, and why it did. */
async function openUnit(
  opener: Opener,
  bytes: Bytes,
  fromChunk: number,
  toChunk: number,
): Promise<{ plain: Bytes[]; error?: { reason: unknown } }> {
  const { header } = opener.decoded;
  const stride = header.chunkSize + CHUNK_OVERHEAD_BYTES;
  const opens = Array.from({ length: toChunk - fromChunk }, async (_, at) => {
    const index = fromChunk + at;
    const rest = bytes.subarray(at * stride);
    if (rest.length === 0) throw new AppError('open.incomplete', { processed: index, total: header.totalChunks });
    if (index < header.totalChunks - 1) return opener.openChunk(index, rest.subarray(0, stride));
    return opener.openChunk(index, rest); // bytes after the last chunk make it too long
  });
  const plain: Bytes[] = [];
  for (const result of await Promise.allSettled(opens)) {
    if (result.status === 'rejected') return { plain, error: { reason: result.reason } };
    plain.push(result.value);
  }
  return { plain };
}
