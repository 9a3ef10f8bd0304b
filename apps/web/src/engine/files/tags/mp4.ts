import {
  type AudioTags,
  type Bytes,
  coverOf,
  latin,
  TAG_MAX_BYTES,
  type TagSource,
  tidy,
  uint,
  utf8,
} from './tag-bytes.ts';

/** The tags of an MP4 sound: moov, udta, meta, ilst (ISO/IEC 14496-12; the list's names are Apple's). */

interface Box {
  readonly name: string;
  /** Of its content, counted from the file's beginning. */
  readonly from: number;
  readonly to: number;
}

const BOXES_MAX = 64;

/** The boxes between two places of a file: of each its head is read, and no more. */
async function findBox({ read }: TagSource, name: string, from: number, to: number): Promise<Box | null> {
  for (let [at, index] = [from, 0]; at + 8 <= to && index < BOXES_MAX; index++) {
    const head = await read(at, at + 16);
    const short = uint(head, 0);
    const headBytes = short === 1 ? 16 : 8;
    // 0: up to the file's end.
    const sizeBytes = short === 1 ? uint(head, 8, 8) : short === 0 ? to - at : short;
    if (sizeBytes < headBytes) return null;
    if (latin(head.subarray(4, 8)) === name) return { name, from: at + headBytes, to: Math.min(to, at + sizeBytes) };
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

const FIELDS: Readonly<Record<string, 'title' | 'artist' | 'album'>> = {
  '©nam': 'title',
  '©ART': 'artist',
  '©alb': 'album',
};

export const isMp4 = (head: Uint8Array): boolean => latin(head.subarray(4, 8)) === 'ftyp';

export async function readMp4(source: TagSource): Promise<Partial<AudioTags>> {
  let place: Box | null = { name: '', from: 0, to: source.sizeBytes };
  for (const name of ['moov', 'udta', 'meta', 'ilst']) {
    // A meta box has a version before its boxes.
    const from: number = place.name === 'meta' ? place.from + 4 : place.from;
    place = await findBox(source, name, from, place.to);
    if (place === null) return {};
  }
  if (place.to - place.from > TAG_MAX_BYTES) return {};
  const found: { -readonly [Name in keyof AudioTags]?: AudioTags[Name] } = {};
  for (const { name, content } of boxesIn(await source.read(place.from, place.to))) {
    const data = dataOf(content);
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (data && field) found[field] = tidy(utf8(data));
    else if (data && name === 'covr') found.cover = coverOf(data);
  }
  return found;
}
