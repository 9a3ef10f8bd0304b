import type { RangeReader } from '@satchel/client/open/read-range';
import { parseFromTokenizer } from 'music-metadata';
import { AbstractTokenizer, EndOfStreamError, type IReadChunkOptions } from 'strtok3';

/** What a sound's own tags say of it; empty texts for what they don't. */
export interface AudioTags {
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** A picture of a type that can't run scripts. */
  readonly cover: Blob | null;
}

const NO_TAGS: AudioTags = { title: '', artist: '', album: '', cover: null };

/** A larger cover is not worth its fetching. */
export const TAG_MAX_BYTES = 8 * 1024 ** 2;
/** The most bytes and requests that one sound may take; beyond them the parser is told that the sound has ended. */
export const FETCHED_MAX_BYTES = 2 * TAG_MAX_BYTES;
export const FETCHES_MAX = 32;
/** A parser reads a few bytes at a time, and each fetch is a request. */
const AHEAD_BYTES = 64 * 1024;
const TEXT_MAX_CHARS = 200;

/** Gives a parser the bytes of a sound that it asks for, within the bounds. */
class RangeTokenizer extends AbstractTokenizer {
  readonly fileInfo: { readonly size: number };
  readonly #read: RangeReader;
  #fetched: Uint8Array<ArrayBuffer> = new Uint8Array();
  #fetchedFrom = 0;
  #fetches = 0;
  #fetchedBytes = 0;

  constructor(read: RangeReader, sizeBytes: number) {
    super({ maxBufferSize: TAG_MAX_BYTES });
    this.#read = read;
    this.fileInfo = { size: sizeBytes };
  }

  /** With random access, the parser would look for tags at the end of each sound: one more request. */
  supportsRandomAccess(): boolean {
    return false;
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position } = this.normalizeOptions(target, options);
    const length = await this.peekBuffer(target, options);
    this.position = position + length;
    return length;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { length, position, mayBeLess } = this.normalizeOptions(target, options);
    const end = Math.max(position, Math.min(position + length, this.fileInfo.size));
    if (end - position < length && !mayBeLess) throw new EndOfStreamError();
    if (position < this.#fetchedFrom || end > this.#fetchedFrom + this.#fetched.length)
      await this.#fetch(position, end);
    target.set(this.#fetched.subarray(position - this.#fetchedFrom, end - this.#fetchedFrom));
    return end - position;
  }

  async #fetch(fromByte: number, toByte: number): Promise<void> {
    const end = Math.min(toByte + AHEAD_BYTES, this.fileInfo.size);
    this.#fetches += 1;
    this.#fetchedBytes += end - fromByte;
    if (this.#fetches > FETCHES_MAX || this.#fetchedBytes > FETCHED_MAX_BYTES) throw new EndOfStreamError();
    this.#fetched = await this.#read(fromByte, end);
    this.#fetchedFrom = fromByte;
  }
}

/** A text of a tag: up to its end mark, on one line, and not too long. */
const tidy = (text: unknown): string =>
  (String(text ?? '').split('\0')[0] ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, TEXT_MAX_CHARS);

/** The parser takes "AC/DC" in an ID3v2.3 tag for two artists. */
const artistOf = (artist: unknown, artists: readonly unknown[] = []): unknown =>
  artists[0] === artist ? artists.join('/') : artist;

const MAGIC = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46]],
] as const;

/** Recognises a cover by its first bytes; the type in its tag is not trusted. */
function coverOf(bytes: Uint8Array): Blob | null {
  const [type] = MAGIC.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [];
  return type ? new Blob([new Uint8Array(bytes)], { type }) : null;
}

/**
 * Title, artist, album and cover of a sound, read from where they stand in it: never the whole file. Damaged tags say
 * nothing.
 */
export async function readAudioTags(read: RangeReader, sizeBytes: number): Promise<AudioTags> {
  try {
    const { common } = await parseFromTokenizer(new RangeTokenizer(read, sizeBytes), { skipPostHeaders: true });
    return {
      title: tidy(common.title),
      artist: tidy(artistOf(common.artist, common.artists)),
      album: tidy(common.album),
      cover: common.picture?.map(({ data }) => coverOf(data)).find((cover) => cover !== null) ?? null,
    };
  } catch {
    return NO_TAGS;
  }
}
