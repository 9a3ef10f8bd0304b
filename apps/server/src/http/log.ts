import { PATHS } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { innermost } from '../platform/cause.ts';
import type { Tokens } from '../platform/keys/tokens.ts';
import { describeError, isUnexpected } from './errors.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

/** The only fields of a log line besides its text. Adding one is a decision, made here. */
const FIELDS = new Set([
  'route',
  'method',
  'status',
  'ms',
  'bytes',
  'user',
  'code',
  'error',
  'step',
  'address',
  'request',
]);

const allowed = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => (name === 'err' ? ['error', value] : [name, value]))
      .filter(([name]) => FIELDS.has(String(name)))
      .map(([name, value]) => [name, value instanceof Error ? describeError(value) : value]),
  );

/**
 * A logger that can't leak secrets: of an object that a library passes to it, only the listed fields are written.
 * @param destination stdout if left out
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: allowed },
      serializers: { err: (error) => error },
      hooks: {
        logMethod(args, method) {
          const [first, text] = args as unknown as [unknown, unknown];
          if (typeof first !== 'object' || first === null) return method.apply(this, args);
          // Without a text, pino would log the error's message, which may hold anything.
          const fields = first instanceof Error ? { error: first } : first;
          return method.call(this, fields, typeof text === 'string' ? text : 'event');
        },
      },
    },
    ...(destination ? [destination] : []),
  );
}

/** Logs failures that no answer reports, without the error's message. */
export const reportTo =
  (logger: FastifyBaseLogger, text: string) =>
  (error: unknown): void =>
    logger.error({ error: describeError(error) }, text);

/** Balancers ask every second or so, and Prometheus every fifteen: their lines would hide all others. */
const PROBES: ReadonlySet<string> = new Set([PATHS.healthz, PATHS.readyz, PATHS.metrics]);

/** The code of the answer's error; and what the system said, where the error has no line of its own. */
export function failureFields(failure: AppError | null): Record<string, unknown> {
  if (!failure) return {};
  const { code, status, cause } = failure;
  if (status < 500 || cause === undefined || isUnexpected(failure)) return { code };
  const { stack: _, ...said } = describeError(innermost(cause));
  return { code, error: said };
}

/** The line of an answer. */
export function logAnswer(request: FastifyRequest, reply: FastifyReply, tokens?: Tokens): void {
  const length = reply.raw.getHeader('content-length');
  const isQuiet = PROBES.has(request.routeOptions.url ?? '') && reply.statusCode < 400;
  request.log[isQuiet ? 'debug' : 'info'](
    {
      route: request.routeOptions.url ?? 'none',
      method: request.method,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(length !== undefined && { bytes: Number(length) }),
      ...(request.viewer && tokens && { user: tokens.hashForLog(request.viewer.profile_id) }),
      ...failureFields(request.failure),
    },
    'answered',
  );
}

/** One line per answer. */
export function logAnswers(app: FastifyInstance, tokens: Tokens): void {
  app.decorateRequest('failure', null);
  app.addHook('onRequest', async (request, reply) => void reply.header(REQUEST_ID_HEADER, request.id));
  app.addHook('onResponse', async (request, reply) => logAnswer(request, reply, tokens));
}
