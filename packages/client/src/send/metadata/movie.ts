import { type Box, boxesIn } from './boxes.ts';
import { type ByteReader, bytesOf, READ_MAX_BYTES, textOf, Unreadable, viewOf } from './byte-reader.ts';
import { cleanProfile } from './icc.ts';
import { type Overwrite, type Pieces, type Range, writeOver, zeros } from './pieces.ts';

/**
 * MP4 and MOV (ISO/IEC 14496-12, QuickTime File Format). Boxes name bytes by their place in the file, so what tells of place,
 * time and device is written over where it lies, and no frame moves or changes.
 */

const KEPT_BOX = /^(ftyp|styp|moov|moof|mdat|mfra|sidx|ssix|pdin|prft|pssh|emsg)$/;
/** Boxes in `moov`, in a track and in its media. QuickTime's say how a track is cropped and mixed. */
const METADATA = /^(meta|uuid|free|skip|wide)$/;
/** What players use of `udta`: chapters, kinds, languages and loudness. */
const KEPT_USER_DATA = /^(chpl|kind|elng|tsel|ludt|hnti|hinf)$/;
/** In the sound of a film without pictures: its title, artist and cover stay. */
const DEVICE_DATA =
  /^(\xa9(xyz|mak|mod|swr|swf|day|inf|gpt|gyw|grl)|loci|manu|modl|auth|date|smta|GPMF|GPS |FIRM|LENS|CAME|SETT|MUID|HMMT|BCID|GUMI|XMP_|AMBA|CDET|@mak|@mod|@xyz|@day)$/;
/** Tracks of samples that say where the camera was and how it moved, beside the frames. */
const SENSOR_HANDLER = /^(meta|camm|gpmd)$/;
const VIDEO_CODEC = /^(avc[1-4]|hvc1|hev1|dvh1|dvhe|av01|vp0[89]|mp4v)$/;

const FREE = bytesOf('free');
/** A box becomes one that readers skip, of the same size. */
export const blanked = ({ start, body, end }: Box): Overwrite[] => [
  { start: start + 4, end: start + 8, content: FREE, fill: 0 },
  zeros(body, end),
];

const one = (boxes: readonly Box[], type: string): Box | undefined => boxes.find((box) => box.type === type);

/** When it was made and changed: numbers of 4 or 8 bytes behind version and flags. */
async function timesIn(reader: ByteReader, { body, end }: Box): Promise<Overwrite> {
  const [version = 0] = await reader.read(body, 1);
  const length = version === 0 ? 8 : 16;
  if (body + 4 + length > end) throw new Unreadable('a box that ends early');
  return zeros(body + 4, body + 4 + length);
}

/** Version and flags, kind and handler; then the maker and a name. */
const HANDLER_HEAD_BYTES = 12;

/**
 * A colour profile of a `colr` box: one of the same size with zeros at its end.
 * @throws Unreadable where nothing could stand in its place
 */
export async function profileIn(reader: ByteReader, { body, end }: Box): Promise<Overwrite[]> {
  const kind = end - body > 4 ? textOf(await reader.read(body, 4)) : '';
  if (kind !== 'prof' && kind !== 'rICC') return [];
  if (end - body - 4 > READ_MAX_BYTES) throw new Unreadable('a long profile');
  const clean = cleanProfile(await reader.read(body + 4, end - body - 4), true);
  if (clean === null) throw new Unreadable('a profile of an unknown kind');
  return [{ start: body + 4, end, content: clean, fill: 0 }];
}

/** From the beginning of an entry's content: eight bytes that all entries have, then a picture's fields. */
const [VENDOR_AT, COMPRESSOR_AT, COMPRESSOR_BYTES, VIDEO_ENTRY_BYTES] = [12, 42, 32, 78] as const;

/** How samples are coded: the maker of the coder goes, and the names in a colour profile. */
async function descriptionsIn(reader: ByteReader, { body, end }: Box): Promise<Overwrite[]> {
  const overwrites: Overwrite[] = [];
  for (const entry of await boxesIn(reader, body + 8, end)) {
    if (!VIDEO_CODEC.test(entry.type) || entry.end - entry.body < VIDEO_ENTRY_BYTES) continue;
    const at = (offset: number) => entry.body + offset;
    overwrites.push(zeros(at(VENDOR_AT), at(VENDOR_AT + 4)));
    overwrites.push(zeros(at(COMPRESSOR_AT), at(COMPRESSOR_AT + COMPRESSOR_BYTES)));
    for (const box of await boxesIn(reader, at(VIDEO_ENTRY_BYTES), entry.end)) {
      if (box.type === 'colr') overwrites.push(...(await profileIn(reader, box)));
    }
  }
  return overwrites;
}

