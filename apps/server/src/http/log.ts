import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Tokens } from '../platform/keys/tokens.ts';
import { describeError } from './errors.ts';

/** The only fields of a log line besides its text (DESIGN §6). Adding one is a decision, made here. */
const FIELDS = new Set(['route', 'method', 'status', 'ms', 'bytes', 'user', 'error', 'step', 'address']);

const allowed = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => (name === 'err' ? ['error', value] : [name, value]))
      .filter(([name]) => FIELDS.has(String(name)))
      .map(([name, value]) => [name, value instanceof Error ? describeError(value) : value]),
  );

/**
 * A logger that can't leak secrets: whatever a library passes to it, only the listed fields are written.
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

/** One line per answer. */
export function logAnswers(app: FastifyInstance, tokens: Tokens): void {
  app.addHook('onResponse', async (request, reply) => {
    const length = reply.raw.getHeader('content-length');
    request.log.info(
      {
        route: request.routeOptions.url ?? 'none',
        method: request.method,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        ...(length !== undefined && { bytes: Number(length) }),
        ...(request.viewer && { user: tokens.hashForLog(request.viewer.profile_id) }),
      },
      'answered',
    );
  });
}
