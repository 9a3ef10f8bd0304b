import { SERVER_ROWS } from '#server-rows';
import { count, type Params, type Row, row } from './error-rows/row.ts';
import { shownAbove, sizeText } from './files/sizes.ts';

export type { Params } from './error-rows/row.ts';

/**
 * The one error catalogue: a row per message and per refusal of the HTTP surface. `status` is the HTTP status
 * when the server says it; rows that only a browser can meet keep 400. `text` is the English catalogue, verbatim where it is specified.
 */

const orUnknown = (p: Params) => p.message || 'Unknown error';
const size = (bytes: string | number | undefined) => sizeText(Number(bytes));
/** As it is in the text of a file that is too large. */
const megabytes = (bytes: string | number | undefined) => {
  const value = Number(bytes) / 1024 ** 2;
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
};

/** Errors that a browser can meet by itself; the server's own are in error-rows/. */
const SHARED_ROWS = {
  // Folder and key
  'folder.not_found': row(404, 'Folder not found'),
  'folder.changed': row(
    400,
    'The server now answers with a different folder. Nothing more is sent to it. Ask the owner what changed',
  ),
  'folder.not_as_asked': row(
    400,
    'The server made a different folder from the one you asked for. Nothing was uploaded to it. Try again',
  ),
  'folder.load_failed': row(400, (p) => `Failed to load folder: ${orUnknown(p)}`),
  'folder.expired': row(410, 'Folder expired'),
  'folder.revoked': row(
    409,
    'The link of this folder was revoked, so the folder takes no further uploads. Make a new folder',
  ),
  'files.load_failed': row(400, 'Failed to load files'),
  'key.not_found': row(404, 'Key not found'),
  'key.retrieval_failed': row(400, (p) => `${p.message || 'Key not found'}`),
  'key.bad_length': row(400, (p) => `Invalid key format. Expected 128 hex characters, got ${p.length}`),
  'key.needs_link': row(403, 'This device has no key for this folder. Open the full link on this device'),
  'key.unsealable': row(400, 'This link does not open this folder'),
  'key.discord_now': row(400, 'The server says that this folder is a Discord link now'),
  'key.link_changed': row(409, 'The link of this folder was changed somewhere else meanwhile. Reload the page'),
  'key.labels_changed': row(409, 'The files of this folder change too fast at the moment. Try again'),
  'key.ring_full': row(409, 'The link of this folder was changed too often. Make a new folder'),
  'key.passphrase_failed': row(
    400,
    'This browser could not process the passphrase. Reload the page, or close other tabs, and try again',
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
    (p) => `${p.name} was not saved whole (${size(p.deliveredBytes)} of ${size(p.sizeBytes)}). Download it again`,
  ),
  'download.too_large_here': row(
    400,
    (p) =>
      `This window can only save encrypted files of up to ${size(p.maxBytes)}. Open the link in a window that is neither private nor inside an app, or in another browser`,
  ),
  'download.zip_too_large_here': row(
    400,
    (p) => `This browser can pack at most ${size(p.maxBytes)} into one zip. Select fewer files at a time`,
  ),
  'download.zip_cut': row(400, 'The zip was not saved whole. Download it again'),
  /** No code throws this one, `upload.size_required` and `upload.type_not_allowed`: agreed texts for cases that don't occur yet. */
  'download.storage_failed': row(400, (p) => `Failed to download file from Supabase: ${p.message}`),
  'open.too_large_here': row(
    400,
    (p) => `This browser can only show encrypted files of up to ${size(p.maxBytes)}. Download it to open it elsewhere`,
  ),
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
  'open.foreign': row(400, 'Not from this folder'),
  'open.bad_hmac': row(400, (p) => `HMAC verification failed for chunk ${p.chunk}`),
  'open.chunk_failed': row(400, (p) => `Decryption failed at chunk ${p.chunk}`),
  'open.incomplete': row(400, (p) => `Incomplete decryption: processed ${p.processed}/${p.total} chunks`),
  'open.size_mismatch': row(400, 'Final size mismatch'),
  'open.empty': row(400, 'Decrypted file is empty'),

  // Seal and upload
  'seal.name_too_long': row(400, 'The file name is too long. Rename the file and choose it again'),
  'seal.path_too_long': row(
    400,
    'The path of this file is too long or too deep. Move the file up or shorten the names, and choose it again',
  ),
  'seal.header_too_long': row(400, 'The name and type of this file are too long. Rename the file and choose it again'),
  'upload.create_failed': row(400, (p) => `Failed to create upload: ${p.status} ${p.statusText}`),
  'upload.no_url': row(400, 'Server did not return upload URL'),
  'upload.chunk_failed': row(400, (p) => `Chunk upload failed: ${p.status} ${p.statusText}`),
  'upload.stream_size': row(400, 'Stream size mismatch'),
  'upload.size_required': row(400, 'uploadSize must be provided for ReadableStream uploads'),
  'upload.no_header': row(400, 'File header not generated'),
  'upload.unauthenticated': row(401, 'User must be authenticated for file uploads'),
  'upload.too_large': row(
    413,
    (p) =>
      `File size (${megabytes(shownAbove(Number(p.sizeBytes), Number(p.maxBytes)))}MB) exceeds maximum allowed size (${megabytes(p.maxBytes)}MB)`,
  ),
  'upload.type_not_allowed': row(
    400,
    (p) => `File type "${p.type}" is not allowed. Allowed types: ${p.allowed || 'any'}`,
  ),
  'upload.over_quota': row(
    413,
    (p) => `Not enough storage: ${size(p.freeBytes)} of your storage is left. Delete files or a folder to make room`,
  ),
  'upload.too_many_chosen': row(400, (p) => `At most ${p.max} files are taken at once. Add the others afterwards`),
  'upload.too_many_files': row(
    413,
    (p) => `A folder holds at most ${count(p.max, 'file', 'files')}. Put the others into another folder`,
  ),
  'upload.not_found': row(404, 'Upload not found'),
  'upload.gone': row(410, 'This upload was cancelled or has expired. Start it again'),
  'upload.not_plain': row(
    400,
    'This device knows this folder as encrypted, so nothing is sent unencrypted. Open the full link on this device',
  ),
  'upload.elsewhere': row(409, 'Another tab is uploading this file'),
  'upload.changed_file': row(400, 'The file has changed since this upload began'),

  // Storage
  'storage.bad_path': row(400, 'Invalid object path'),
  'storage.not_found': row(404, 'Object not found'),

  // Sign-in and profile
  'auth.required': row(401, 'Authentication required'),
  'auth.failed': row(400, (p) => `Authentication failed: ${p.message}`),
  'auth.cancelled': row(400, 'Authentication failed: you cancelled in Discord'),
  'auth.unexpected': row(400, (p) => `Unexpected error: ${p.message}`),
  'profile.load_failed': row(400, 'Failed to load profile data'),
  unexpected: row(500, 'An unexpected error occurred'),

  // The HTTP surface
  'request.invalid': row(400, (p) => `Invalid request: ${p.message}`),
} as const satisfies Record<string, Row>;

