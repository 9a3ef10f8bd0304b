import { type ByteReader, type Bytes, joined, READ_MAX_BYTES, Unreadable, viewOf } from './byte-reader.ts';
import { cleanProfile } from './icc.ts';
import { type Overwrite, type Pieces, type Range, writeOver, zeros } from './pieces.ts';

/**
 * TIFF (revision 6.0). Directories name bytes by their place in the file, so nothing moves: a directory is written again
 * without the removed entries, and the bytes that those entries pointed to become zeros. Raw photographs look like TIFF and need what their
 * camera wrote beside the pixels, and maps are about a place: these stay as they are, and are named to the person.
 */

const ENTRY_BYTES = 12;
const DIRECTORIES_MAX = 1000;
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];

/** Size, coding, strips and tiles, resolution, colours, transparency, orientation, further pages. */
const KEPT = new Set([
  ...[254, 255, 256, 257, 258, 259, 262, 263, 264, 265, 266, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284],
  ...[
    286, 287, 288, 289, 290, 291, 292, 293, 296, 297, 301, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328,
  ],
  ...[
    330, 332, 334, 336, 338, 339, 340, 341, 342, 347, 512, 513, 514, 515, 517, 518, 519, 520, 521, 529, 530, 531, 532,
  ],
  ...[34675],
]);
/** Directories that hold nothing but metadata. */
const METADATA_DIRECTORIES = new Set([0x8769, 0x8825, 0xa005]);
const [PHOTOMETRIC, SUB_DIRECTORIES, PROFILE] = [262, 330, 34675] as const;
const PIXELS: readonly (readonly [places: number, lengths: number])[] = [
  [273, 279],
  [324, 325],
  [513, 514],
];
/** Bilevel, grey, RGB, palette, mask, CMYK, YCbCr, Lab: what a raw photograph has is none of them. */
const PICTURES = new Set([0, 1, 2, 3, 4, 5, 6, 8]);
/** A negative's version, and where a map lies. */
const [NEGATIVE, MAP] = [
  [50706, 33421, 33422],
  [33550, 33922, 34264, 34735, 34736, 34737],
] as const;

interface Entry {
  readonly tag: number;
  readonly type: number;
  readonly bytes: Bytes;
  /** Where its value lies; within the entry, where it fits there. */
  readonly value: Range;
  readonly isFar: boolean;
}

interface Directory {
  readonly start: number;
  readonly entries: readonly Entry[];
  readonly next: number;
}

function createTiff(reader: ByteReader, isLittle: boolean) {
  async function readDirectory(start: number): Promise<Directory> {
    const count = viewOf(await reader.read(start, 2)).getUint16(0, isLittle);
    const bytes = (await reader.read(start + 2, ENTRY_BYTES * count + 4)).slice();
    const view = viewOf(bytes);
    const entries = Array.from({ length: count }, (_, index): Entry => {
      const at = ENTRY_BYTES * index;
      const type = view.getUint16(at + 2, isLittle);
      const length = (TYPE_BYTES[type] ?? 0) * view.getUint32(at + 4, isLittle);
      const isFar = length > 4;
      const valueAt = isFar ? view.getUint32(at + 8, isLittle) : start + 2 + at + 8;
      if (valueAt + length > reader.sizeBytes) throw new Unreadable('a value beyond the end');
      const value = { start: valueAt, end: valueAt + length };
      return { tag: view.getUint16(at, isLittle), type, bytes: bytes.slice(at, at + ENTRY_BYTES), value, isFar };
    });
    return { start, entries, next: view.getUint32(ENTRY_BYTES * count, isLittle) };
  }

  async function numbersOf({ type, value }: Entry): Promise<number[]> {
    const width = TYPE_BYTES[type] ?? 0;
    const length = value.end - value.start;
    if (length > READ_MAX_BYTES) throw new Unreadable('a long table');
    const view = viewOf((await reader.read(value.start, length)).slice());
    return Array.from({ length: length / width }, (_, index) => {
      if (width === 1) return view.getUint8(index);
      return width === 2 ? view.getUint16(2 * index, isLittle) : view.getUint32(4 * index, isLittle);
    });
  }

  return { readDirectory, numbersOf };
}

const sizeOf = ({ entries }: Directory) => 2 + ENTRY_BYTES * entries.length + 4;
const areaOf = (directory: Directory): Range => ({ start: directory.start, end: directory.start + sizeOf(directory) });

