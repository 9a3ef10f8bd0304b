import { type Bytes, joined, textOf, viewOf } from './byte-reader.ts';

/**
 * What of a picture's Exif data says how it is to be shown. The rest is dropped: place, time, camera and its numbers,
 * the maker's notes, names, and a small picture of the whole that may show what was cut off.
 */

const [ASCII, SHORT, LONG, RATIONAL] = [2, 3, 4, 5] as const;
const TYPE_BYTES: Readonly<Record<number, number>> = { [ASCII]: 1, [SHORT]: 2, [LONG]: 4, [RATIONAL]: 8 };
/** Pointers from one directory to the next. */
const EXIF_POINTER = 0x8769;
const INTEROPERABILITY_POINTER = 0xa005;

/** Numbers of a tag: one for each SHORT, LONG or character, two for a RATIONAL. */
interface Field {
  readonly tag: number;
  readonly type: number;
  readonly numbers: readonly number[];
}

type Wanted = Readonly<Record<number, readonly number[]>>;
/** Orientation, and the pixels to an inch, which browsers size a picture by. */
const PICTURE_TAGS: Wanted = { 274: [SHORT], 282: [RATIONAL], 283: [RATIONAL], 296: [SHORT] };
/** Colour space, width and height. */
const EXIF_TAGS: Wanted = { 40961: [SHORT], 40962: [SHORT, LONG], 40963: [SHORT, LONG] };
/** `R98` is sRGB, and `R03` is Adobe RGB, which cameras name here instead of enclosing a profile. */
const INTEROPERABILITY_TAGS: Wanted = { 1: [ASCII] };
const INDEX = /^R(98|03)\0$/;
const INDEX_LENGTH = 4;

/** Directories, from the picture's own to the ones that it points to. */
export type KeptExif = readonly [picture: readonly Field[], exif: readonly Field[], colour: readonly Field[]];

interface Tiff {
  readonly view: DataView;
  readonly isLittle: boolean;
}

const fits = ({ view }: Tiff, at: number, length: number) => at >= 0 && at + length <= view.byteLength;

function numbersOf({ view, isLittle }: Tiff, type: number, count: number, at: number): number[] {
  if (type === ASCII) return Array.from({ length: count }, (_, index) => view.getUint8(at + index));
  if (type === SHORT) return [view.getUint16(at, isLittle)];
  if (type === LONG) return [view.getUint32(at, isLittle)];
  return [view.getUint32(at, isLittle), view.getUint32(at + 4, isLittle)];
}

/** The fields of one directory that are wanted, and where it points to. What does not fit is passed over. */
function readDirectory(tiff: Tiff, start: number, wanted: Wanted, pointer: number): { fields: Field[]; next: number } {
  const { view, isLittle } = tiff;
  const fields: Field[] = [];
  let next = 0;
  const entries = fits(tiff, start, 2) ? view.getUint16(start, isLittle) : 0;
  for (let index = 0; index < entries; index += 1) {
    const at = start + 2 + 12 * index;
    if (!fits(tiff, at, 12)) break;
    const tag = view.getUint16(at, isLittle);
    const type = view.getUint16(at + 2, isLittle);
    const count = view.getUint32(at + 4, isLittle);
    if (tag === pointer && type === LONG && count === 1) next = view.getUint32(at + 8, isLittle);
    const isWanted = wanted[tag]?.includes(type) && count === (type === ASCII ? INDEX_LENGTH : 1);
    if (!isWanted || fields.some((field) => field.tag === tag)) continue;
    const valueAt = (TYPE_BYTES[type] ?? 0) * count <= 4 ? at + 8 : view.getUint32(at + 8, isLittle);
    if (fits(tiff, valueAt, (TYPE_BYTES[type] ?? 0) * count))
      fields.push({ tag, type, numbers: numbersOf(tiff, type, count, valueAt) });
  }
  return { fields, next };
}

