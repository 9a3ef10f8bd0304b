import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@satchel/contract/errors';
import { BUCKET, CACHE_CONTROL_SECONDS, SEALED_LABEL_MAX_BYTES } from '@satchel/contract/limits';
import { splitObjectPath } from '@satchel/contract/naming';
import { LINK_TOKEN_HEADER } from '@satchel/contract/paths';
import { hasUnseen } from '@satchel/contract/unseen';
import type { Checksum } from '../../domain/uploads/transfer.ts';
import type { NewUpload } from '../../domain/uploads/uploads.ts';

/**
 * The request headers of tus 1.0.0, parsed strictly, since they are stored and sent out again.
 * tus, Upload-Metadata: "Since metadata can contain arbitrary binary values, Servers SHOULD carefully validate metadata
 * values or sanitize them before using them as header values to avoid header smuggling."
 */

const METADATA_MAX_CHARACTERS = 8192;
const METADATA_MAX_PAIRS = 16;
const METADATA_KEY = /^[\x21-\x2b\x2d-\x7e]{1,64}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MIME_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:;[\x20-\x7e]{1,127})?$/;
const CACHE_CONTROL = /^[\w=, -]{1,64}$/;
/** base64url, after the label's version (docs/container.md §6). */
const LABEL = /^2\.[A-Za-z0-9_-]+$/;
/** tus, Checksum: "The Server MUST support at least the SHA1 checksum algorithm identified by `sha1`." */
const DIGEST_BYTES = { sha1: 20, sha256: 32 } as const;

/** Algorithms of the checksum extension. */
export const CHECKSUM_ALGORITHMS = Object.keys(DIGEST_BYTES).join(',');

/** A header that may come once. Node joins repeated ones with a comma, which every parser below refuses. */
export const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => headers[name]?.toString();

/** A whole number of at least 0, or null. */
export function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeBase64(text: string): string {
  if (!BASE64.test(text)) throw new AppError('upload.bad_metadata');
  try {
    return utf8.decode(Buffer.from(text, 'base64'));
  } catch (error) {
    throw new AppError('upload.bad_metadata', {}, { cause: error });
  }
}

/**
 * tus, Upload-Metadata: "The key and value MUST be separated by a space. The key MUST NOT contain spaces and commas and
 * MUST NOT be empty. The key SHOULD be ASCII encoded and the value MUST be Base64 encoded. All keys MUST be unique. The
 * value MAY be empty."
 * @throws upload.bad_metadata
 */
export function parseMetadata(header: string | undefined): ReadonlyMap<string, string> {
  if (!header || header.length > METADATA_MAX_CHARACTERS) throw new AppError('upload.bad_metadata');
  const pairs = header.split(',').map((pair) => pair.trim().split(' '));
  const metadata = new Map<string, string>();
  for (const [key = '', value = '', ...rest] of pairs) {
    if (!METADATA_KEY.test(key) || metadata.has(key) || rest.length > 0) throw new AppError('upload.bad_metadata');
    metadata.set(key, decodeBase64(value));
  }
  if (metadata.size > METADATA_MAX_PAIRS) throw new AppError('upload.bad_metadata');
  return metadata;
}

/** A value that must match `pattern`; the fallback if it is missing or empty. */
function matching<Fallback>(
  metadata: ReadonlyMap<string, string>,
  key: string,
  pattern: RegExp,
  fallback: Fallback,
): string | Fallback {
  const value = metadata.get(key);
  if (!value) return fallback;
  if (!pattern.test(value)) throw new AppError('upload.bad_metadata');
  return value;
}

/**
 * What a POST wants to create.
 * @throws upload.bad_length, upload.bad_metadata, storage.bucket_not_found, storage.bad_path, storage.unseen
 */
export function parseCreation(headers: IncomingHttpHeaders): NewUpload {
  // tus, Creation: "The request MUST include one of the following headers: a) `Upload-Length` to indicate the size of
  // an entire upload in bytes." We offer no `creation-defer-length`, so b) is refused.
  const length_bytes = wholeNumber(headerOf(headers, 'upload-length'));
  if (length_bytes === null) throw new AppError('upload.bad_length');
  const header = headerOf(headers, 'upload-metadata');
  const metadata = parseMetadata(header);
  const bucket = metadata.get('bucketName');
  const path = metadata.get('objectName');
  if (bucket === undefined || path === undefined) throw new AppError('upload.bad_metadata');
  if (bucket !== BUCKET) throw new AppError('storage.bucket_not_found');
  const sealed = matching(metadata, 'sealed', LABEL, null);
  if (sealed !== null && sealed.length > SEALED_LABEL_MAX_BYTES) throw new AppError('upload.bad_metadata');
  const object = splitObjectPath(path);
  if (hasUnseen(object.segment)) throw new AppError('storage.unseen');
  return {
    ...object,
    length_bytes,
    mimetype: matching(metadata, 'contentType', MIME_TYPE, 'application/octet-stream'),
    cache_control: matching(metadata, 'cacheControl', CACHE_CONTROL, String(CACHE_CONTROL_SECONDS)),
    sealed,
    metadata: header ?? '',
    upsert: headerOf(headers, 'x-upsert') === 'true',
    link_token: headerOf(headers, LINK_TOKEN_HEADER) ?? null,
  };
}

/**
 * tus, Upload-Checksum: "The header MUST consist of the name of the used checksum algorithm and the Base64 encoded
 * checksum separated by a space."
 * tus, Checksum: "`400 Bad Request` if the checksum algorithm is not supported by the server".
 * @throws upload.bad_checksum
 */
export function parseChecksum(header: string | undefined): Checksum | null {
  if (header === undefined) return null;
  const [algorithm = '', digest = '', ...rest] = header.split(' ');
  const isKnown = (name: string): name is Checksum['algorithm'] => Object.hasOwn(DIGEST_BYTES, name);
  if (!isKnown(algorithm) || !BASE64.test(digest) || rest.length > 0) throw new AppError('upload.bad_checksum');
  const bytes = Buffer.from(digest, 'base64');
  if (bytes.length !== DIGEST_BYTES[algorithm]) throw new AppError('upload.bad_checksum');
  return { algorithm, digest: bytes };
}
