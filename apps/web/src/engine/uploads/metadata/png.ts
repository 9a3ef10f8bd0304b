import { type ByteReader, type Bytes, bytesOf, joined, textOf, Unreadable, uint32, viewOf } from './byte-reader.ts';
import { readExif, writeExif } from './exif.ts';
import type { Pieces } from './pieces.ts';

/** PNG (third edition): chunks of length, type, data and CRC. What follows IEND goes. */

const SIGNATURE_BYTES = 8;
/** Length, type and CRC. */
const FRAME_BYTES = 12;
const CHUNKS_MAX = 500_000;
const EXIF_MAX_BYTES = 64 * 1024;

/** Chunks that the pixels, their colours or their place depend on; an upper-case letter begins those that all must know. */
const KEPT =
  /^([A-Z][A-Za-z]{3}|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|cICP|mDCV|mDCv|cLLI|cLLi|bKGD|hIST|pHYs|sPLT|acTL|fcTL|fdAT)$/;

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
    if (type === 'IEND') return;
    at = end;
  }
}
