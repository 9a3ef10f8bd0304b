import { type ByteReader, type Bytes, bytesOf, joined, textOf, Unreadable, viewOf } from './byte-reader.ts';
import { readExif, UPRIGHT, writeExif } from './exif.ts';
import { type Box, boxesIn, type ItemInfo, type ItemPlace, readItemInfo, readItemPlaces } from './heif-boxes.ts';
import type { Pieces } from './pieces.ts';

/**
 * HEIC and AVIF. Boxes name bytes by their place in the file, so metadata is written over where it lies, and nothing moves.
 * Only what ends the file, such as the film of a motion photo, is cut off.
 */

const KEPT_BOX = /^(ftyp|styp|meta|mdat|moov|moof|mfra|sidx|pdin|prft)$/;
const KEPT_IN_META = /^(hdlr|pitm|iinf|iloc|iprp|iref|idat|dinf|grpl|ipro)$/;
const METADATA_ITEM = /^(Exif|mime|uri )$/;
const METADATA_IN_MOVIE = /^(udta|meta|uuid|free|skip)$/;
const EXIF_READ_BYTES = 64 * 1024;
const [ZERO, SPACE] = [0, 0x20] as const;
const NO_XMP = bytesOf('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
const META_HEAD_BYTES = 4;

/** Bytes to write over a part of the file: as many of `content` as fit, then one byte again and again. */
interface Overwrite {
  readonly start: number;
  readonly end: number;
  readonly content: Bytes;
  readonly fill: number;
}

const FREE = bytesOf('free');
/** A box becomes one that readers skip, of the same size. */
const blanked = ({ start, body, end }: Box): Overwrite[] => [
  { start: start + 4, end: start + 8, content: FREE, fill: ZERO },
  { start: body, end, content: new Uint8Array(0), fill: ZERO },
];

interface Range {
  readonly start: number;
  readonly end: number;
}

const within = (inner: Range, outer: readonly Range[]) =>
  outer.some(({ start, end }) => inner.start >= start && inner.end <= end);

/** Parts of the file that an item has. @throws Unreadable when they can't be written over */
function rangesToClear(
  { method, source, extents }: ItemPlace,
  idat: Box | undefined,
  media: readonly Range[],
): Range[] {
  const homes = method === 0 ? media : idat ? [{ start: idat.body, end: idat.end }] : [];
  const base = method === 1 ? (idat?.body ?? 0) : 0;
  return extents.map(({ offset, length }) => {
    const range = { start: base + offset, end: base + offset + length };
    if (method > 1 || source !== 0 || length === 0 || !within(range, homes)) throw new Unreadable('metadata elsewhere');
    return range;
  });
}

/** Parts of the file that an item of the picture has, as far as they can be told. */
function rangesToKeep({ method, extents }: ItemPlace, idat: Box | undefined): Range[] {
  const base = method === 1 ? (idat?.body ?? 0) : 0;
  if (method > 1) return [];
  return extents.map(({ offset, length }) => ({
    start: base + offset,
    end: length === 0 ? Number.POSITIVE_INFINITY : base + offset + length,
  }));
}

async function headOf(reader: ByteReader, ranges: readonly Range[]): Promise<Bytes> {
  const parts: Uint8Array[] = [];
  let left = EXIF_READ_BYTES;
  for (const { start, end } of ranges) {
    const length = Math.min(left, end - start);
    if (length > 0) parts.push((await reader.read(start, length)).slice());
    left -= length;
  }
  return joined(...parts);
}

/** An Exif item: how far its TIFF structure begins after these four bytes, and that structure (23008-12, A.2.1). */
function keptExif(item: Bytes): Bytes {
  const start = item.length < 4 ? item.length : 4 + viewOf(item).getUint32(0);
  return joined(new Uint8Array(4), writeExif(readExif(item.subarray(Math.min(start, item.length))) ?? UPRIGHT));
}

async function contentFor(reader: ByteReader, { type, contentType }: ItemInfo, ranges: readonly Range[]) {
  if (type === 'Exif') return { content: keptExif(await headOf(reader, ranges)), fill: ZERO };
  return /rdf\+xml/.test(contentType) ? { content: NO_XMP, fill: SPACE } : { content: new Uint8Array(0), fill: ZERO };
}

/** Spreads an item's new bytes over its parts. What does not fit at all is left out. */
function spread(ranges: readonly Range[], { content, fill }: Pick<Overwrite, 'content' | 'fill'>): Overwrite[] {
  const room = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  let rest = content.length <= room ? content : new Uint8Array(0);
  return ranges.map(({ start, end }) => {
    const mine = rest.subarray(0, end - start);
    rest = rest.subarray(mine.length);
    return { start, end, content: mine, fill };
  });
}

async function overwritesInMeta(reader: ByteReader, meta: Box, media: readonly Range[]): Promise<Overwrite[]> {
  const boxes = await boxesIn(reader, meta.body + META_HEAD_BYTES, meta.end);
  const one = (type: string) => boxes.find((box) => box.type === type);
  const [iinf, iloc, idat] = [one('iinf'), one('iloc'), one('idat')];
  const overwrites = boxes.filter(({ type }) => !KEPT_IN_META.test(type)).flatMap(blanked);
  if (!iinf || !iloc) return overwrites;
  const items = await readItemInfo(reader, iinf);
  const places = await readItemPlaces(reader, iloc);
  const isMetadata = ({ id }: ItemPlace) => METADATA_ITEM.test(items.get(id)?.type ?? '');
  const kept = places.filter((place) => !isMetadata(place)).flatMap((place) => rangesToKeep(place, idat));
  for (const place of places.filter(isMetadata)) {
    const item = items.get(place.id);
    const ranges = rangesToClear(place, idat, media);
    // A picture that shares bytes with its metadata would be damaged.
    if (kept.some((a) => ranges.some((b) => a.start < b.end && b.start < a.end))) throw new Unreadable('shared bytes');
    if (item) overwrites.push(...spread(ranges, await contentFor(reader, item, ranges)));
  }
  return overwrites;
}

/** Of a sequence of pictures: what a film says about itself, as a whole and by track. */
async function overwritesInMovie(reader: ByteReader, { body, end }: Box): Promise<Overwrite[]> {
  const boxes = await boxesIn(reader, body, end);
  const tracks = boxes.filter(({ type }) => type === 'trak');
  const inner = await Promise.all(tracks.map((track) => boxesIn(reader, track.body, track.end)));
  return [...boxes, ...inner.flat()].filter(({ type }) => METADATA_IN_MOVIE.test(type)).flatMap(blanked);
}

export async function stripHeif(reader: ByteReader, pieces: Pieces): Promise<void> {
  const boxes = await boxesIn(reader, 0, reader.sizeBytes);
  const last = boxes.findLastIndex(({ type }) => KEPT_BOX.test(type));
  const kept = boxes.slice(0, last + 1);
  const media = kept.filter(({ type }) => type === 'mdat').map(({ body, end }) => ({ start: body, end }));
  const overwrites = kept.filter(({ type }) => !KEPT_BOX.test(type)).flatMap(blanked);
  for (const box of kept) {
    if (box.type === 'meta') overwrites.push(...(await overwritesInMeta(reader, box, media)));
    if (box.type === 'moov') overwrites.push(...(await overwritesInMovie(reader, box)));
  }
  let at = 0;
  for (const { start, end, content, fill } of overwrites.toSorted((a, b) => a.start - b.start)) {
    if (start < at) throw new Unreadable('metadata over metadata');
    pieces.keep(at, start);
    if (content.length > 0) pieces.add(content);
    pieces.fill(fill, end - start - content.length);
    at = end;
  }
  pieces.keep(at, kept.at(-1)?.end ?? 0);
}

/** Brands of the pictures that this code knows (23008-12, annex B; AVIF 1.1). */
const BRAND = /^(heic|heix|heim|heis|hevc|hevx|hevm|hevs|mif1|mif2|msf1|avif|avis|avio)$/;

/** Whether a file begins as HEIC or AVIF does. */
export function isHeif(head: Uint8Array): boolean {
  if (textOf(head.subarray(4, 8)) !== 'ftyp' || head.length < 12) return false;
  const end = Math.min(head.length, viewOf(head).getUint32(0));
  for (let at = 8; at + 4 <= end; at += 4) if (at !== 12 && BRAND.test(textOf(head.subarray(at, at + 4)))) return true;
  return false;
}
