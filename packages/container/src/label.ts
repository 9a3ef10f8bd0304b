import { AppError } from '@satchel/contract/errors';
import { safeFileName } from '@satchel/contract/file-name';
import { safeDirectory } from '@satchel/contract/files/file-path';
import { joinPath } from '@satchel/contract/files/path-parts';
import { KEYRING_MAX_KEYS, NAME_MAX_BYTES, SEALED_LABEL_MAX_BYTES } from '@satchel/contract/limits';
import { utf8Length } from '@satchel/contract/naming';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';
import { GCM_TAG_BYTES, NONCE_BYTES, openGcm, sealGcm } from './gcm.ts';
import type { FolderKeys } from './key.ts';

/** The sealed label of a file: its name and type, bound to its container and its place in the folder (docs/container.md §2, §6). */

type Bytes = Uint8Array<ArrayBuffer>;

const PREFIX = '2.';
/** The JSON is padded to a multiple of this, so that the label's length says little about the name's. */
const PADDING_BYTES = 256;
const NAME_AAD = new TextEncoder().encode('satchel v2 name');
const AAD = 'satchel v2 label\0';
/** The longest padded JSON whose base64url text still fits SEALED_LABEL_MAX_BYTES: 1,280. */
const JSON_MAX_BYTES =
  Math.floor(
    (Math.floor(((SEALED_LABEL_MAX_BYTES - PREFIX.length) * 3) / 4) - NONCE_BYTES - GCM_TAG_BYTES) / PADDING_BYTES,
  ) * PADDING_BYTES;
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** What a label says. Both are the sealer's word: show the name as text, and trust the type no further than an allow-list. */
export interface FileLabel {
  readonly name: string;
  readonly type: string;
  /** The directory of the file, as `a/b`; absent for a file outside of every directory. Reading makes it safe: see safeDirectory. */
  readonly directory?: string;
  /** When the file was last changed on the device that sealed it, since 1970; absent where the label doesn't say it. */
  readonly modifiedMs?: number;
}

/** A label together with the container that it is for. */
export interface BoundLabel extends FileLabel {
  /** Bytes of the plaintext. */
  readonly sizeBytes: number;
  /** What {@link hashHeader} gives for the container's header. */
  readonly header: string;
  /**
   * The place in the keyring, from 0 for the oldest key, of the key that the container is sealed under; absent where that is
   * the key that the label is sealed under.
   */
  readonly keyPlace?: number;
}

/**
 * The hash by which a label knows its container.
 * @param prefix the container's bytes before chunk 0
 * @returns base64url(SHA-256(prefix)), 43 characters
 */
export async function hashHeader(prefix: Bytes): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', prefix)));
}

const aadFor = (storedName: string): Bytes => new TextEncoder().encode(AAD + storedName);

const fitsJson = (fields: object): boolean => utf8Length(JSON.stringify(fields)) <= JSON_MAX_BYTES;

function padJson(fields: object): Bytes {
  const json = new TextEncoder().encode(JSON.stringify(fields));
  const paddedLength = Math.ceil(json.length / PADDING_BYTES) * PADDING_BYTES;
  if (!fitsJson(fields)) throw new AppError('seal.name_too_long');
  const padded = new Uint8Array(paddedLength).fill(0x20);
  padded.set(json);
  return padded;
}

const parseJson = (json: Bytes): unknown => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));

function requireShortName({ name, directory = '' }: FileLabel): void {
  if (utf8Length(name) > NAME_MAX_BYTES) throw new AppError('seal.name_too_long');
  if (utf8Length(joinPath(directory, name)) > NAME_MAX_BYTES) throw new AppError('seal.path_too_long');
}

/**
 * Seals a file's label: `"2." | base64url(nonce12 | AES-256-GCM(metaKey, JSON {name, type, size, header, path?, key?, modified?} padded, aad
 * "satchel v2 label" | 0 | stored name))` (docs/container.md §6). It travels as tus metadata `sealed`, and the listing has it.
 * @param storedName the last segment of the object's path
 * @returns at most 2 KiB
 * @throws seal.name_too_long when the name is over 1,024 bytes of UTF-8, or name and type together don't fit;
 * seal.path_too_long when directory and name are over 1,024 bytes together
 */