/** Reads what is kept of the TIFF structure that Exif data is; null when there is nothing to keep. */
export function readExif(bytes: Uint8Array): KeptExif | null {
  const order = textOf(bytes.subarray(0, 2));
  if (bytes.length < 8 || (order !== 'II' && order !== 'MM')) return null;
  const tiff: Tiff = { view: viewOf(bytes), isLittle: order === 'II' };
  if (tiff.view.getUint16(2, tiff.isLittle) !== 42) return null;
  const start = tiff.view.getUint32(4, tiff.isLittle);
  const picture = readDirectory(tiff, start, PICTURE_TAGS, EXIF_POINTER);
  const exif = readDirectory(tiff, picture.next || bytes.length, EXIF_TAGS, INTEROPERABILITY_POINTER);
  const colour = readDirectory(tiff, exif.next || bytes.length, INTEROPERABILITY_TAGS, 0);
  const index = colour.fields.filter(({ numbers }) => INDEX.test(textOf(Uint8Array.from(numbers))));
  const kept: KeptExif = [picture.fields, exif.fields, index];
  return kept.some((fields) => fields.length > 0) ? kept : null;
}

/** Says that the picture stands as it lies in the file: for a place that has to hold some Exif data. */
export const UPRIGHT: KeptExif = [[{ tag: 274, type: SHORT, numbers: [1] }], [], []];

const widthOf = ({ type, numbers }: Field) => (type === ASCII ? numbers.length : (TYPE_BYTES[type] ?? 0));

function writeNumbers(view: DataView, at: number, { type, numbers }: Field): void {
  for (const [index, number] of numbers.entries()) {
    if (type === ASCII) view.setUint8(at + index, number);
    else if (type === SHORT) view.setUint16(at, number, true);
    else view.setUint32(at + 4 * index, number, true);
  }
}

/** One directory, with values of more than four bytes after it. */
function directoryBytes(fields: readonly Field[], start: number): Bytes {
  const head = 2 + 12 * fields.length + 4;
  const far = fields.filter((field) => widthOf(field) > 4);
  const bytes = new Uint8Array(head + far.reduce((sum, field) => sum + widthOf(field), 0));
  const view = viewOf(bytes);
  let farAt = head;
  view.setUint16(0, fields.length, true);
  for (const [index, field] of fields.entries()) {
    const at = 2 + 12 * index;
    view.setUint16(at, field.tag, true);
    view.setUint16(at + 2, field.type, true);
    view.setUint32(at + 4, field.type === ASCII ? field.numbers.length : 1, true);
    if (widthOf(field) <= 4) {
      writeNumbers(view, at + 8, field);
      continue;
    }
    view.setUint32(at + 8, start + farAt, true);
    writeNumbers(view, farAt, field);
    farAt += widthOf(field);
  }
  return bytes;
}

const pointerTo = (tag: number, at: number): Field => ({ tag, type: LONG, numbers: [at] });
const inOrder = (fields: readonly Field[]) => fields.toSorted((a, b) => a.tag - b.tag);

/** Exif data with nothing but what is kept. */
export function writeExif([picture, exif, colour]: KeptExif): Bytes {
  const header = Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0);
  const needsExif = exif.length + colour.length > 0;
  // Sizes don't depend on where a directory lies, so each is laid out once to learn where the next one begins.
  const first = (at: number) =>
    directoryBytes(inOrder(needsExif ? [...picture, pointerTo(EXIF_POINTER, at)] : picture), header.length);
  const exifAt = header.length + first(0).length;
  const second = (at: number) =>
    directoryBytes(inOrder(colour.length > 0 ? [...exif, pointerTo(INTEROPERABILITY_POINTER, at)] : exif), exifAt);
  const colourAt = exifAt + second(0).length;
  const all = [header, first(exifAt)];
  if (needsExif) all.push(second(colourAt));
  if (colour.length > 0) all.push(directoryBytes(colour, colourAt));
  return joined(...all);
}
