import type { Socket } from 'node:net';
import { AppError } from '@satchel/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { createDescriptorBudget, type DescriptorLimits, type Release } from '../domain/base/descriptor-budget.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { createProxyCheck, networkOf } from './networks.ts';

/**
 * Limits how many connections and transfers one network holds, and all networks together. A connection counts for the
 * address of its other end. Behind a trusted proxy all share that address, so each request counts instead, for the
 * client that the proxy names. What a network has too much of is answered 429, what the server has no more of 503.
 */
export type TransferKind = 'upload' | 'download';

export interface Transfers {
  /**
   * Counts a transfer, which needs a file descriptor beside its connection's.
   * @param account who transfers, where the request itself doesn't say: a socket names its account in its first message
   * @returns call it when the transfer ends
   * @throws request.crowded, request.busy
   */
  begin(request: FastifyRequest, kind: TransferKind, account?: string): Release;
}

const RETRY_AFTER_SECONDS = 5;
/** How long a connection above the limit stays open to read its 429. */
const REFUSAL_MS = 5000;
/** At most this many of one network wait for their 429; further ones are closed at once. */
const REFUSALS_PER_NETWORK = 16;
const NO_TRANSFERS = { connections: 0, transfers: 0, transfersPerNetwork: 0 };

const crowded = () => new AppError('request.crowded', { retry_after_seconds: RETRY_AFTER_SECONDS });
const busy = () => new AppError('request.busy', { retry_after_seconds: RETRY_AFTER_SECONDS });

/** Keeps a few connections above the limit open until they have read their 429. */
function createRefusals() {
  const refused = new WeakSet<Socket>();
  const waiting = createDescriptorBudget({ ...NO_TRANSFERS, perNetwork: REFUSALS_PER_NETWORK });
  return {
    add(socket: Socket, network: string): void {
      const release = waiting.takeConnection(network);
      if (!release) return void socket.destroy();
      refused.add(socket);
      const timer = setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
      socket.once('close', () => {
        clearTimeout(timer);
        release();
      });
    },
    has: (socket: Socket) => refused.has(socket),
  };
}

interface Deps {
  readonly config: Config;
  readonly descriptorLimits: DescriptorLimits;
  readonly metrics: Metrics;
}

export function limitConnections(app: FastifyInstance, { config, descriptorLimits, metrics }: Deps): Transfers {
  const budget = createDescriptorBudget(descriptorLimits);
  const isProxy = createProxyCheck(config.trustProxy);
  const refusals = createRefusals();

  app.server.maxConnections = descriptorLimits.connections;
  app.server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const network = networkOf(address);
    const release = budget.takeConnection(network);
    if (release) socket.once('close', release);
    else refusals.add(socket, network);
  });

  function countRequest(request: FastifyRequest, reply: FastifyReply): void {
    const release = budget.takeConnection(networkOf(request.ip));
    if (!release) throw crowded();
    reply.raw.once('close', release);
  }

  app.addHook('onRequest', async (request, reply) => {
    const { socket } = request.raw;
    if (refusals.has(socket)) {
      reply.header('connection', 'close');
      throw crowded();
    }
    if (isProxy(socket.remoteAddress ?? '')) countRequest(request, reply);
  });

  return {
    begin(request, kind, account = request.viewer?.profile_id) {
      const taken = budget.takeTransfer(networkOf(request.ip), account);
      if (taken === 'network_full') throw crowded();
      if (taken === 'all_taken') throw busy();
      const ofKind = metrics.openTransfers.labels(kind);
      ofKind.inc();
      let isOver = false;
      return () => {
        if (!isOver) ofKind.dec();
        isOver = true;
        taken();
      };
    },
  };
}