export async function sealLabel(keys: FolderKeys, label: BoundLabel, storedName: string): Promise<string> {
  requireShortName(label);
  const { name, type, sizeBytes: size, header, directory = '', keyPlace: key, modifiedMs: modified } = label;
  const fields = {
    name,
    type,
    size,
    header,
    ...(directory === '' ? {} : { path: directory }),
    ...(key === undefined ? {} : { key }),
  };
  // A long name is worth more than the date.
  const json = modified !== undefined && fitsJson({ ...fields, modified }) ? { ...fields, modified } : fields;
  return PREFIX + (await sealGcm(keys.meta, padJson(json), aadFor(storedName)));
}

/**
 * Opens a label. The name comes back without path separators and control characters, the directory as a safe one.
 * @throws open.foreign when it is malformed, or was not sealed under this folder key for this stored name
 */
export async function openLabel(keys: FolderKeys, sealed: string, storedName: string): Promise<BoundLabel> {
  try {
    if (!sealed.startsWith(PREFIX) || sealed.length > SEALED_LABEL_MAX_BYTES) throw new TypeError('not a label');
    const bytes = decodeBase64Url(sealed.slice(PREFIX.length));
    return readBoundLabel(parseJson(await openGcm(keys.meta, bytes, aadFor(storedName))));
  } catch (error) {
    throw new AppError('open.foreign', {}, { cause: error });
  }
}

/**
 * Seals a name and type alone, for names that stay on this device.
 * @returns base64url, at most 2 KiB
 * @throws seal.name_too_long when the name is over 1,024 bytes of UTF-8, or name and type together don't fit
 */
export async function sealName(keys: FolderKeys, { name, type }: FileLabel): Promise<string> {
  requireShortName({ name, type });
  return sealGcm(keys.meta, padJson({ name, type }), NAME_AAD);
}

/**
 * Opens what {@link sealName} sealed.
 * @throws open.corrupted when it is malformed or not sealed under this folder key
 */
export async function openName(keys: FolderKeys, sealed: string): Promise<FileLabel> {
  try {
    if (sealed.length > SEALED_LABEL_MAX_BYTES) throw new TypeError('not a label');
    return readLabel(parseJson(await openGcm(keys.meta, decodeBase64Url(sealed), NAME_AAD)));
  } catch (error) {
    throw new AppError('open.corrupted', {}, { cause: error });
  }
}

function readLabel(value: unknown): FileLabel {
  const { name, type } = (value ?? {}) as Partial<Record<keyof FileLabel, unknown>>;
  if (typeof name !== 'string' || typeof type !== 'string') throw new TypeError('not a label');
  return { name: safeFileName(name.toWellFormed()), type: type.toWellFormed() };
}

const isPlace = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < KEYRING_MAX_KEYS;

/** The latest moment that a Date holds; a label that says another is read without it. */
const DATE_MAX_MS = 8.64e15;
const isDate = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Math.abs(value as number) <= DATE_MAX_MS;

function readBoundLabel(value: unknown): BoundLabel {
  const { size, header, path = '', key, modified } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string') throw new TypeError('not a label');
  const directory = safeDirectory(path);
  if (!Number.isSafeInteger(size) || (size as number) < 0) throw new TypeError('not a label');
  if (typeof header !== 'string' || !HASH.test(header)) throw new TypeError('not a label');
  if (key !== undefined && !isPlace(key)) throw new TypeError('not a label');
  return {
    ...readLabel(value),
    ...(directory === '' ? {} : { directory }),
    ...(isDate(modified) ? { modifiedMs: modified } : {}),
    sizeBytes: size as number,
    header,
    ...(key === undefined ? {} : { keyPlace: key }),
  };
}
