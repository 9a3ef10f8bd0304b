import { type ByteReader, type Bytes, bytesOf, joined, textOf, Unreadable, viewOf } from './byte-reader.ts';
import { readExif, writeExif } from './exif.ts';
import { cleanProfile, isSame, PROFILE_MAX_BYTES } from './icc.ts';
import type { Pieces } from './pieces.ts';

/**
 * JPEG (ITU-T T.81 Annex B): segments up to a scan, entropy-coded bytes, and again, until EOI. What follows EOI is a second
 * picture, the film of a motion photo or a maker's own data, and goes.
 */

const [SOI, EOI, SOS, COM] = [0xd8, 0xd9, 0xda, 0xfe] as const;
const [APP0, APP1, APP2, APP14, APP15] = [0xe0, 0xe1, 0xe2, 0xee, 0xef] as const;
const SEGMENTS_MAX = 20_000;

const EXIF = 'Exif\0\0';
const ICC = 'ICC_PROFILE\0';
const JFIF = 'JFIF\0';
/** Identifier, version and density, without the width and height of a thumbnail. */
const JFIF_BYTES = 12;
const ADOBE = 'Adobe';
const ADOBE_BYTES = 12;

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;
const isBare = (marker: number) => marker === 0x01 || isRestart(marker);
const isData = (marker: number) => (marker >= APP0 && marker <= APP15) || marker === COM;

/** Where the marker after entropy-coded bytes stands; the end of the file when it is cut off within them. */
async function endOfScan(reader: ByteReader, start: number): Promise<number> {
  let at = start;
  for (;;) {
    const bytes = await reader.window(at);
    if (bytes.length < 2) return reader.sizeBytes;
    let found = bytes.indexOf(0xff);
    for (; found !== -1 && found < bytes.length - 1; found = bytes.indexOf(0xff, found + 1)) {
      const next = bytes[found + 1] ?? 0;
      // "Any marker may optionally be preceded by any number of fill bytes" (B.1.1.2): the last 0xFF counts.
      if (next !== 0 && next !== 0xff && !isRestart(next)) return at + found;
    }
    // The last byte is looked at again with the one after it.
    at += found === -1 ? bytes.length : bytes.length - 1;
  }
}

function segment(marker: number, ...parts: readonly Uint8Array[]): Bytes {
  const body = joined(...parts);
  return joined(Uint8Array.of(0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 0xff), body);
}

const isIcc = (marker: number, body: Uint8Array) => marker === APP2 && textOf(body.subarray(0, ICC.length)) === ICC;
/** Identifier, number and count, before a part of the profile. */
const ICC_HEAD_BYTES = ICC.length + 2;
const ICC_PART_BYTES = 65_533 - ICC_HEAD_BYTES;

/** The parts of a profile, by their numbers; null where one is missing. */
function joinParts(parts: ReadonlyMap<number, Bytes>, count: number): Bytes | null {
  const all = Array.from({ length: count }, (_, index) => parts.get(index + 1));
  return all.every((part) => part !== undefined) ? joined(...all) : null;
}

/**
 * What becomes of the picture's colour profile, which lies in any number of segments before the first scan: `keep` where
 * nothing in it tells of a device, else the segments that take the place of the first.
 */
async function judgeProfile(reader: ByteReader): Promise<'keep' | Bytes> {
  const parts = new Map<number, Bytes>();
  let [count, sizeBytes] = [0, 0];
  for (let at = 2; at + 4 <= reader.sizeBytes; ) {
    const [fill, marker = 0] = await reader.read(at, 2);
    if (fill !== 0xff || marker === SOS || marker === EOI) break;
    if (marker === 0xff || isBare(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const end = at + 2 + viewOf(await reader.read(at + 2, 2)).getUint16(0);
    if (end < at + 4 || end > reader.sizeBytes) break;
    const body = marker === APP2 ? (await reader.read(at + 4, end - at - 4)).slice() : new Uint8Array(0);
    if (isIcc(marker, body) && body.length > ICC_HEAD_BYTES) {
      count = body[ICC.length + 1] ?? 0;
      sizeBytes += body.length;
      if (sizeBytes <= PROFILE_MAX_BYTES) parts.set(body[ICC.length] ?? 0, body.slice(ICC_HEAD_BYTES));
    }
    at = end;
  }
  const profile = joinParts(parts, count);
  const clean = profile && cleanProfile(profile);
  if (!profile || !clean) return new Uint8Array(0);
  if (isSame(profile, clean)) return 'keep';
  const total = Math.ceil(clean.length / ICC_PART_BYTES);
  const segments = Array.from({ length: total }, (_, index) =>
    segment(
      APP2,
      bytesOf(ICC),
      Uint8Array.of(index + 1, total),
      clean.subarray(index * ICC_PART_BYTES, (index + 1) * ICC_PART_BYTES),
    ),
  );
  return joined(...segments);
}

type Verdict = 'keep' | 'drop' | Bytes;

/** Whether to keep an application's segment. Only segments that decoders draw by are kept. */
function judge(marker: number, body: Uint8Array, hasExif: boolean): Verdict {
  const begins = (text: string) => textOf(body.subarray(0, text.length)) === text;
  if (marker === APP0 && begins(JFIF) && body.length >= JFIF_BYTES + 2) {
    if (body.length === JFIF_BYTES + 2 && body[JFIF_BYTES] === 0 && body[JFIF_BYTES + 1] === 0) return 'keep';
    return segment(APP0, body.subarray(0, JFIF_BYTES), new Uint8Array(2));
  }
  // Says how the colours are coded.
  if (marker === APP14 && begins(ADOBE) && body.length >= ADOBE_BYTES) {
    return body.length === ADOBE_BYTES ? 'keep' : segment(APP14, body.subarray(0, ADOBE_BYTES));
  }
  if (marker !== APP1 || hasExif || !begins(EXIF)) return 'drop';
  const kept = readExif(body.subarray(EXIF.length));
  return kept ? segment(APP1, bytesOf(EXIF), writeExif(kept)) : 'drop';
}

export async function stripJpeg(reader: ByteReader, pieces: Pieces): Promise<void> {
  pieces.keep(0, 2);
  let at = 2;
  let hasExif = false;
  /** Null once it was taken. */
  let profile: 'keep' | Bytes | null = await judgeProfile(reader);
  for (let count = 0; at < reader.sizeBytes; count += 1) {
    if (count === SEGMENTS_MAX) throw new Unreadable('too many segments');
    const [fill, marker = 0] = await reader.read(at, 2);
    if (fill !== 0xff || marker === 0 || marker === SOI) throw new Unreadable('no marker');
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === EOI || isBare(marker)) {
      pieces.keep(at, at + 2);
      if (marker === EOI) return;
      at += 2;
      continue;
    }
    const length = viewOf(await reader.read(at + 2, 2)).getUint16(0);
    const end = at + 2 + length;
    if (length < 2 || end > reader.sizeBytes) throw new Unreadable('a segment beyond the end');
    const body = isData(marker) ? await reader.read(at + 4, length - 2) : null;
    let verdict: Verdict = body ? judge(marker, body, hasExif) : 'keep';
    if (body && isIcc(marker, body)) {
      verdict = profile ?? 'drop';
      if (profile !== 'keep') profile = null;
    }
    // Decoders read the first one.
    hasExif ||= body !== null && marker === APP1 && textOf(body.subarray(0, EXIF.length)) === EXIF;
    const next = marker === SOS ? await endOfScan(reader, end) : end;
    if (verdict === 'keep') pieces.keep(at, next);
    else if (verdict !== 'drop') pieces.add(verdict);
    at = next;
  }
}
