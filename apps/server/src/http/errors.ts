import { AppError } from '@satchel/contract/errors';
import type { FastifyReply } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { databaseAwayIn, sqlStateOf } from '../platform/database-pool.ts';

/** The edge where whatever was thrown becomes a row of the catalogue (DESIGN §3). */

const BY_FASTIFY_CODE: Readonly<Record<string, AppError['code']>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.unsupported_type',
  FST_ERR_NOT_FOUND: 'request.not_found',
};

/** The process, or the whole system, has no descriptor left. */
const OUT_OF_DESCRIPTORS = new Set(['EMFILE', 'ENFILE']);
/** Another process has the site, or this one is about to take it again; a statement or a lock took too long, or the transaction was undone too often: later it may go better. */
const DATABASE_BUSY = new Set(['ST001', '57014', '55P03', '40001', '40P01']);
export const AWAY_RETRY_SECONDS = 5;
/** Of status 503, and no fault of the server's: they would fill the log just when there is too much to do. */
const OVERLOAD: ReadonlySet<AppError['code']> = new Set<AppError['code']>([
  'request.busy',
  'request.crowded',
  'request.unavailable',
  'upload.throttled',
]);

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : '';
};

/** Any error as one of the catalogue; the request's own values never come back in its text. */
export function toHttpError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const [issue] = error.validation;
    const field = issue?.instancePath.slice(1).replaceAll('/', '.') || 'the request';
    return new AppError('request.invalid', { message: `${field}: ${issue?.message ?? 'invalid'}` }, { cause: error });
  }
  if (OUT_OF_DESCRIPTORS.has(codeOf(error))) {
    return new AppError('request.busy', { retry_after_seconds: 5 }, { cause: error });
  }
  if (databaseAwayIn(error) || DATABASE_BUSY.has(sqlStateOf(error))) {
    return new AppError('request.unavailable', { retry_after_seconds: AWAY_RETRY_SECONDS }, { cause: error });
  }
  const known = BY_FASTIFY_CODE[codeOf(error)];
  if (known) return new AppError(known, {}, { cause: error });
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (status === 413) return new AppError('request.too_large', {}, { cause: error });
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('request.invalid', { message: 'malformed' }, { cause: error });
  }
  return new AppError('unexpected', {}, { cause: error });
}

/** Whether the log should say where an error came from. */
export const isUnexpected = ({ code, status, cause }: AppError): boolean =>
  status >= 500 && (!OVERLOAD.has(code) || cause !== undefined);

/** Tells a client that is refused for now when to come back. */
export function setRetryAfter(reply: FastifyReply, { params: { retry_after_seconds } }: AppError): void {
  if (retry_after_seconds !== undefined) reply.header('retry-after', String(retry_after_seconds));
}

/**
 * What the log may know of an error: its kind and where it came from. Messages stay out, since a database driver puts
 * the values of the failed query into them (DESIGN §6).
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
