import { AppError } from './errors.ts';
import { OBJECT_NAME_MAX_BYTES } from './limits.ts';

/** Names: slugs, stored file names, paths and file categories (docs/container.md §2). */

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const encoder = new TextEncoder();

/** The form of a slug. */
export const SLUG_PATTERN = /^[A-Za-z0-9_-]{16,64}$/;
/** First path segments of the site's routes, which are never slugs. All are shorter than a slug. */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set(
  'abuse,api,assets,auth,bot,check,discord,dl,docs,f,healthz,media,metrics,oauth2,operator,privacy,profile,readyz,rest,s,storage,upload'.split(
    ',',
  ),
);

/** True when `slug` may name a folder. */
export const isSlug = (slug: string): boolean => SLUG_PATTERN.test(slug) && !RESERVED_SLUGS.has(slug);

/**
 * Unbiased random base62.
 * @param length characters
 */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      // 248 = 4 × 62: bytes above it would make some characters likelier.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** A fresh slug: 16 characters, 95 bits. */
export const newSlug = (): string => randomBase62(16);

/** Bytes of `text` in UTF-8. */
export const utf8Length = (text: string): number => encoder.encode(text).length;

/**
 * Cuts `text` to at most `maxBytes` of UTF-8 without splitting a code point.
 */
export function cutUtf8(text: string, maxBytes: number): string {
  let bytes = 0;
  let cut = '';
  for (const character of text) {
    bytes += utf8Length(character);
    if (bytes > maxBytes) return cut;
    cut += character;
  }
  return cut;
}

/** The extension without its dot, in lower case; empty if there is none. */
export function extensionOf(name: string): string {
  const match = /[^.]\.([A-Za-z0-9]{1,12})$/.exec(name);
  return match?.[1]?.toLowerCase() ?? '';
}

/** True for the names of sealed files. */
export const isSealedName = (name: string): boolean => name.endsWith('.enc');

const STORED = /^(.+)_(\d{10,16})_[a-z0-9]{6,16}(\.[A-Za-z0-9]{1,12})?$/;

/** The timestamp of a stored name, which counts up with the files of one choice; null for a name without one. */
export function storedAtMs(stored: string): number | null {
  const match = STORED.exec(stored.replace(/\.enc$/, ''));
  return match ? Number(match[2]) : null;
}

/**
 * The readable part of a stored name: without '.enc', the timestamp and the random suffix. A plain file keeps its
 * extension.
 */
export function displayName(stored: string): string {
  const name = stored.replace(/\.enc$/, '');
  const match = STORED.exec(name);
  if (!match) return name;
  const [, base = name, , extension = ''] = match;
  return extension && !base.toLowerCase().endsWith(extension.toLowerCase()) ? base + extension : base;
}

/** Entries that listings never show. */
export const isHiddenEntry = (name: string): boolean => name === '.emptyFolderPlaceholder' || name.endsWith('/');

// Also characters that turn the direction of text: with one, `photo\u202egpj.exe` reads as a picture.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const UNSAFE_IN_SEGMENT = /[\\\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * The one segment of an object's path.
 * @param path `{bucket_storage_path}/{segment}`
 * @param storagePath the folder's bucket_storage_path
 * @throws storage.bad_path if it is not exactly one safe segment below the folder
 */
export function objectSegment(path: string, storagePath: string): string {
  const prefix = `${storagePath}/`;
  const segment = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  if (!isSafeSegment(segment)) throw new AppError('storage.bad_path');
  return segment;
}

/** True for a path segment that names one object. */
export function isSafeSegment(segment: string): boolean {
  if (segment === '' || segment === '.' || segment === '..' || segment.includes('/')) return false;
  return !UNSAFE_IN_SEGMENT.test(segment) && segment.isWellFormed() && utf8Length(segment) <= OBJECT_NAME_MAX_BYTES;
}

/**
 * Splits `{storagePath}/{segment}`.
 * @throws storage.bad_path
 */
export function splitObjectPath(path: string): { storagePath: string; segment: string } {
  const slash = path.indexOf('/');
  const storagePath = path.slice(0, Math.max(0, slash));
  if (!isSafeSegment(storagePath)) throw new AppError('storage.bad_path');
  return { storagePath, segment: objectSegment(path, storagePath) };
}

export type FileCategory = 'image' | 'video' | 'default';
/** What is specified, and what phones take: browsers on Windows know no type for HEIC. */
const IMAGES = new Set('jpg,jpeg,png,gif,webp,svg,bmp,tiff,ico,heic,heif,avif'.split(','));
const VIDEOS = new Set('mp4,webm,ogg,avi,mov,wmv,flv,m4v,mkv,3gp'.split(','));

/** Image, video or default, by extension, or else by MIME type. */
export function fileCategory(name: string, type = ''): FileCategory {
  const extension = extensionOf(name);
  if (IMAGES.has(extension)) return 'image';
  if (VIDEOS.has(extension)) return 'video';
  if (type.startsWith('image/')) return 'image';
  return type.startsWith('video/') ? 'video' : 'default';
}
