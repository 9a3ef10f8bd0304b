import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import { PATHS } from '@satchel/contract/api';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { KIB } from '@satchel/contract/limits';
import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MINIMUM_RATE, type RateMinimum } from '../domain/uploads/minimum-rate.ts';
import { newRequestId, REQUEST_ID_HEADER } from './request-id.ts';
import { mayUpgrade } from './storage/socket-upgrade.ts';

/** Header, body and idle timeouts, size limits and minimum rates of every request. */

export interface Timeouts {
  /** Time for a request's headers. */
  readonly headersMs: number;
  /** Time for a JSON body of a few kilobytes. */
  readonly bodyMs: number;
  /** Time in which a connection with an open request may move no byte. A paused film resumes by a new range. */
  readonly idleMs: number;
  /** The minimum rate of a client that reads an answer. */
  readonly readerRate: RateMinimum;
  /** The minimum rate of a client that sends an upload. */
  readonly senderRate: RateMinimum;
  /** Time for the first message of an upload socket. */
  readonly socketBeginMs: number;
  /** Time between pings of an upload socket; one without an answer until the next ends it. */
  readonly socketPingMs: number;
  /** Time for uploads by requests to end, once their server was asked to; the others are told to continue elsewhere. */
  readonly uploadEndMs: number;
}

const MINUTE_MS = 60_000;
export const TIMEOUTS: Timeouts = {
  headersMs: 20_000,
  bodyMs: 30_000,
  idleMs: 5 * MINUTE_MS,
  // The server sees a reader's progress in steps: our buffer, and a third of the kernel's, which has up to 4 MiB. At 2
  // KB/s one step takes under a quarter of an hour.
  readerRate: { windowMs: 15 * MINUTE_MS, minBytes: 256 * KIB },
  senderRate: MINIMUM_RATE,
  socketBeginMs: 5000,
  // Proxies close a connection that is silent for a minute.
  socketPingMs: 15_000,
  // Less than all requests have (main.ts), so that there is time for the answer.
  uploadEndMs: 8000,
};

/** All headers together; Upload-Metadata with a sealed label takes up to 8 KiB. */
const HEADERS_MAX_BYTES = 16 * KIB;
/** A signed URL takes less than half. */
const URL_MAX_CHARACTERS = 8 * KIB;
/** The longest request: a folder's longest life by default. Uploads resume in another request. */
const REQUEST_MAX_MS = 24 * 60 * MINUTE_MS;
/** For folders, settings, proofs and reports. Routes that take more set their own limit. */
const JSON_MAX_BYTES = 64 * KIB;

const BY_PARSER_CODE: Readonly<Record<string, readonly [status: number, code: ErrorCode]>> = {
  HPE_HEADER_OVERFLOW: [431, 'request.too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request.timeout'],
};

/** Answers connections without a request: headers too long or too late, or no HTTP. Fastify calls it as a method of the app. */
function answerUnread(this: FastifyInstance, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const [status, code] = BY_PARSER_CODE[error.code ?? ''] ?? ([400, 'request.invalid'] as const);
    const request = newRequestId();
    const body = JSON.stringify(new AppError(code, { message: 'malformed' }).toWire(request));
    this.log.info({ route: 'none', status, code, request }, 'answered');
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'x-content-type-options: nosniff',
      `${REQUEST_ID_HEADER}: ${request}`,
      'connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}

/** The same timeouts as Node's and Fastify's own settings. */
export function serverTimeouts({ headersMs, idleMs }: Timeouts): FastifyHttpOptions<Server> {
  return {
    bodyLimit: JSON_MAX_BYTES,
    connectionTimeout: idleMs,
    requestTimeout: REQUEST_MAX_MS,
    clientErrorHandler: answerUnread,
    http: {
      shouldUpgradeCallback: mayUpgrade,
      headersTimeout: headersMs,
      maxHeaderSize: HEADERS_MAX_BYTES,
      connectionsCheckingInterval: Math.min(headersMs, 10_000),
    },
  };
}

export const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Uploads, and the stills after them. */
const hasMinimumRate = ({ method, routeOptions: { url = '' } }: FastifyRequest) =>
  url.startsWith(PATHS.resumable) || (method === 'PUT' && url.startsWith(PATHS.still));

/** A body that fails if it is not complete in time. */
function inTime(body: Readable & { complete?: boolean }, ms: number, onLate: () => void): Readable {
  const timed = new PassThrough();
  // A refused request's body has no reader; without a listener its error would end the process.
  timed.on('error', () => undefined);
  const timer = setTimeout(() => {
    onLate();
    timed.destroy(new AppError('request.timeout'));
  }, ms);
  timed.once('close', () => clearTimeout(timer));
  timed.once('end', () => clearTimeout(timer));
  body.once('close', () => body.complete || timed.destroy(new AppError('request.timeout')));
  return body.pipe(timed);
}

/** Cuts readers that read next to nothing: each holds a connection, buffers, and perhaps a file. */
function cutSlowReaders(app: FastifyInstance, { windowMs, minBytes }: RateMinimum): void {
  /** Bytes written on a request's connection at the last check; null while it was unanswered. */
  const readers = new Map<FastifyReply, number | null>();
  const look = () => {
    for (const [reply, bytes] of readers) {
      const { socket, headersSent } = reply.raw;
      const written = socket && headersSent ? socket.bytesWritten : null;
      readers.set(reply, written);
      if (!socket || written === null || bytes === null || written - bytes >= minBytes) continue;
      reply.request.log.info({ route: reply.request.routeOptions.url }, 'reader was too slow');
      socket.destroy();
    }
  };
  const timer = setInterval(look, windowMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.addHook('onRequest', async (request, reply) => {
    // A stream of changes says next to nothing, and ends by itself when it is not read.
    if (request.routeOptions.url === CHANGES_PATH) return;
    readers.set(reply, null);
    reply.raw.once('close', () => readers.delete(reply));
  });
}

/** Limits the URL's length and the body's time of every request; bodies of uploads have a minimum rate instead. */
export function setBounds(app: FastifyInstance, { bodyMs, readerRate }: Timeouts): void {
  app.addHook('onRequest', async (request) => {
    if (request.url.length > URL_MAX_CHARACTERS) throw new AppError('request.too_large');
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    if (!hasBody(request) || hasMinimumRate(request)) return payload;
    return inTime(payload, bodyMs, () => reply.header('connection', 'close'));
  });
  cutSlowReaders(app, readerRate);
}
