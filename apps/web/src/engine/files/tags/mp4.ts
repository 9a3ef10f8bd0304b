import {
  type Bytes,
  coverOf,
  type FoundTags,
  latin,
  TAG_MAX_BYTES,
  type TagSource,
  type TextField,
  tidy,
  uint,
  utf8,
} from './tag-bytes.ts';

/** The tags of an MP4 sound: moov, udta, meta, ilst (ISO/IEC 14496-12; the list's names are Apple's). */

/** Where the content of a box lies in the file. */
interface Place {
  readonly from: number;
  readonly to: number;
}

const BOXES_MAX = 64;

/** The first box of a name between two places of a file. Of the boxes before it only the heads are read. */
async function findBox({ read }: TagSource, name: string, { from, to }: Place): Promise<Place | null> {
  for (let [at, index] = [from, 0]; at + 8 <= to && index < BOXES_MAX; index++) {
    const head = await read(at, at + 16);
    const short = uint(head, 0);
    const headBytes = short === 1 ? 16 : 8;
    // 0: up to the file's end.
    const sizeBytes = short === 1 ? uint(head, 8, 8) : short === 0 ? to - at : short;
    if (sizeBytes < headBytes) return null;
    if (latin(head.subarray(4, 8)) === name) return { from: at + headBytes, to: Math.min(to, at + sizeBytes) };
    at += sizeBytes;
  }
  return null;
}

/** The boxes in some bytes. */
function* boxesIn(bytes: Bytes): Generator<{ name: string; content: Bytes }> {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const sizeBytes = uint(bytes, at);
    if (sizeBytes < 8) return;
    yield { name: latin(bytes.subarray(at + 4, at + 8)), content: bytes.slice(at + 8, at + sizeBytes) };
    at += sizeBytes;
  }
}

/** What the `data` box of an item holds, after its kind and language. */
function dataOf(item: Bytes): Bytes | null {
  for (const { name, content } of boxesIn(item)) if (name === 'data') return content.slice(8);
  return null;
}

const FIELDS: ReadonlyMap<string, TextField> = new Map([
  ['©nam', 'title'],
  ['©ART', 'artist'],
  ['©alb', 'album'],
]);

export const isMp4 = (head: Uint8Array): boolean => latin(head.subarray(4, 8)) === 'ftyp';

export async function readMp4(source: TagSource): Promise<FoundTags> {
  let place: Place = { from: 0, to: source.sizeBytes };
  for (const name of ['moov', 'udta', 'meta', 'ilst']) {
    const box = await findBox(source, name, place);
    if (box === null) return {};
    // A meta box has a version before its boxes.
    place = name === 'meta' ? { ...box, from: box.from + 4 } : box;
  }
  if (place.to - place.from > TAG_MAX_BYTES) return {};
  const found: FoundTags = {};
  for (const { name, content } of boxesIn(await source.read(place.from, place.to))) {
    const data = dataOf(content);
    const field = FIELDS.get(name);
    if (data && field) found[field] = tidy(utf8(data));
    else if (data && name === 'covr') found.cover = coverOf(data);
  }
  return found;
}
