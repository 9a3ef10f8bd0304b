import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import { PATHS } from '@satchel/contract/api';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { KIB } from '@satchel/contract/limits';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PACE, type PaceLimits } from '../domain/pace.ts';

/** How long the server waits for whom, and how much it reads of what it has not looked at (issue of slow clients). */

export interface Patience {
  /** Until a request's headers are there. */
  readonly headersMs: number;
  /** Until a JSON body is there: a few kilobytes. */
  readonly bodyMs: number;
  /** While a connection with an open request moves not a byte. A film that is paused reads on where it was cut. */
  readonly idleMs: number;
  /** How slow the reader of an answer may be. */
  readonly readerPace: PaceLimits;
  /** How slow the sender of an upload may be. */
  readonly pace: PaceLimits;
}

const MINUTE_MS = 60_000;
export const PATIENCE: Patience = {
  headersMs: 20_000,
  bodyMs: 30_000,
  idleMs: 5 * MINUTE_MS,
  // The server sees a reader's progress in steps: a buffer of ours, and a third of the kernel's, which has up to 4 MiB. A
  // line of 2 KB/s takes one such step within a quarter of an hour.
  readerPace: { windowMs: 15 * MINUTE_MS, minBytes: 256 * KIB },
  pace: PACE,
};

/** All headers together; Upload-Metadata with a sealed label has up to 8 KiB. */
const HEADERS_MAX_BYTES = 16 * KIB;
/** A signed URL has less than half. */
const URL_MAX_CHARACTERS = 8 * KIB;
/** No request takes longer than a folder lives at most by default; uploads go on in another one. */
const REQUEST_MAX_MS = 24 * 60 * MINUTE_MS;
/** Folders, settings, proofs, reports: a few kilobytes. Routes that take more say so. */
const JSON_MAX_BYTES = 64 * KIB;

const BY_PARSER_CODE: Readonly<Record<string, readonly [status: number, code: ErrorCode]>> = {
  HPE_HEADER_OVERFLOW: [431, 'request.too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request.timeout'],
};

/** Answers what is no request yet: its headers are too long, too late, or no HTTP. */
function answerUnread(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const [status, code] = BY_PARSER_CODE[error.code ?? ''] ?? ([400, 'request.invalid'] as const);
    const body = JSON.stringify(new AppError(code, { message: 'malformed' }).toWire());
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'x-content-type-options: nosniff',
      'connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}

/** What Node and Fastify have to know of it. */
export function patientServer({ headersMs, idleMs }: Patience): FastifyHttpOptions<Server> {
  return {
    bodyLimit: JSON_MAX_BYTES,
    connectionTimeout: idleMs,
    requestTimeout: REQUEST_MAX_MS,
    clientErrorHandler: answerUnread,
    http: {
      headersTimeout: headersMs,
      maxHeaderSize: HEADERS_MAX_BYTES,
      connectionsCheckingInterval: Math.min(headersMs, 10_000),
    },
  };
}

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** A body that fails when it is not whole in time. */
function inTime(body: Readable & { complete?: boolean }, ms: number, onLate: () => void): Readable {
  const timed = new PassThrough();
  // Nobody reads the body of a request that has been refused; unheard, its failure would end the process.
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

/** Cuts readers who read next to nothing of what they asked for: each holds a connection, buffers, and perhaps a file. */
function cutSlowReaders(app: FastifyInstance, { windowMs, minBytes }: PaceLimits): void {
  /** Bytes that had been written on a request's connection at the last look; null for one that was still unanswered. */
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
  app.addHook('onRequest', async (_request, reply) => {
    readers.set(reply, null);
    reply.raw.once('close', () => readers.delete(reply));
  });
}

/** Sets bounds to what comes before any route. Bodies of uploads have a pace instead. */
export function setBounds(app: FastifyInstance, { bodyMs, readerPace }: Patience): void {
  app.addHook('onRequest', async (request) => {
    if (request.url.length > URL_MAX_CHARACTERS) throw new AppError('request.too_large');
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    if (!hasBody(request) || request.routeOptions.url?.startsWith(PATHS.resumable)) return payload;
    return inTime(payload, bodyMs, () => reply.header('connection', 'close'));
  });
  cutSlowReaders(app, readerPace);
}
