import { AppError } from '@satchel/contract/errors';
import { displayName, isSealedName } from '@satchel/contract/naming';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { eTagOf, type FileRow } from '../domain/files.ts';
import type { Send, SendWatch } from '../domain/send-watch.ts';
import { BlobMissingError, type BlobReader, type BlobStore, type ByteRange } from '../platform/blobs.ts';
import { attachment, hasVersion, parseRange, rangeCounts, servedType } from './byte-range.ts';

const KEEP_ALIVE_MS = 60_000;

export interface OpenedFile {
  readonly file: FileRow;
  readonly blob: BlobReader;
}

/**
 * Finds a file and opens its bytes. Between the two it may be replaced or removed, and its old blob with it; then it is
 * looked for again.
 * @param triedKey the blob that was not there the last time
 */
export async function openFile(blobs: BlobStore, find: () => Promise<FileRow>, triedKey?: string): Promise<OpenedFile> {
  const file = await find();
  try {
    return { file, blob: await blobs.open(file.blob_key) };
  } catch (error) {
    const isReplaced = error instanceof BlobMissingError && file.blob_key !== triedKey;
    if (!isReplaced) throw error;
    return openFile(blobs, find, file.blob_key);
  }
}

/** What people see as the file's name: for a sealed one the stored name, which is all that the server knows. */
const downloadName = (name: string) => (isSealedName(name) ? name : displayName(name));

/** A stranger's bytes: never shown by this site, never run, never kept by a cache in between (DESIGN §6). */
const headersOf = (file: FileRow) => ({
  'content-type': servedType(file.mimetype),
  'content-disposition': attachment(downloadName(file.name)),
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  'cross-origin-resource-policy': 'same-origin',
  'accept-ranges': 'bytes',
  etag: eTagOf(file),
});

/**
 * Waits until what came before on the same connection is answered. Else each of a thousand requests that are sent at once
 * down one line would hold a file open until its turn came.
 * @throws request.unavailable when the connection has closed meanwhile
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
  if (hasVersion(headers['if-none-match'], eTag)) return { status: 304, range: { start: 0, end: 0 } };
  // Only GET knows ranges (RFC 9110 §14.2).
  const isRanged = method === 'GET' && rangeCounts(headers['if-range']?.toString(), eTag);
  const range = isRanged ? parseRange(headers.range, file.size_bytes) : 'whole';
  if (range === 'whole') return { status: 200, range: whole };
  if (range !== 'unsatisfiable') return { status: 206, range };
  reply.header('content-range', `bytes */${file.size_bytes}`);
  throw new AppError('storage.bad_range');
}

/** Answers with a file's bytes, for as long as there is such a file, and closes its blob. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, blob, watch, mayRead }: OpenedFile & { readonly watch: SendWatch } & Pick<Send, 'mayRead'>,
): Promise<void> {
  // A reset, and not an end: bytes on their way are dropped, and nobody takes what came for the whole file.
  const end = watch.begin({ blobKey: file.blob_key, mayRead, cut: () => request.raw.socket.resetAndDestroy() });
  try {
    if (blob.sizeBytes < file.size_bytes) throw new BlobMissingError('The blob is shorter than its file');
    const { status, range } = answerTo(request, reply, file);
    reply.code(status).headers(headersOf(file));
    if (status !== 304) reply.header('content-length', range.end - range.start);
    if (status === 206) reply.header('content-range', `bytes ${range.start}-${range.end - 1}/${file.size_bytes}`);
    // From here on the bytes go out past Fastify (DESIGN §2); what its hooks have set goes with them.
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
    // A receiver that left is no news; a file that can't be read ends as a broken connection, never as a short file.
    if (!raw.destroyed) request.log.error({ error, route: request.routeOptions.url ?? 'none' }, 'download broke off');
    raw.destroy();
  }
}
