import { AppError } from '@satchel/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { ClientGate } from '../domain/base/client-gate.ts';
import { networkOf } from './networks.ts';
import { clientOf, groupOf, type RateGroup } from './rate-limits.ts';
import { awaitTurn } from './storage/send-object.ts';

/** Puts the routes that use the database behind the gate, which lets each client have only a few requests under way. */

/** These use the database briefly and then wait for bytes or for Discord, so they gate only their look-up. */
const GATED_BY_THEMSELVES = new Set<RateGroup | null>([
  'objects',
  'upload_create',
  'upload_bytes',
  'stills',
  'sign_in',
  'changes',
  null,
]);

/**
 * Runs a part of a request when its client's turn comes. A client that has left loses its turn.
 * @throws request.too_many, request.unavailable
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
 * Looks up the owner of a session. These look-ups queue apart from the network's other work, so that an anonymous flood
 * doesn't keep people of the same network from being recognized.
 * @throws request.too_many
 */
export const inSessionTurn = <Result>(
  gate: ClientGate,
  request: FastifyRequest,
  look: () => Promise<Result>,
): Promise<Result> => gate.run(`sessions of ${networkOf(request.ip)}`, look);

/**
 * True for requests that may wait for a key service on another machine. While they wait, they must not hold their
 * client's turn at the database.
 */
export const mayWaitForKeys = ({ method, routeOptions }: FastifyRequest): boolean =>
  ['writes', 'keys'].includes(groupOf(method, routeOptions.url ?? '') ?? '');

/** Call it before the routes are added. */
export function gateRoutes(
  app: FastifyInstance,
  gate: ClientGate,
  isSpared: (request: FastifyRequest) => boolean,
): void {
  // Fastify makes a HEAD route of each GET route, perhaps with the GET's gated handler.
  const gatedHandlers = new WeakSet<RouteHandlerMethod>();
  app.addHook('onRoute', (route) => {
    const [method = ''] = [route.method].flat();
    const { handler } = route;
    if (GATED_BY_THEMSELVES.has(groupOf(method, route.url)) || gatedHandlers.has(handler)) return;
    route.handler = async function gated(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
      if (isSpared(request)) return handler.call(this, request, reply);
      // Pipelined requests are handled one by one, so that their answers don't pile up.
      await awaitTurn(reply);
      return inClientTurn(gate, request, async () => handler.call(this, request, reply));
    };
    gatedHandlers.add(route.handler);
  });
}
