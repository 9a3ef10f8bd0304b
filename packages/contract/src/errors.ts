/**
 * The one error catalogue: a row per message of §8 and per refusal of the HTTP surface. `status` is the HTTP status when
 * the server says it; rows that only a browser can meet keep 400. `text` is the English catalogue, §8 verbatim.
 */

export type Params = Readonly<Record<string, string | number>>;
interface Row {
  readonly status: number;
  readonly text: (params: Params) => string;
}

const row = (status: number, text: string | ((params: Params) => string)): Row => ({
  status,
  text: typeof text === 'string' ? () => text : text,
});
const orUnknown = (p: Params) => p.message || 'Unknown error';
const megabytes = (bytes: string | number | undefined) => {
  const value = Number(bytes) / 1024 ** 2;
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
};

const count = (n: string | number | undefined, one: string, many: string) => `${n} ${Number(n) === 1 ? one : many}`;

export const CATALOGUE = {
  // Folder and key
  'folder.not_found': row(404, 'Folder not found'),
  'folder.load_failed': row(400, (p) => `Failed to load folder: ${orUnknown(p)}`),
  'folder.expired': row(410, 'Folder expired'),
  'folder.forbidden': row(403, 'Only the folder owner can do this'),
  'folder.slug_taken': row(409, 'This slug is taken'),
  'folder.foreign_owner': row(403, 'A folder can only be created for yourself'),
  'folder.lifetime': row(400, (p) => `A folder lives for at most ${p.hours} hours`),
  'folder.revoked': row(409, 'The link of this folder was revoked; it takes no further uploads'),
  'folder.plain': row(409, 'This folder is not encrypted, so its link has no key'),
  'files.load_failed': row(400, 'Failed to load files'),
  'key.not_found': row(404, 'Key not found'),
  'key.retrieval_failed': row(400, (p) => `${p.message || 'Key not found'}`),
  'key.bad_length': row(400, (p) => `Invalid key format. Expected 128 hex characters, got ${p.length}`),
  'key.needs_link': row(403, 'This device has no key for this folder. Open the full link on this device'),
  'key.unsealable': row(400, 'This link does not open this folder'),
  'key.lifetime': row(400, (p) => `The server keeps a folder’s key for at most ${p.hours} hours`),
  'key.passphrase_failed': row(
    400,
    'This browser could not work on the passphrase. Reload the page, or close other tabs, and try again',
  ),
  'key.wrong_passphrase': row(403, (p) => `Wrong passphrase. ${count(p.tries, 'try', 'tries')} left this hour`),
  'key.no_tries_left': row(
    429,
    (p) =>
      `No tries left: there were too many wrong passphrases. Try again in ${count(p.minutes, 'minute', 'minutes')}`,
  ),

  // Download and open
  'download.file_failed': row(400, (p) => `Failed to download file ${p.name}: ${orUnknown(p)}`),
  'download.failed_with': row(400, (p) => `Download failed: ${p.message}`),
  'download.failed': row(400, 'Download failed'),
  'download.cut_short': row(
    400,
    (p) =>
      `${p.name} was not saved whole (${megabytes(p.deliveredBytes)}MB of ${megabytes(p.sizeBytes)}MB). Download it again`,
  ),
  'download.too_large_here': row(
    400,
    (p) =>
      `This window can only save encrypted files of up to ${megabytes(p.maxBytes)}MB. Use one that is not private, or another browser`,
  ),
  'download.zip_too_large_here': row(
    400,
    (p) => `This browser can pack at most ${megabytes(p.maxBytes)}MB into one zip. Select fewer files at a time`,
  ),
  'download.zip_cut': row(400, 'The zip was not saved whole. Download it again'),
  'download.storage_failed': row(400, (p) => `Failed to download file from Supabase: ${p.message}`),
  'open.failed': row(400, 'Decryption failed'),
  'open.import_keys': row(400, (p) => `Failed to import encryption keys: ${p.reason}`),
  'open.bad_version': row(400, (p) => `Unsupported file format: ${p.version}/${p.algorithm}`),
  'open.index_mismatch': row(400, (p) =>
    p.expected === undefined ? 'Chunk index mismatch' : `Chunk index mismatch: expected ${p.expected}, got ${p.got}`,
  ),
  'open.no_chunk_header': row(400, 'File corrupted: incomplete chunk header'),
  'open.no_chunk': row(400, 'File corrupted: incomplete encrypted chunk'),
  'open.no_hmac': row(400, 'File corrupted: no HMAC data'),
  'open.corrupted': row(400, 'File is corrupted or truncated'),
  'open.bad_hmac': row(400, (p) => `HMAC verification failed for chunk ${p.chunk}`),
  'open.chunk_failed': row(400, (p) => `Decryption failed at chunk ${p.chunk}`),
  'open.incomplete': row(400, (p) => `Incomplete decryption: processed ${p.processed}/${p.total} chunks`),
  'open.size_mismatch': row(400, 'Final size mismatch'),
  'open.empty': row(400, 'Decrypted file is empty'),

  // Seal and upload
  'seal.empty': row(400, 'This file is empty. An empty file can’t be encrypted'),
  'seal.name_too_long': row(400, 'The file name is too long'),
  'seal.header_too_long': row(400, 'The file header is too long'),
  'upload.create_failed': row(400, (p) => `Failed to create upload: ${p.status} ${p.statusText}`),
  'upload.no_url': row(400, 'Server did not return upload URL'),
  'upload.chunk_failed': row(400, (p) => `Chunk upload failed: ${p.status} ${p.statusText}`),
  'upload.empty': row(400, 'This file is empty. There is nothing to upload'),
  'upload.stream_size': row(400, 'Stream size mismatch'),
  'upload.size_required': row(400, 'uploadSize must be provided for ReadableStream uploads'),
  'upload.no_header': row(400, 'File header not generated'),
  'upload.unauthenticated': row(401, 'User must be authenticated for file uploads'),
  'upload.too_large': row(
    413,
    (p) => `File size (${megabytes(p.sizeBytes)}MB) exceeds maximum allowed size (${megabytes(p.maxBytes)}MB)`,
  ),
  'upload.type_not_allowed': row(
    400,
    (p) => `File type "${p.type}" is not allowed. Allowed types: ${p.allowed || 'any'}`,
  ),
  'upload.over_quota': row(413, (p) => `Not enough storage: ${megabytes(p.freeBytes)}MB of your storage is left`),
  'upload.not_encrypted': row(400, 'This folder only takes encrypted files'),
  'upload.not_found': row(404, 'Upload not found'),
  'upload.gone': row(410, 'This upload is gone'),
  'upload.wrong_offset': row(409, 'Upload-Offset does not match'),
  'upload.locked': row(423, 'The upload is locked'),
  'upload.bad_length': row(400, 'Upload-Length must be a whole number of at least 1'),
  'upload.length_exceeded': row(413, 'More bytes than Upload-Length says'),
  'upload.bad_metadata': row(400, 'Upload-Metadata is missing or malformed'),
  'upload.bad_version': row(412, 'Tus-Resumable must be 1.0.0'),
  'upload.bad_content_type': row(415, 'Content-Type must be application/offset+octet-stream'),
  'upload.bad_offset': row(400, 'Upload-Offset must be a whole number'),
  'upload.bad_checksum': row(400, 'Upload-Checksum is malformed or its algorithm is not supported'),
  'upload.checksum_mismatch': row(460, 'Checksum mismatch'),
  'upload.lost_lease': row(409, 'Another request has taken this upload over'),
  'upload.elsewhere': row(409, 'Another tab is uploading this file'),
  'upload.changed_file': row(400, 'The file has changed since this upload began'),

  // Storage
  'storage.bucket_not_found': row(400, 'Bucket not found'),
  'storage.bad_path': row(400, 'Invalid object path'),
  'storage.not_found': row(404, 'Object not found'),
  'storage.exists': row(409, 'An object of this name exists'),
  'storage.bad_range': row(416, 'Requested range not satisfiable'),
  'storage.bad_token': row(400, 'This signed URL is not valid'),
  'storage.full': row(507, 'The server has no space left'),

  // Sign-in and profile
  'auth.required': row(401, 'Authentication required'),
  'auth.failed': row(400, (p) => `Authentication failed: ${p.message}`),
  'auth.unexpected': row(400, (p) => `Unexpected error: ${p.message}`),
  'auth.bad_redirect': row(400, 'redirect_to is not a path of this site'),
  'auth.bad_provider': row(400, 'Unsupported provider'),
  'profile.load_failed': row(400, 'Failed to load profile data'),
  unexpected: row(500, 'An unexpected error occurred'),

  // The HTTP surface
  'request.invalid': row(400, (p) => `Invalid request: ${p.message}`),
  'request.not_found': row(404, 'Not found'),
  'request.bad_origin': row(403, 'This request does not come from this site'),
  'request.too_large': row(413, 'The request is too large'),
  'request.unsupported_type': row(415, 'Unsupported content type'),
  'request.unavailable': row(503, 'Try again in a moment'),
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof CATALOGUE;

/** What an error looks like on the wire (DESIGN §3). */
export interface WireError {
  readonly error: { readonly code: ErrorCode; readonly params: Params; readonly message: string };
}

/** An error of the catalogue. `message` is the English text; screens show `code` and `params` in their own language. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly params: Params;

  constructor(code: ErrorCode, params: Params = {}, options?: ErrorOptions) {
    super(CATALOGUE[code].text(params), options);
    this.name = 'AppError';
    this.code = code;
    this.params = params;
  }

  /** HTTP status of this error. */
  get status(): number {
    return CATALOGUE[this.code].status;
  }

  /** The wire form (DESIGN §3). */
  toWire(): WireError {
    return { error: { code: this.code, params: this.params, message: this.message } };
  }
}

const isParams = (value: unknown): value is Params =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((entry) => typeof entry === 'string' || typeof entry === 'number');

/** True for a code of the catalogue. */
export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(CATALOGUE, code);

/**
 * Rebuilds the AppError that a server sent, or null when `body` is not one.
 * @param body parsed JSON of a response
 */
export function fromWire(body: unknown): AppError | null {
  const error = (body as { error?: { code?: unknown; params?: unknown } } | null | undefined)?.error;
  if (!isErrorCode(error?.code)) return null;
  return new AppError(error.code, isParams(error.params) ? error.params : {});
}

/** Turns anything thrown into an AppError; only for the edges (DESIGN §3). */
export function toAppError(error: unknown, fallback: ErrorCode = 'unexpected'): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AppError(fallback, { message }, { cause: error });
}
