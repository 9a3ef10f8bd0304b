import { AppError, type WireError } from '@satchel/contract/errors';
import { KEY_PATTERN } from '@satchel/contract/link-fields';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { BlobMissingError } from '../platform/blobs/blobs.ts';
import { databaseAwayIn, sqlStateOf } from '../platform/database/database-pool.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

/** The edge where anything thrown becomes an error of the catalogue. */

const BY_FASTIFY_CODE: Readonly<Record<string, AppError['code']>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.unsupported_type',
  FST_ERR_NOT_FOUND: 'request.not_found',
};

/** The process or the whole system is out of file descriptors. */
const OUT_OF_DESCRIPTORS = new Set(['EMFILE', 'ENFILE']);
/** No space is left: on a disk, or on the database's disk. */
const DISK_FULL = new Set(['ENOSPC', 'EDQUOT']);
const DATABASE_FULL = '53100';
/** A disk that takes nothing, or that broke. */
const DISK_AWAY = new Set(['EROFS', 'EIO']);
const DISK_RETRY_SECONDS = 30;
/**
 * Temporary: another process holds the site, a statement or a lock timed out, or a transaction was rolled back too
 * often.
 */
const DATABASE_BUSY = new Set(['ST001', '57014', '55P03', '40001', '40P01']);
export const AWAY_RETRY_SECONDS = 5;
/** Errors of status 503 that are not the server's fault: under overload they would fill the log. */
const OVERLOAD: ReadonlySet<AppError['code']> = new Set<AppError['code']>(['request.busy', 'request.unavailable']);

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : '';
};

/** Turns any error into one of the catalogue, whose text never repeats values of the request. */
export function toHttpError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const [issue] = error.validation;
    if (issue?.params.pattern === String(KEY_PATTERN)) {
      return new AppError('key.bad_length', { length: Number(/\d+$/.exec(issue.message ?? '')) }, { cause: error });
    }
    const field = issue?.instancePath.slice(1).replaceAll('/', '.') || 'the request';
    return new AppError('request.invalid', { message: `${field}: ${issue?.message ?? 'invalid'}` }, { cause: error });
  }
  if (OUT_OF_DESCRIPTORS.has(codeOf(error))) {
    return new AppError('request.busy', { retry_after_seconds: 5 }, { cause: error });
  }
  if (databaseAwayIn(error) || DATABASE_BUSY.has(sqlStateOf(error))) {
    return new AppError('request.unavailable', { retry_after_seconds: AWAY_RETRY_SECONDS }, { cause: error });
  }
  if (DISK_FULL.has(codeOf(error)) || sqlStateOf(error) === DATABASE_FULL) {
    return new AppError('storage.full', {}, { cause: error });
  }
  if (DISK_AWAY.has(codeOf(error))) {
    return new AppError('storage.unavailable', { retry_after_seconds: DISK_RETRY_SECONDS }, { cause: error });
  }
  if (error instanceof BlobMissingError) return new AppError('storage.damaged', {}, { cause: error });
  const known = BY_FASTIFY_CODE[codeOf(error)];
  if (known) return new AppError(known, {}, { cause: error });
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (status === 413) return new AppError('request.too_large', {}, { cause: error });
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('request.invalid', { message: 'malformed' }, { cause: error });
  }
  return new AppError('unexpected', {}, { cause: error });
}

/** RFC 4918 §11.5: there is no space. The line of the answer says all there is to say; each further line takes space. */
const INSUFFICIENT_STORAGE = 507;

/** True when the log should record where an error came from. */
export const isUnexpected = ({ code, status, cause }: AppError): boolean =>
  status >= 500 && status !== INSUFFICIENT_STORAGE && (!OVERLOAD.has(code) || cause !== undefined);

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request is answered with, for the log; null while it has not failed. */
    failure: AppError | null;
  }
}

/** Sets the headers that an error's status asks for, and notes it for the log. @returns the body */
export function prepareError(reply: FastifyReply, error: AppError): WireError {
  const {
    status,
    params: { retry_after_seconds },
  } = error;
  reply.request.failure = error;
  reply.header(REQUEST_ID_HEADER, reply.request.id);
  // RFC 9110 §15.5.2: "The server generating a 401 response MUST send a WWW-Authenticate header field […]"
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (retry_after_seconds !== undefined) reply.header('retry-after', String(retry_after_seconds));
  return error.toWire(reply.request.id);
}

/**
 * What the log records of an error: its kind and its stack frames. Messages stay out, because a database driver puts
 * the failed query's values into them.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  const { constraint, syscall } = error as { constraint?: unknown; syscall?: unknown };
  return {
    kind: error.name,
    ...(codeOf(error) && { code: codeOf(error) }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(typeof syscall === 'string' && { syscall }),
    stack: frames.map((line) => line.trim()).slice(0, 12),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

/** Logs what a finished deletion left behind; the sweep purges it. */
export const reportLeftover = (request: FastifyRequest) => (error: unknown) =>
  request.log.error({ error: describeError(error) }, 'deletion incomplete, left to the sweep');
