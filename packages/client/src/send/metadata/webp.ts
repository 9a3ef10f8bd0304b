import {
  type ByteReader,
  type Bytes,
  bytesOf,
  joined,
  READ_MAX_BYTES,
  textOf,
  Unreadable,
  uint32,
  viewOf,
} from './byte-reader.ts';
import { readExif, writeExif } from './exif.ts';
import { cleanProfile, isSame } from './icc.ts';
import type { Pieces } from './pieces.ts';

/** WebP (RFC 9649): a RIFF file, whose header has its size. What follows that size goes. */

const HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const CHUNKS_MAX = 100_000;
const EXIF_MAX_BYTES = 1024 * 1024;
const EXIF_PREFIX = 'Exif\0\0';
const KEPT = /^(VP8 |VP8L|VP8X|ALPH|ANIM|ANMF)$/;
/** Bits of VP8X. */
const [PROFILE_FLAG, EXIF_FLAG, XMP_FLAG] = [0b10_0000, 0b1000, 0b0100] as const;

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

const chunkOf = (type: string, data: Uint8Array): Bytes =>
  joined(bytesOf(type), uint32(data.length, true), data, new Uint8Array(data.length % 2));

/** A whole chunk with what is kept of Exif data; null for nothing. */
async function exifChunk(reader: ByteReader, { start, length }: Chunk): Promise<Bytes | null> {
  if (length > EXIF_MAX_BYTES) return null;
  const data = await reader.read(start + CHUNK_HEAD_BYTES, length);
  const isPrefixed = textOf(data.subarray(0, EXIF_PREFIX.length)) === EXIF_PREFIX;
  const kept = readExif(isPrefixed ? data.subarray(EXIF_PREFIX.length) : data);
  if (!kept) return null;
  return chunkOf('EXIF', isPrefixed ? joined(bytesOf(EXIF_PREFIX), writeExif(kept)) : writeExif(kept));
}

/** The colour profile: `keep` where it tells of no device; null for one that can't be read. */
async function profileChunk(reader: ByteReader, { start, length }: Chunk): Promise<Bytes | 'keep' | null> {
  if (length > READ_MAX_BYTES) return null;
  const data = await reader.read(start + CHUNK_HEAD_BYTES, length);
  const clean = cleanProfile(data);
  if (clean && isSame(clean, data)) return 'keep';
  return clean && chunkOf('ICCP', clean);
}

export async function stripWebp(reader: ByteReader, pieces: Pieces): Promise<void> {
  const chunks = await chunksOf(reader);
  const first = (type: string) => chunks.find((chunk) => chunk.type === type);
  const [exifAt, profileAt] = [first('EXIF'), first('ICCP')];
  /** What takes the place of a chunk. */
  const made = new Map<Chunk, Bytes>();
  const exif = exifAt ? await exifChunk(reader, exifAt) : null;
  const profile = profileAt ? await profileChunk(reader, profileAt) : null;
  if (exifAt && exif) made.set(exifAt, exif);
  if (profileAt && profile && profile !== 'keep') made.set(profileAt, profile);
  const kept = chunks.filter(
    (chunk) => KEPT.test(chunk.type) || made.has(chunk) || (chunk === profileAt && profile === 'keep'),
  );
  const lastByte = chunks.at(-1)?.end ?? HEAD_BYTES;
  if (made.size === 0 && kept.length === chunks.length && lastByte === reader.sizeBytes) {
    return pieces.keep(0, reader.sizeBytes);
  }
  const sizes = kept.map((chunk) => made.get(chunk)?.length ?? chunk.end - chunk.start);
  pieces.keep(0, 4);
  pieces.add(uint32(HEAD_BYTES - 8 + sizes.reduce((sum, size) => sum + size, 0), true));
  pieces.keep(8, HEAD_BYTES);
  for (const chunk of kept) {
    const { type, start, end, length } = chunk;
    const bytes = made.get(chunk);
    if (bytes) pieces.add(bytes);
    else if (type === 'VP8X' && length > 0) {
      const flagsAt = start + CHUNK_HEAD_BYTES;
      const [flags = 0] = await reader.read(flagsAt, 1);
      const now = (exif ? EXIF_FLAG : 0) | (profile ? flags & PROFILE_FLAG : 0);
      pieces.keep(start, flagsAt);
      pieces.add(Uint8Array.of((flags & ~(EXIF_FLAG | XMP_FLAG | PROFILE_FLAG)) | now));
      pieces.keep(flagsAt + 1, end);
    } else pieces.keep(start, end);
  }
}
