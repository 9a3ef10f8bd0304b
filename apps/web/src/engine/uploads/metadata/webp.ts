import { type ByteReader, type Bytes, bytesOf, joined, textOf, Unreadable, uint32, viewOf } from './byte-reader.ts';
import { readExif, writeExif } from './exif.ts';
import type { Pieces } from './pieces.ts';

/** WebP (RFC 9649): a RIFF file, whose header has its size. What follows that size goes. */

const HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const CHUNKS_MAX = 100_000;
const EXIF_MAX_BYTES = 1024 * 1024;
const EXIF_PREFIX = 'Exif\0\0';
const KEPT = /^(VP8 |VP8L|VP8X|ALPH|ANIM|ANMF|ICCP)$/;
/** Bits of VP8X. */
const [EXIF_FLAG, XMP_FLAG] = [0b1000, 0b0100] as const;

interface Chunk {
  readonly type: string;
  readonly start: number;
  /** Of its data. */
  readonly length: number;
  /** With the byte that makes it even. */
  readonly end: number;
}

async function chunksOf(reader: ByteReader): Promise<Chunk[]> {
  const end = 8 + viewOf(await reader.read(4, 4)).getUint32(0, true);
  if (end > reader.sizeBytes + 1) throw new Unreadable('the file is cut off');
  const chunks: Chunk[] = [];
  for (let at = HEAD_BYTES; at + CHUNK_HEAD_BYTES <= Math.min(end, reader.sizeBytes); ) {
    if (chunks.length === CHUNKS_MAX) throw new Unreadable('too many chunks');
    const head = await reader.read(at, CHUNK_HEAD_BYTES);
    const length = viewOf(head).getUint32(4, true);
    const dataEnd = at + CHUNK_HEAD_BYTES + length;
    if (dataEnd > reader.sizeBytes) throw new Unreadable('a chunk beyond the end');
    // Some writers leave out the last byte that makes a chunk even.
    const next = Math.min(dataEnd + (length % 2), reader.sizeBytes);
    chunks.push({ type: textOf(head.subarray(0, 4)), start: at, length, end: next });
    at = next;
  }
  return chunks;
}

/** A whole chunk with what is kept of Exif data; null for nothing. */
async function exifChunk(reader: ByteReader, { start, length }: Chunk): Promise<Bytes | null> {
  if (length > EXIF_MAX_BYTES) return null;
  const data = await reader.read(start + CHUNK_HEAD_BYTES, length);
  const isPrefixed = textOf(data.subarray(0, EXIF_PREFIX.length)) === EXIF_PREFIX;
  const kept = readExif(isPrefixed ? data.subarray(EXIF_PREFIX.length) : data);
  if (!kept) return null;
  const made = isPrefixed ? joined(bytesOf(EXIF_PREFIX), writeExif(kept)) : writeExif(kept);
  return joined(bytesOf('EXIF'), uint32(made.length, true), made, new Uint8Array(made.length % 2));
}

export async function stripWebp(reader: ByteReader, pieces: Pieces): Promise<void> {
  const chunks = await chunksOf(reader);
  const exifAt = chunks.find(({ type }) => type === 'EXIF');
  const exif = exifAt ? await exifChunk(reader, exifAt) : null;
  const kept = chunks.filter((chunk) => KEPT.test(chunk.type) || (exif && chunk === exifAt));
  const hasMetadata = chunks.some(({ type }) => type === 'EXIF' || type === 'XMP ');
  const lastByte = chunks.at(-1)?.end ?? HEAD_BYTES;
  if (!hasMetadata && kept.length === chunks.length && lastByte === reader.sizeBytes) {
    return pieces.keep(0, reader.sizeBytes);
  }
  const sizes = kept.map((chunk) => (chunk === exifAt ? (exif?.length ?? 0) : chunk.end - chunk.start));
  pieces.keep(0, 4);
  pieces.add(uint32(HEAD_BYTES - 8 + sizes.reduce((sum, size) => sum + size, 0), true));
  pieces.keep(8, HEAD_BYTES);
  for (const chunk of kept) {
    const { type, start, end, length } = chunk;
    if (chunk === exifAt && exif) pieces.add(exif);
    else if (type === 'VP8X' && length > 0) {
      const flagsAt = start + CHUNK_HEAD_BYTES;
      const [flags = 0] = await reader.read(flagsAt, 1);
      pieces.keep(start, flagsAt);
      pieces.add(Uint8Array.of((flags & ~(EXIF_FLAG | XMP_FLAG)) | (exif ? EXIF_FLAG : 0)));
      pieces.keep(flagsAt + 1, end);
    } else pieces.keep(start, end);
  }
}