export const CATALOGUE = { ...SHARED_ROWS, ...SERVER_ROWS };

export type ErrorCode = keyof typeof CATALOGUE;

const UNEXPECTED = CATALOGUE.unexpected;
/** Undefined in a browser for the server's own rows. */
const rowOf = (code: ErrorCode): Row | undefined => (Object.hasOwn(CATALOGUE, code) ? CATALOGUE[code] : undefined);

/** What an error looks like on the wire. */
export interface WireError {
  readonly error: {
    readonly code: ErrorCode;
    readonly params: Params;
    readonly message: string;
    readonly status: number;
    /** Names the request in the server's log. */
    readonly request_id?: string;
  };
}

/** Fields that came over the wire beside code and params; text and status count for an error whose row is not in this bundle. */
interface Sent {
  readonly message: string;
  readonly status: number;
  readonly request_id?: string | undefined;
}

/** An error of the catalogue. `message` is the English text; screens show `code` and `params` in their own language. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly params: Params;
  /** HTTP status of this error. */
  readonly status: number;
  /** The request that the server answered so; undefined for an error that did not come from it. */
  readonly request_id: string | undefined;

  /** @param options `wire` has the fields that came over the wire */
  constructor(code: ErrorCode, params: Params = {}, options?: ErrorOptions & { readonly wire?: Sent }) {
    const { wire, ...rest } = options ?? {};
    const known = rowOf(code);
    super(known?.text(params) ?? wire?.message ?? UNEXPECTED.text(params), rest);
    this.name = 'AppError';
    this.code = code;
    this.params = params;
    this.status = known?.status ?? wire?.status ?? UNEXPECTED.status;
    this.request_id = wire?.request_id;
  }

  /** The wire form. */
  toWire(request_id = this.request_id): WireError {
    const { code, params, message, status } = this;
    return { error: { code, params, message, status, ...(request_id !== undefined && { request_id }) } };
  }
}

const REQUEST_ID = /^[0-9a-f]{16}$/;

const isParams = (value: unknown): value is Params =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((entry) => typeof entry === 'string' || typeof entry === 'number');

const isErrorStatus = (status: unknown): status is number =>
  typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600;

/** True for the form of a code. A browser doesn't know all codes, nor a newer server's. */
const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && /^[a-z_]+(\.[a-z_]+)?$/.test(code);

/**
 * Rebuilds the AppError that a server sent, or null when `body` is not one.
 * @param body parsed JSON of a response
 */
export function fromWire(body: unknown): AppError | null {
  const error = (body as { error?: Record<keyof WireError['error'], unknown> } | null | undefined)?.error;
  if (!isCode(error?.code) || typeof error.message !== 'string') return null;
  const { code, params, message, status, request_id } = error;
  const wire = {
    message,
    status: isErrorStatus(status) ? status : UNEXPECTED.status,
    request_id: typeof request_id === 'string' && REQUEST_ID.test(request_id) ? request_id : undefined,
  };
  return new AppError(code, isParams(params) ? params : {}, { wire });
}

/** Turns anything thrown into an AppError; only for the edges. */
export function toAppError(error: unknown, fallback: ErrorCode = 'unexpected'): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AppError(fallback, { message }, { cause: error });
}
