import type { IncomingMessage } from 'node:http';
import { MIB } from '@satchel/contract/limits';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isSessionAlive } from '../../domain/accounts/sessions.ts';
import { inSessionTurn } from '../client-turns.ts';
import type { AppDeps } from '../deps.ts';
import { isUnexpected, prepareError, toHttpError } from '../errors.ts';
import { bearerOf } from '../requester.ts';

/**
 * What the storage and tus routes share: bearers instead of cookies, and errors in the form that their clients read.
 */

// How much of a refused body is read, so that its sender reads the answer instead of a reset connection.
const DRAIN_MAX_BYTES = 16 * MIB;
const DRAIN_MAX_MS = 5000;
/** The same while the server closes: just enough for the answer to arrive. */
const DRAIN_CLOSING_MS = 500;
const DRAIN_CHECK_MS = 100;

/** Reads and drops the rest of a refused body, within bounds, and then closes the connection. */
function drain(body: IncomingMessage, maxMs: number): void {
  if (body.complete) return;
  const { socket } = body;
  const untilBytes = socket.bytesRead + DRAIN_MAX_BYTES;
  const untilMs = performance.now() + maxMs;
  const timer = setInterval(() => {
    const isOver = body.complete || socket.destroyed;
    if (!isOver && socket.bytesRead < untilBytes && performance.now() < untilMs) return;
    clearInterval(timer);
    if (!isOver) socket.destroy();
  }, DRAIN_CHECK_MS);
  body.on('error', () => undefined);
  body.resume();
}

/** Ignores the bearer of a session that has ended. */
export async function clearEndedViewer(request: FastifyRequest, { database }: AppDeps): Promise<void> {
  if (request.viewer && !(await isSessionAlive(database.db, request.viewer))) request.viewer = null;
}

/**
 * Makes a bearer valid only while its session lives. Signing out, a ban or deleting the account ends it at once, not
 * after its ten minutes. What an upload under way may still commit is decided by its lease (domain/uploads/leases).
 */
export function requireLiveSessions(scope: FastifyInstance, deps: AppDeps): void {
  scope.addHook('onRequest', async (request) => {
    if (request.viewer) await inSessionTurn(deps.gate, request, () => clearEndedViewer(request, deps));
  });
}

/** Sets up a scope of storage routes. */
export function openStorageScope(scope: FastifyInstance, { tokens }: AppDeps): void {
  scope.addHook('onRequest', async (request) => {
    request.viewer = bearerOf(request, tokens);
  });
  scope.setErrorHandler((thrown, request, reply) => {
    const error = toHttpError(thrown);
    if (isUnexpected(error)) {
      request.log.error({ error: thrown, route: request.routeOptions.url ?? 'none' }, error.code);
    }
    drain(request.raw, error.code === 'request.unavailable' ? DRAIN_CLOSING_MS : DRAIN_MAX_MS);
    if (error.code === 'upload.too_slow') {
      // tus, PATCH: "A timeout SHOULD be handled by closing the underlying connection." A tus client resumes after a
      // lost connection, but takes a 4xx as final.
      request.log.info({ route: request.routeOptions.url }, 'sender was too slow');
      reply.hijack();
      request.raw.destroy();
      return reply;
    }
    // storage-js reads `statusCode` and `message`; our own page reads `error`.
    const body = { statusCode: String(error.status), ...prepareError(reply, error), message: error.message };
    return reply.code(error.status).header('cache-control', 'no-store').send(body);
  });
}