/** The numbers of a table: `count` of them from the place that the box's version and flags leave on. */
async function tableOf(reader: ByteReader, box: Box, numbersAt: number, bytesEach: number): Promise<number[]> {
  const count = viewOf(await reader.read(box.body + numbersAt - 4, 4)).getUint32(0);
  const length = count * bytesEach;
  if (length > READ_MAX_BYTES || box.body + numbersAt + length > box.end) throw new Unreadable('a long table');
  const view = viewOf(await reader.read(box.body + numbersAt, length));
  return Array.from({ length: count * (bytesEach === 12 ? 3 : 1) }, (_, index) =>
    bytesEach === 8 ? Number(view.getBigUint64(8 * index)) : view.getUint32(4 * index),
  );
}

/** Where a track's samples lie, one range for each chunk (14496-12, 8.7). */
async function samplesOf(reader: ByteReader, table: readonly Box[]): Promise<Range[]> {
  const [sizes, runs] = [one(table, 'stsz'), one(table, 'stsc')];
  const short = one(table, 'stco');
  const places = short ?? one(table, 'co64');
  if (!sizes || !runs || !places) throw new Unreadable('samples in an unknown place');
  const same = viewOf(await reader.read(sizes.body + 4, 4)).getUint32(0);
  const each = same === 0 ? await tableOf(reader, sizes, 12, 4) : [];
  const chunks = await tableOf(reader, places, 8, short ? 4 : 8);
  const run = await tableOf(reader, runs, 8, 12);
  const ranges: Range[] = [];
  let sample = 0;
  let at = 0;
  for (const [index, start] of chunks.entries()) {
    while (at + 3 < run.length && (run[at + 3] ?? 0) <= index + 1) at += 3;
    let end = start;
    for (let left = run[at + 1] ?? 0; left > 0; left -= 1) end += same || (each[sample++] ?? 0);
    if (end > start) ranges.push({ start, end });
  }
  return ranges;
}

/** The user data to keep: fields that players use, or all but fields about a device. */
async function userDataIn(reader: ByteReader, { body, end }: Box, hasPictures: boolean): Promise<Overwrite[]> {
  // "For historical reasons, the data list is optionally terminated by a 32-bit integer set to 0" (QTFF).
  const isEnded = end - body >= 4 && viewOf(await reader.read(end - 4, 4)).getUint32(0) === 0;
  const boxes = await boxesIn(reader, body, isEnded ? end - 4 : end).catch(() => boxesIn(reader, body, end));
  const goes = ({ type }: Box) => (hasPictures ? !KEPT_USER_DATA.test(type) : DEVICE_DATA.test(type));
  const overwrites = boxes.filter(goes).flatMap(blanked);
  if (!hasPictures) for (const box of boxes) if (box.type === 'meta') overwrites.push(...(await keysIn(reader, box)));
  return overwrites;
}

/** Recorders write place and device as keys of their own; a song's title, artist and cover are a list without keys. */
async function keysIn(reader: ByteReader, meta: Box): Promise<Overwrite[]> {
  // QuickTime's `meta` is no full box.
  const isFull = viewOf(await reader.read(meta.body, 4)).getUint32(0) === 0;
  const boxes = await boxesIn(reader, meta.body + (isFull ? 4 : 0), meta.end);
  return one(boxes, 'keys') ? blanked(meta) : [];
}

interface Track {
  readonly box: Box;
  readonly boxes: readonly Box[];
  readonly media: readonly Box[];
  readonly information: readonly Box[];
  readonly table: readonly Box[];
  readonly handler: string;
}

async function openTrack(reader: ByteReader, box: Box): Promise<Track> {
  const inside = async (outer: Box | undefined) => (outer ? boxesIn(reader, outer.body, outer.end) : []);
  const boxes = await inside(box);
  const media = await inside(one(boxes, 'mdia'));
  const information = await inside(one(media, 'minf'));
  const table = await inside(one(information, 'stbl'));
  return { box, boxes, media, information, table, handler: await handlerOf(reader, media) };
}

async function overwritesInTrack(reader: ByteReader, track: Track, hasPictures: boolean): Promise<Overwrite[]> {
  const { boxes, media, information, table } = track;
  const overwrites = [...boxes, ...media].filter(({ type }) => METADATA.test(type)).flatMap(blanked);
  for (const box of [...boxes, ...media, ...information]) {
    if (box.type === 'tkhd' || box.type === 'mdhd') overwrites.push(await timesIn(reader, box));
    if (box.type === 'udta') overwrites.push(...(await userDataIn(reader, box, hasPictures)));
    if (box.type === 'hdlr' && box.end - box.body > HANDLER_HEAD_BYTES)
      overwrites.push(zeros(box.body + HANDLER_HEAD_BYTES, box.end));
  }
  const stsd = one(table, 'stsd');
  if (stsd) overwrites.push(...(await descriptionsIn(reader, stsd)));
  return overwrites;
}

