import { type Box, boxesIn, type ItemInfo, type ItemPlace, readItemInfo, readItemPlaces } from './boxes.ts';
import { type ByteReader, type Bytes, bytesOf, joined, textOf, Unreadable, viewOf } from './byte-reader.ts';
import { readExif, UPRIGHT, writeExif } from './exif.ts';
import { blanked, overwritesInMovie, profileIn } from './movie.ts';
import { type Overwrite, type Pieces, type Range, writeOver } from './pieces.ts';

/**
 * HEIC and AVIF. Boxes name bytes by their place in the file, so metadata is written over where it lies, and nothing moves.
 * Only what ends the file, such as the film of a motion photo, is cut off.
 */

const KEPT_BOX = /^(ftyp|styp|meta|mdat|moov|moof|mfra|sidx|pdin|prft)$/;
const KEPT_IN_META = /^(hdlr|pitm|iinf|iloc|iprp|iref|idat|dinf|grpl|ipro)$/;
const METADATA_ITEM = /^(Exif|mime|uri )$/;
const EXIF_READ_BYTES = 64 * 1024;
const [ZERO, SPACE] = [0, 0x20] as const;
const NO_XMP = bytesOf('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
const META_HEAD_BYTES = 4;

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

/** The colour profiles among the properties of the items. */
async function profilesIn(reader: ByteReader, iprp: Box): Promise<Overwrite[]> {
  const overwrites: Overwrite[] = [];
  for (const ipco of await boxesIn(reader, iprp.body, iprp.end)) {
    if (ipco.type !== 'ipco') continue;
    for (const box of await boxesIn(reader, ipco.body, ipco.end)) {
      if (box.type === 'colr') overwrites.push(...(await profileIn(reader, box)));
    }
  }
  return overwrites;
}

async function overwritesInMeta(reader: ByteReader, meta: Box, media: readonly Range[]): Promise<Overwrite[]> {
  const boxes = await boxesIn(reader, meta.body + META_HEAD_BYTES, meta.end);
  const one = (type: string) => boxes.find((box) => box.type === type);
  const [iinf, iloc, idat] = [one('iinf'), one('iloc'), one('idat')];
  const overwrites = boxes.filter(({ type }) => !KEPT_IN_META.test(type)).flatMap(blanked);
  const iprp = one('iprp');
  if (iprp) overwrites.push(...(await profilesIn(reader, iprp)));
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

export async function stripHeif(reader: ByteReader, pieces: Pieces): Promise<void> {
  const boxes = await boxesIn(reader, 0, reader.sizeBytes);
  const last = boxes.findLastIndex(({ type }) => KEPT_BOX.test(type));
  const kept = boxes.slice(0, last + 1);
  const media = kept.filter(({ type }) => type === 'mdat').map(({ body, end }) => ({ start: body, end }));
  const overwrites = kept.filter(({ type }) => !KEPT_BOX.test(type)).flatMap(blanked);
  for (const box of kept) {
    if (box.type === 'meta') overwrites.push(...(await overwritesInMeta(reader, box, media)));
    if (box.type === 'moov') overwrites.push(...(await overwritesInMovie(reader, box, media)));
  }
  await writeOver(reader, pieces, overwrites, kept.at(-1)?.end ?? 0);
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
