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
import { cleanProfile, isSame, PROFILE_MAX_BYTES } from './icc.ts';
import type { Pieces } from './pieces.ts';

/** PNG (third edition): chunks of length, type, data and CRC. What follows IEND goes. */

const SIGNATURE_BYTES = 8;
/** Length, type and CRC. */
const FRAME_BYTES = 12;
const CHUNKS_MAX = 500_000;
const EXIF_MAX_BYTES = 64 * 1024;

/** Chunks that the pixels, their colours or their place depend on; an upper-case letter begins the ones that every reader must know. */
const KEPT = /^([A-Z][A-Za-z]{3}|tRNS|cHRM|gAMA|sBIT|sRGB|cICP|mDCV|mDCv|cLLI|cLLi|bKGD|hIST|pHYs|acTL|fcTL|fdAT)$/;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** A whole chunk. */
function chunkOf(type: string, data: Uint8Array): Bytes {
  const checked = joined(bytesOf(type), data);
  return joined(uint32(data.length), checked, uint32(crcOf(checked)));
}

async function exifChunk(reader: ByteReader, start: number, length: number): Promise<Bytes | null> {
  if (length > EXIF_MAX_BYTES) return null;
  const kept = readExif(await reader.read(start, length));
  return kept && chunkOf('eXIf', writeExif(kept));
}

/** Keyword, and the method of compression. */
const PROFILE_NAME = bytesOf('Profile\0\0');
const STORED_MAX_BYTES = 65_535;

/** Unpacks zlib data; null where it is none, or more than a profile takes. */
async function inflate(data: Bytes): Promise<Bytes | null> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate'));
    const unpacked = stream.getReader();
    for (let next = await unpacked.read(); !next.done; next = await unpacked.read()) {
      parts.push(next.value);
      sizeBytes += next.value.length;
      if (sizeBytes > PROFILE_MAX_BYTES) {
        await unpacked.cancel();
        return null;
      }
    }
  } catch {
    return null;
  }
  return joined(...parts);
}

/** zlib data that is not compressed: the same bytes in every browser, which resuming an upload needs (docs/container.md §5). */
function stored(data: Uint8Array): Bytes {
  const blocks: Bytes[] = [];
  let [a, b] = [1, 0];
  for (const byte of data) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  for (let at = 0; at < data.length; at += STORED_MAX_BYTES) {
    const block = data.subarray(at, at + STORED_MAX_BYTES);
    const [low, high] = [block.length & 0xff, block.length >> 8];
    const isLast = at + block.length === data.length;
    blocks.push(joined(Uint8Array.of(isLast ? 1 : 0, low, high, low ^ 0xff, high ^ 0xff), block));
  }
  return joined(Uint8Array.of(0x78, 0x01), ...blocks, uint32(b * 65_536 + a));
}

/** The colour profile without its name and all that tells of a device; null for one that can't be read. */
async function profileChunk(reader: ByteReader, start: number, length: number): Promise<Bytes | null> {
  if (length > READ_MAX_BYTES) return null;
  const data = (await reader.read(start, length)).slice();
  const packedAt = data.indexOf(0) + 2;
  const profile = packedAt > 2 ? await inflate(data.slice(packedAt)) : null;
  const clean = profile && cleanProfile(profile);
  return clean && chunkOf('iCCP', joined(PROFILE_NAME, stored(clean)));
}

export async function stripPng(reader: ByteReader, pieces: Pieces): Promise<void> {
  pieces.keep(0, SIGNATURE_BYTES);
  let at = SIGNATURE_BYTES;
  for (let count = 0; at < reader.sizeBytes; count += 1) {
    if (count === CHUNKS_MAX) throw new Unreadable('too many chunks');
    const head = await reader.read(at, 8);
    const length = viewOf(head).getUint32(0);
    const type = textOf(head.subarray(4));
    const end = at + FRAME_BYTES + length;
    if (!/^[A-Za-z]{4}$/.test(type) || end > reader.sizeBytes) throw new Unreadable('no chunk');
    if (KEPT.test(type)) pieces.keep(at, end);
    if (type === 'eXIf') {
      const exif = await exifChunk(reader, at + 8, length);
      if (exif) pieces.add(exif);
    }
    if (type === 'iCCP') {
      const profile = await profileChunk(reader, at + 8, length);
      const isClean = profile?.length === end - at && isSame(profile, await reader.read(at, end - at));
      if (isClean) pieces.keep(at, end);
      else if (profile) pieces.add(profile);
    }
    if (type === 'IEND') return;
    at = end;
  }
}