/**
 * Clears the tracks of sensors, and their samples.
 * @throws Unreadable where a sample lies outside of the media, or shares bytes with a frame
 */
async function overwritesOfSensors(reader: ByteReader, tracks: readonly Track[], media: readonly Range[]) {
  const sensors = tracks.filter(({ handler }) => SENSOR_HANDLER.test(handler));
  if (sensors.length === 0) return [];
  const marked: (Range & { readonly isSensor: boolean })[] = [];
  for (const track of tracks) {
    const isSensor = sensors.includes(track);
    for (const range of await samplesOf(reader, track.table)) marked.push({ ...range, isSensor });
  }
  marked.sort((a, b) => a.start - b.start);
  let [sensorEnd, frameEnd] = [0, 0];
  for (const { start, end, isSensor } of marked) {
    if (start < (isSensor ? Math.max(sensorEnd, frameEnd) : sensorEnd)) throw new Unreadable('shared bytes');
    if (isSensor) sensorEnd = end;
    else frameEnd = Math.max(frameEnd, end);
  }
  const samples = marked.filter(({ isSensor }) => isSensor);
  const isInside = (range: Range) => media.some(({ start, end }) => range.start >= start && range.end <= end);
  if (!samples.every(isInside)) throw new Unreadable('samples elsewhere');
  return [...sensors.flatMap(({ box }) => blanked(box)), ...samples.map(({ start, end }) => zeros(start, end))];
}

async function handlerOf(reader: ByteReader, media: readonly Box[]): Promise<string> {
  const hdlr = one(media, 'hdlr');
  return hdlr && hdlr.end - hdlr.body >= HANDLER_HEAD_BYTES ? textOf(await reader.read(hdlr.body + 8, 4)) : '';
}

/**
 * What a film says about itself, as a whole and by track, in its `moov` box.
 * @param media where its samples lie
 */
export async function overwritesInMovie(reader: ByteReader, movie: Box, media: readonly Range[]): Promise<Overwrite[]> {
  const boxes = await boxesIn(reader, movie.body, movie.end);
  if (one(boxes, 'cmov')) throw new Unreadable('a packed movie');
  const tracks: Track[] = [];
  for (const box of boxes) if (box.type === 'trak') tracks.push(await openTrack(reader, box));
  const hasPictures = tracks.some(({ handler }) => handler === 'vide' || handler === 'pict');
  const overwrites = await overwritesOfSensors(reader, tracks, media);
  for (const box of boxes) {
    if (box.type === 'mvhd') overwrites.push(await timesIn(reader, box));
    if (box.type === 'udta') overwrites.push(...(await userDataIn(reader, box, hasPictures)));
    if (box.type === 'meta' && !hasPictures) overwrites.push(...(await keysIn(reader, box)));
    else if (METADATA.test(box.type)) overwrites.push(...blanked(box));
  }
  for (const track of tracks) {
    if (!SENSOR_HANDLER.test(track.handler)) overwrites.push(...(await overwritesInTrack(reader, track, hasPictures)));
  }
  return overwrites;
}

export async function stripMovie(reader: ByteReader, pieces: Pieces): Promise<void> {
  // Canon's raw photographs need what their camera wrote beside the pixels.
  if (textOf(await reader.read(4, 8)) === 'ftypcrx ') throw new Unreadable('a raw photograph');
  const boxes = await boxesIn(reader, 0, reader.sizeBytes);
  const overwrites = boxes.filter(({ type }) => !KEPT_BOX.test(type)).flatMap(blanked);
  const media = boxes.filter(({ type }) => type === 'mdat').map(({ body, end }) => ({ start: body, end }));
  for (const box of boxes) if (box.type === 'moov') overwrites.push(...(await overwritesInMovie(reader, box, media)));
  await writeOver(reader, pieces, overwrites, reader.sizeBytes);
}

const FIRST_BOX = /^(ftyp|moov|wide|free|skip|pnot)$/;

/** Whether a file begins as MP4 and MOV do; HEIC and AVIF begin alike, and are asked for before. */
export function isMovie(head: Uint8Array): boolean {
  const type = textOf(head.subarray(4, 8));
  // The first byte of such a box's size is 0, and no text begins so.
  return type === 'mdat' || (head[0] === 0 && FIRST_BOX.test(type));
}
