import type { IncomingMessage } from 'node:http';
import { MIB } from '@satchel/contract/limits';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isSessionAlive } from '../domain/sessions.ts';
import { inSessionTurn } from './client-turns.ts';
import type { AppDeps } from './deps.ts';
import { isUnexpected, setRetryAfter, toHttpError } from './errors.ts';
import { bearerOf } from './request.ts';

/** What the storage and tus routes have in common: bearers instead of cookies, and errors as their clients read them. */

// How much of a refused body is still taken in, so that its sender reads the answer and not a reset connection.
const DRAIN_MAX_BYTES = 16 * MIB;
const DRAIN_MAX_MS = 5000;
/** When the server wants to stop, it waits for nobody longer than an answer travels. */
const DRAIN_CLOSING_MS = 500;
const DRAIN_CHECK_MS = 100;

/** Reads the rest of a body that nobody wants, within bounds, and then drops the connection. */
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

/** From the end of its session on, a bearer says of nobody who they are. */
export async function forgetEndedSession(request: FastifyRequest, { database }: AppDeps): Promise<void> {
  if (request.viewer && !(await isSessionAlive(database.db, request.viewer))) request.viewer = null;
}

/**
 * Makes a bearer good for as long as its session. Signing out, a ban, or erasing the account, ends what it may begin at once
 * and not when its ten minutes are over. What an upload under way may still commit is the lease's to say (domain/leases).
 */
export function requireLiveSessions(scope: FastifyInstance, deps: AppDeps): void {
  scope.addHook('onRequest', async (request) => {
    if (request.viewer) await inSessionTurn(deps.gate, request, () => forgetEndedSession(request, deps));
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
      // Closed, not answered: to a tus client a 4xx is final, while after a lost connection it goes on where it was.
      request.log.info({ route: request.routeOptions.url }, 'sender was too slow');
      reply.hijack();
      request.raw.destroy();
      return reply;
    }
    setRetryAfter(reply, error);
    // storage-js reads these two; our own web reads `error`.
    const body = { statusCode: String(error.status), ...error.toWire(), message: error.message };
    return reply.code(error.status).header('cache-control', 'no-store').send(body);
  });
}
