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
} from './tag-bytes.ts';

/** ID3v2 tags at the beginning of an MP3: id3.org/id3v2.3.0, id3v2.4.0-structure. */

const HEAD_BYTES = 10;

/** Seven bits of each byte. */
const syncsafe = (bytes: Uint8Array, at: number): number =>
  bytes.subarray(at, at + 4).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);

/** Removes the zeros that were put after each 0xff. */
const resynced = (bytes: Bytes): Bytes => bytes.filter((byte, at) => byte !== 0 || bytes[at - 1] !== 0xff);

const ENCODINGS = ['latin1', 'utf-16', 'utf-16be', 'utf-8'] as const;

const isWide = (encoding: number): boolean => encoding === 1 || encoding === 2;

function textOf(bytes: Uint8Array, encoding: number): string {
  return tidy(new TextDecoder(ENCODINGS[encoding] ?? 'latin1').decode(bytes));
}

/** Where a text that begins at a place ends, its mark included. */
function textEnd(bytes: Uint8Array, from: number, encoding: number): number {
  const step = isWide(encoding) ? 2 : 1;
  for (let at = from; at < bytes.length; at += step) {
    if (bytes[at] === 0 && (step === 1 || bytes[at + 1] === 0)) return at + step;
  }
  return bytes.length;
}

/** APIC: encoding, MIME type, kind, description, picture; PIC: encoding, three letters, kind, description, picture. */
function pictureOf(bytes: Bytes, isShort: boolean): Blob | null {
  const encoding = bytes[0] ?? 0;
  const kindAt = isShort ? 4 : textEnd(bytes, 1, 0);
  return coverOf(bytes.slice(textEnd(bytes, kindAt + 1, encoding)));
}

interface Frame {
  readonly id: string;
  readonly content: Bytes;
}

/** Frames of version 2 have names and sizes of three bytes; of version 4, sizes of seven bits and marks of their own. */
function* frames(tag: Bytes, version: number): Generator<Frame> {
  const nameBytes = version === 2 ? 3 : 4;
  const headBytes = version === 2 ? 6 : 10;
  for (let at = 0; at + headBytes <= tag.length && tag[at] !== 0; ) {
    const id = latin(tag.subarray(at, at + nameBytes));
    const sizeBytes = version === 4 ? syncsafe(tag, at + 4) : uint(tag, at + nameBytes, nameBytes);
    const marks = version === 4 ? (tag[at + 9] ?? 0) : 0;
    const from = at + headBytes + (marks & 1 ? 4 : 0);
    const content = tag.slice(from, at + headBytes + sizeBytes);
    yield { id, content: marks & 2 ? resynced(content) : content };
    at += headBytes + sizeBytes;
  }
}

const FIELDS: ReadonlyMap<string, TextField> = new Map([
  ['TIT2', 'title'],
  ['TT2', 'title'],
  ['TPE1', 'artist'],
  ['TP1', 'artist'],
  ['TALB', 'album'],
  ['TAL', 'album'],
]);

export const isId3 = (head: Uint8Array): boolean => latin(head.subarray(0, 3)) === 'ID3';

export async function readId3({ read }: TagSource, head: Bytes): Promise<FoundTags> {
  const version = head[3] ?? 0;
  const marks = head[5] ?? 0;
  const sizeBytes = syncsafe(head, 6);
  if (version < 2 || version > 4 || sizeBytes > TAG_MAX_BYTES) return {};
  const whole = await read(HEAD_BYTES, HEAD_BYTES + sizeBytes);
  const tag = marks & 0x80 && version < 4 ? resynced(whole) : whole;
  const extended = marks & 0x40 ? (version === 4 ? syncsafe(tag, 0) : uint(tag, 0) + 4) : 0;
  const found: FoundTags = {};
  for (const { id, content } of frames(tag.slice(extended), version)) {
    const field = FIELDS.get(id);
    if (field) found[field] = textOf(content.subarray(1), content[0] ?? 0);
    else if ((id === 'APIC' || id === 'PIC') && !found.cover) found.cover = pictureOf(content, id === 'PIC');
  }
  return found;
}
