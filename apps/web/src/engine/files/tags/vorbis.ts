import {
  type Bytes,
  coverOf,
  type FoundTags,
  latin,
  TAG_MAX_BYTES,
  type TagSource,
  tidy,
  uint,
  uintLittle,
  utf8,
} from './tag-bytes.ts';

/** Vorbis comments and their pictures: in FLAC (RFC 9639 §8) and in Ogg (Vorbis I §5, RFC 7845 §5.2). */

/** A picture block: kind, MIME type, description, four measures, picture; each text with its length before it. */
function pictureOf(block: Bytes): Blob | null {
  const typeBytes = uint(block, 4);
  const descriptionAt = 8 + typeBytes;
  const pictureAt = descriptionAt + 4 + uint(block, descriptionAt) + 16;
  return coverOf(block.slice(pictureAt + 4, pictureAt + 4 + uint(block, pictureAt)));
}

function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
}

/** Comments as NAME=value, after the name of the program that wrote them. */
function readComments(block: Bytes): FoundTags {
  const found: FoundTags = {};
  let at = 4 + uintLittle(block, 0);
  const count = uintLittle(block, at);
  at += 4;
  for (let index = 0; index < count && at + 4 <= block.length; index++) {
    const length = uintLittle(block, at);
    const comment = block.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    const equals = comment.indexOf(0x3d);
    const name = latin(comment.subarray(0, Math.max(0, equals))).toLowerCase();
    const value = comment.subarray(equals + 1);
    if (name === 'title' || name === 'artist' || name === 'album') found[name] ??= tidy(utf8(value));
    else if (name === 'metadata_block_picture') found.cover ??= pictureOf(fromBase64(latin(value)));
  }
  return found;
}

export const isFlac = (head: Uint8Array): boolean => latin(head.subarray(0, 4)) === 'fLaC';

const COMMENTS = 4;
const PICTURE = 6;
/** More blocks are in no file of a real program. */
const BLOCKS_MAX = 64;

export async function readFlac({ read }: TagSource): Promise<FoundTags> {
  let found: FoundTags = {};
  for (let [at, index] = [4, 0]; index < BLOCKS_MAX; index++) {
    const head = await read(at, at + 4);
    if (head.length < 4) break;
    const kind = (head[0] ?? 0) & 0x7f;
    const length = uint(head, 1, 3);
    const isWanted = (kind === COMMENTS || kind === PICTURE) && length <= TAG_MAX_BYTES;
    if (isWanted) {
      const block = await read(at + 4, at + 4 + length);
      if (kind === COMMENTS) found = { ...readComments(block), ...(found.cover ? { cover: found.cover } : {}) };
      else found.cover ??= pictureOf(block);
    }
    if ((head[0] ?? 0) & 0x80) break;
    at += 4 + length;
  }
  return found;
}

export const isOgg = (head: Uint8Array): boolean => latin(head.subarray(0, 4)) === 'OggS';

const PAGE_HEAD_BYTES = 27;
/** The first pages of a file hold its comments; a cover makes them long. */
const OGG_READ_BYTES = 2 * 1024 ** 2;

/** The packets of an Ogg stream's first pages, one after the other. */
function* packets(stream: Bytes): Generator<Bytes> {
  let parts: Bytes[] = [];
  for (let at = 0; at + PAGE_HEAD_BYTES < stream.length && isOgg(stream.subarray(at)); ) {
    const segments = stream.subarray(at + PAGE_HEAD_BYTES, at + PAGE_HEAD_BYTES + (stream[at + 26] ?? 0));
    at += PAGE_HEAD_BYTES + segments.length;
    for (const length of segments) {
      parts.push(stream.slice(at, at + length));
      at += length;
      // A shorter one is the packet's last.
      if (length === 255) continue;
      const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
      let filled = 0;
      for (const part of parts) {
        whole.set(part, filled);
        filled += part.length;
      }
      parts = [];
      yield whole;
    }
  }
}

export async function readOgg({ read, sizeBytes }: TagSource): Promise<FoundTags> {
  const stream = await read(0, Math.min(sizeBytes, OGG_READ_BYTES));
  let seen = 0;
  for (const packet of packets(stream)) {
    if (latin(packet.subarray(0, 7)) === '\x03vorbis') return readComments(packet.slice(7));
    if (latin(packet.subarray(0, 8)) === 'OpusTags') return readComments(packet.slice(8));
    seen += 1;
    if (seen > 4) break;
  }
  return {};
}
