import { AppError } from '@satchel/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { ClientGate } from '../domain/client-gate.ts';
import { networkOf } from './networks.ts';
import { clientOf, groupOf, type RateGroup } from './rate-limits.ts';
import { awaitTurn } from './send-object.ts';

/** Puts the routes that ask the database behind the gate, where each client has only a few of them under way. */

/** These look things up in a few statements, and wait for bytes or for Discord for the rest: they gate the look-up only. */
const GATED_BY_THEMSELVES = new Set<RateGroup | null>(['objects', 'upload_create', 'upload_bytes', 'sign_in', null]);

/**
 * Does a part of a request when its client's turn has come. A client that has left meanwhile loses its turn.
 * @throws request.busy, request.unavailable
 */
export function inClientTurn<Result>(
  gate: ClientGate,
  request: FastifyRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  return gate.run(clientOf(request), async () => {
    if (request.raw.socket.destroyed) throw new AppError('request.unavailable');
    return work();
  });
}

/**
 * Looks up whose a session is, in turn with other such look-ups of its network and not with the network's other work: who
 * floods anonymously keeps nobody of the same network from being recognized.
 * @throws request.busy
 */
export const inSessionTurn = <Result>(
  gate: ClientGate,
  request: FastifyRequest,
  look: () => Promise<Result>,
): Promise<Result> => gate.run(`sessions of ${networkOf(request.ip)}`, look);

/**
 * Whether a request may call the key service where that is on another machine: while it waits for that machine, and not for
 * the database, it must not hold its client's turn.
 */
export const mayWaitForKeys = ({ method, routeOptions }: FastifyRequest): boolean =>
  ['writes', 'keys'].includes(groupOf(method, routeOptions.url ?? '') ?? '');

/** Called before the routes are there. */
export function gateRoutes(
  app: FastifyInstance,
  gate: ClientGate,
  isSpared: (request: FastifyRequest) => boolean,
): void {
  // The HEAD route that Fastify makes of a GET route may come with the GET's gated handler.
  const gatedHandlers = new WeakSet<RouteHandlerMethod>();
  app.addHook('onRoute', (route) => {
    const [method = ''] = [route.method].flat();
    const { handler } = route;
    if (GATED_BY_THEMSELVES.has(groupOf(method, route.url)) || gatedHandlers.has(handler)) return;
    route.handler = async function gated(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
      if (isSpared(request)) return handler.call(this, request, reply);
      // Requests that are sent at once down one line are worked on one by one, so that their answers don't pile up.
      await awaitTurn(reply);
      return inClientTurn(gate, request, async () => handler.call(this, request, reply));
    };
    gatedHandlers.add(route.handler);
  });
}
