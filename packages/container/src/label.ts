import { AppError } from '@satchel/contract/errors';
import { NAME_MAX_BYTES, SEALED_LABEL_MAX_BYTES } from '@satchel/contract/limits';
import { safeFileName, utf8Length } from '@satchel/contract/naming';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';
import type { FolderKeys } from './key.ts';

/** Hidden names: the sealed label of a file (CONTAINER §2). */

const NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;
/** The JSON is padded to a multiple of this, so that the label's length says little about the name's. */
const PADDING_BYTES = 256;
const NAME_AAD = new TextEncoder().encode('satchel v2 name');
/** The longest padded JSON whose base64url text still fits SEALED_LABEL_MAX_BYTES: 1,280. */
const JSON_MAX_BYTES =
  Math.floor((Math.floor((SEALED_LABEL_MAX_BYTES * 3) / 4) - NONCE_BYTES - GCM_TAG_BYTES) / PADDING_BYTES) *
  PADDING_BYTES;

/** What a label says. Both are the sealer's word: show the name as text, and trust the type no further than an allow-list. */
export interface FileLabel {
  name: string;
  type: string;
}

/**
 * Seals a file's name and MIME type. The text travels in the header and as tus metadata `sealed`, and both must be the
 * same text, so seal once per file.
 * @returns base64url, at most 2 KiB
 * @throws seal.name_too_long when the name is over 1,024 bytes of UTF-8, or name and type together don't fit
 */
export async function sealLabel(keys: FolderKeys, { name, type }: FileLabel): Promise<string> {
  if (utf8Length(name) > NAME_MAX_BYTES) throw new AppError('seal.name_too_long');
  const json = new TextEncoder().encode(JSON.stringify({ name, type }));
  const paddedLength = Math.ceil(json.length / PADDING_BYTES) * PADDING_BYTES;
  if (paddedLength > JSON_MAX_BYTES) throw new AppError('seal.name_too_long');
  const padded = new Uint8Array(paddedLength).fill(0x20);
  padded.set(json);
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const gcm = { name: 'AES-GCM', iv: nonce, additionalData: NAME_AAD };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(gcm, keys.meta, padded));
  const out = new Uint8Array(NONCE_BYTES + sealed.length);
  out.set(nonce);
  out.set(sealed, NONCE_BYTES);
  return encodeBase64Url(out);
}

/**
 * Opens a sealed label. The name comes back without path separators and control characters.
 * @throws open.corrupted when it is malformed or not sealed under this folder's key
 */
export async function openLabel(keys: FolderKeys, sealed: string): Promise<FileLabel> {
  if (sealed.length > SEALED_LABEL_MAX_BYTES) throw new AppError('open.corrupted');
  try {
    const bytes = decodeBase64Url(sealed);
    const gcm = { name: 'AES-GCM', iv: bytes.subarray(0, NONCE_BYTES), additionalData: NAME_AAD };
    const json = await crypto.subtle.decrypt(gcm, keys.meta, bytes.subarray(NONCE_BYTES));
    return readLabel(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)));
  } catch (error) {
    throw new AppError('open.corrupted', {}, { cause: error });
  }
}

function readLabel(value: unknown): FileLabel {
  const { name, type } = (value ?? {}) as Partial<Record<keyof FileLabel, unknown>>;
  if (typeof name !== 'string' || typeof type !== 'string') throw new TypeError('not a label');
  return { name: safeFileName(name.toWellFormed()), type: type.toWellFormed() };
}