/** A directory with its kept entries only, in the place of the whole. */
function written({ start, entries, next }: Directory, isLittle: boolean): Overwrite {
  const kept = entries.filter(({ tag }) => KEPT.has(tag));
  const [count, pointer] = [new Uint8Array(2), new Uint8Array(4)];
  viewOf(count).setUint16(0, kept.length, isLittle);
  viewOf(pointer).setUint32(0, next, isLittle);
  const content = joined(count, ...kept.map(({ bytes }) => bytes), pointer);
  return { start, end: start + 2 + ENTRY_BYTES * entries.length + 4, content, fill: 0 };
}

export async function stripTiff(reader: ByteReader, pieces: Pieces): Promise<void> {
  const head = await reader.read(0, 10);
  const isLittle = head[0] === 0x49;
  const view = viewOf(head);
  // 43 is BigTIFF; Canon's raw photographs have their own mark behind the header.
  if (view.getUint16(2, isLittle) !== 42 || (head[8] === 0x43 && head[9] === 0x52))
    throw new Unreadable('another kind');
  const { readDirectory, numbersOf } = createTiff(reader, isLittle);
  const overwrites: Overwrite[] = [];
  const kept: Range[] = [{ start: 0, end: 8 }];
  const cleared: Range[] = [];

  async function takeMetadata(start: number, seen: Set<number>): Promise<void> {
    if (seen.has(start) || seen.size > DIRECTORIES_MAX) throw new Unreadable('directories in a circle');
    seen.add(start);
    const directory = await readDirectory(start);
    cleared.push(areaOf(directory));
    for (const entry of directory.entries) await takeEntry(entry, seen);
  }

  async function takeEntry(entry: Entry, seen: Set<number>): Promise<void> {
    if (entry.isFar) cleared.push(entry.value);
    if (!METADATA_DIRECTORIES.has(entry.tag)) return;
    for (const at of await numbersOf(entry)) await takeMetadata(at, seen);
  }

  async function takePixels({ entries }: Directory): Promise<void> {
    for (const [places, lengths] of PIXELS) {
      const [at, sizes] = [places, lengths].map((wanted) => entries.find(({ tag }) => tag === wanted));
      if (!at || !sizes) continue;
      const [starts, all] = [await numbersOf(at), await numbersOf(sizes)];
      for (const [index, start] of starts.entries()) kept.push({ start, end: start + (all[index] ?? 0) });
    }
  }

  async function takePicture(directory: Directory, seen: Set<number>): Promise<number[]> {
    const { entries } = directory;
    const one = (wanted: number) => entries.find(({ tag }) => tag === wanted);
    if (entries.some(({ tag }) => [...NEGATIVE, ...MAP].some((other) => other === tag)))
      throw new Unreadable('raw, or a map');
    const photometric = one(PHOTOMETRIC);
    if (!photometric || !PICTURES.has((await numbersOf(photometric))[0] ?? -1))
      throw new Unreadable('a raw photograph');
    overwrites.push(written(directory, isLittle));
    kept.push(areaOf(directory));
    await takePixels(directory);
    const further: number[] = [];
    for (const entry of entries) {
      if (!KEPT.has(entry.tag)) await takeEntry(entry, seen);
      else if (entry.isFar) kept.push(entry.value);
      if (entry.tag === SUB_DIRECTORIES) further.push(...(await numbersOf(entry)));
    }
    const profile = one(PROFILE);
    if (profile) {
      const { start, end } = profile.value;
      const clean = end - start > READ_MAX_BYTES ? null : cleanProfile(await reader.read(start, end - start), true);
      if (!clean) throw new Unreadable('a profile of an unknown kind');
      overwrites.push({ start, end, content: clean, fill: 0 });
    }
    return further;
  }

  const seen = new Set<number>();
  const waiting = [view.getUint32(4, isLittle)];
  for (let start = waiting.shift(); start !== undefined; start = waiting.shift()) {
    if (start === 0) continue;
    if (seen.has(start) || seen.size > DIRECTORIES_MAX) throw new Unreadable('directories in a circle');
    seen.add(start);
    const directory = await readDirectory(start);
    waiting.push(directory.next, ...(await takePicture(directory, seen)));
  }
  const unique = new Map(
    cleared.filter(({ start, end }) => end > start).map((range) => [`${range.start} ${range.end}`, range]),
  );
  // A picture that shares bytes with its metadata would be damaged.
  const isShared = (range: Range) => kept.some(({ start, end }) => start < range.end && range.start < end);
  if ([...unique.values()].some(isShared)) throw new Unreadable('shared bytes');
  overwrites.push(...[...unique.values()].map(({ start, end }) => zeros(start, end)));
  await writeOver(reader, pieces, overwrites, reader.sizeBytes);
}
