import { AppError } from '@satchel/contract/errors';
import { displayName, isSealedName } from '@satchel/contract/naming';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DownloadGuard, Send } from '../../domain/files/download-guard.ts';
import { eTagOf, type FileRow, type FoundFile } from '../../domain/files/files.ts';
import { BlobMissingError, type BlobReader, type BlobStore, type ByteRange } from '../../platform/blobs/blobs.ts';
import { attachment, hasVersion, parseRange, rangeCounts, servedType } from './byte-range.ts';

const KEEP_ALIVE_MS = 60_000;

export interface OpenedFile {
  readonly file: FileRow;
  readonly blob: BlobReader;
}

/**
 * Finds a file and opens its blob. If the file was replaced in between, its old blob is missing, and the file is looked
 * up again.
 * @param triedKey the blob that was missing the last time
 */
export async function openFile(
  blobs: BlobStore,
  find: () => Promise<FoundFile>,
  triedKey?: string,
): Promise<OpenedFile> {
  const file = await find();
  try {
    const parts = { blobKey: file.blob_key, parts: file.parts ?? [] };
    return { file, blob: await blobs.open(parts, file.size_bytes) };
  } catch (error) {
    const isReplaced = error instanceof BlobMissingError && file.blob_key !== triedKey;
    if (!isReplaced) throw error;
    return openFile(blobs, find, file.blob_key);
  }
}

/** The file's name for people. Of a sealed file the server knows only the stored name. */
const downloadName = (name: string) => (isSealedName(name) ? name : displayName(name));

/** True when no cache is to keep the answer: browsers send `no-cache` for a fetch with the cache mode `no-store`, too. */
const isPastCaches = (cacheControl: string | undefined): boolean =>
  /(?:^|,)\s*no-(?:cache|store)\s*(?:,|$)/i.test(cacheControl ?? '');

/**
 * A stranger's bytes: this site never shows or runs them, and shared caches never store them. What was asked
 * for past the caches says so, too: of any other answer Chromium reads up to 50 MiB ahead of the script that asked, into
 * memory, so that a slow reader does not hold up its cache.
 */
const headersOf = (file: FileRow, isElsewhere: boolean, cacheControl: string | undefined) => ({
  'content-type': servedType(file.mimetype),
  'content-disposition': attachment(downloadName(file.name)),
  'x-content-type-options': 'nosniff',
  'cache-control': isPastCaches(cacheControl) ? 'private, no-cache, no-store' : 'private, no-cache',
  // By their other origin they are for the page of the site, which is another origin there.
  'cross-origin-resource-policy': isElsewhere ? 'cross-origin' : 'same-origin',
  'accept-ranges': 'bytes',
  etag: eTagOf(file),
});

/**
 * Waits until earlier requests on the same connection are answered. Otherwise a thousand pipelined requests would hold
 * a thousand files open.
 * @throws request.unavailable when the connection closes first
 */
export async function awaitTurn({ raw }: FastifyReply): Promise<void> {
  if (!raw.socket && !raw.destroyed) {
    await new Promise((resolve) => {
      raw.once('socket', resolve);
      raw.once('close', resolve);
    });
  }
  if (!raw.socket) throw new AppError('request.unavailable');
}

interface Answer {
  readonly status: 200 | 206 | 304;
  readonly range: ByteRange;
}

/** @throws storage.bad_range */
function answerTo(request: FastifyRequest, reply: FastifyReply, file: FileRow): Answer {
  const { headers, method } = request;
  const eTag = eTagOf(file);
  const whole = { start: 0, end: file.size_bytes };
  // RFC 9110 §13.1.2: "the origin server MUST respond with either a) the 304 (Not Modified) status code if the request
  // method is GET or HEAD".
  if (hasVersion(headers['if-none-match'], eTag)) return { status: 304, range: { start: 0, end: 0 } };
  // RFC 9110 §14.2: "For this specification, GET is the only method for which range handling is defined."
  // RFC 9110 §13.1.5: "A recipient of an If-Range header field MUST ignore the Range header field if the If-Range
  // condition evaluates to false."
  const isRanged = method === 'GET' && rangeCounts(headers['if-range']?.toString(), eTag);
  const range = isRanged ? parseRange(headers.range, file.size_bytes) : 'whole';
  if (range === 'whole') return { status: 200, range: whole };
  if (range !== 'unsatisfiable') return { status: 206, range };
  // RFC 9110 §15.5.17: "A server that generates a 416 response to a byte-range request SHOULD generate a Content-Range
  // header field specifying the current length of the selected representation".
  reply.header('content-range', `bytes */${file.size_bytes}`);
  throw new AppError('storage.bad_range');
}

interface Sending extends Pick<Send, 'mayRead'> {
  readonly watch: DownloadGuard;
  /** True on the origin of USERCONTENT_URL. */
  readonly isElsewhere: boolean;
}

/** Sends a file's bytes, until the file is deleted or its reader may no longer read it, and closes its blob. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, blob, watch, mayRead, isElsewhere }: OpenedFile & Sending,
): Promise<void> {
  // Resets the connection, so that the client doesn't take the part that arrived for the whole file.
  const end = watch.begin({ blobKey: () => file.blob_key, mayRead, cut: () => request.raw.socket.resetAndDestroy() });
  try {
    const { status, range } = answerTo(request, reply, file);
    reply.code(status).headers(headersOf(file, isElsewhere, request.headers['cache-control']));
    if (status !== 304) reply.header('content-length', range.end - range.start);
    // RFC 9110 §15.3.7.1: "If a single part is being transferred, the server generating the 206 response MUST generate
    // a Content-Range header field, describing what range of the selected representation is enclosed, and a content
    // consisting of the range."
    if (status === 206) reply.header('content-range', `bytes ${range.start}-${range.end - 1}/${file.size_bytes}`);
    // The bytes bypass Fastify; sendBytes copies the headers that its hooks have set.
    reply.hijack();
    await sendBytes(request, reply, blob, status === 304 || request.method === 'HEAD' ? null : range);
  } finally {
    end();
    await blob.close();
  }
}

async function sendBytes(request: FastifyRequest, reply: FastifyReply, blob: BlobReader, range: ByteRange | null) {
  const { raw } = reply;
  raw.statusCode = reply.statusCode;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.socket?.setKeepAlive(true, KEEP_ALIVE_MS);
  if (range === null) return void raw.end();
  try {
    await blob.send(range, raw);
    raw.end();
  } catch (error) {
    // Log only our own failure, not a receiver that left. Break the connection: a short file must not look complete.
    if (!raw.destroyed) request.log.error({ error, route: request.routeOptions.url ?? 'none' }, 'download broke off');
    raw.destroy();
  }
}
