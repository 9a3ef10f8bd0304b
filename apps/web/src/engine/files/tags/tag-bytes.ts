import type { RangeReader } from '../../media/read-range.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** What a sound's own tags say of it; empty texts for what they don't. */
export interface AudioTags {
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** Only of kinds that show as a picture and run nothing. */
  readonly cover: Blob | null;
}

export const NO_TAGS: AudioTags = { title: '', artist: '', album: '', cover: null };

/** Tags as a reader finds them, one after the other. */
export type FoundTags = { -readonly [Name in keyof AudioTags]?: AudioTags[Name] };
export type TextField = Exclude<keyof AudioTags, 'cover'>;

/** A larger cover is not worth its fetching. */
export const TAG_MAX_BYTES = 8 * 1024 ** 2;
const TEXT_MAX_CHARS = 200;

/** How a reader of tags asks for bytes. */
export interface TagSource {
  readonly read: RangeReader;
  readonly sizeBytes: number;
}

export const latin = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);
export const utf8 = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A text of a tag: up to its end mark, on one line, and not too long. */
export const tidy = (text: string): string =>
  (text.split('\0')[0] ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, TEXT_MAX_CHARS);

export const uint = (bytes: Uint8Array, at: number, length = 4): number =>
  bytes.subarray(at, at + length).reduce((sum, byte) => sum * 256 + byte, 0);
export const uintLittle = (bytes: Uint8Array, at: number): number => uint(bytes.slice(at, at + 4).reverse(), 0);

const MAGIC = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46]],
] as const;

/** A cover by its own first bytes: the type that its tag claims is not trusted. */
export function coverOf(bytes: Uint8Array<ArrayBuffer>): Blob | null {
  const [type] = MAGIC.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [];
  return type ? new Blob([bytes], { type }) : null;
}
