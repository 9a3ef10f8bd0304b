import { AppError } from '@satchel/contract/errors';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { RateLimiter } from '../../domain/base/rate-limits.ts';
import { networkOf } from '../networks.ts';
import type { RateLimits } from '../rate-limits.ts';

/**
 * Limits unsigned posts to Discord's addresses, by network. Only failures count, so Discord, whose posts come from few
 * networks, is never limited by how much it sends.
 */
export interface UnsignedPosts {
  /** @throws request.too_many when the network has sent too many unsigned posts */
  refuseAboveLimit(request: FastifyRequest): void;
  noteUnsigned(request: FastifyRequest): void;
  noteSigned(request: FastifyRequest): void;
}

/** How long a network counts as one of Discord's after a signed post. */
const SIGNED_MS = 60 * 60_000;

interface Deps {
  readonly limiter: RateLimiter;
  readonly rateLimits: RateLimits;
  readonly logger: FastifyBaseLogger;
  readonly now?: () => number;
}

export function createUnsignedPosts({ limiter, rateLimits, logger, now = Date.now }: Deps): UnsignedPosts {
  /**
   * Networks with a signed post, and the time of the last. Only Discord can sign, so only Discord makes this map grow.
   */
  const signed = new Map<string, number>();

  /**
   * Where TRUST_PROXY does not name the proxy, Discord and every attacker have the proxy's address. An attacker there
   * must not silence the bot with 120 posts a minute, so a network with signed posts has a much higher limit.
   */
  const groupOf = (network: string) =>
    now() - (signed.get(network) ?? Number.NEGATIVE_INFINITY) < SIGNED_MS ? 'unsigned_beside_signed' : 'unsigned';

  function take(request: FastifyRequest, units: 0 | 1): number {
    const network = networkOf(request.ip);
    const group = groupOf(network);
    return limiter.take(group, network, rateLimits[group] ?? [], units);
  }

  return {
    refuseAboveLimit(request) {
      const retry_after_seconds = take(request, 0);
      if (retry_after_seconds > 0) throw new AppError('request.too_many', { retry_after_seconds });
    },
    noteUnsigned(request) {
      const isAboveLimit = take(request, 1) > 0;
      if (isAboveLimit && groupOf(networkOf(request.ip)) === 'unsigned_beside_signed')
        logger.warn({}, 'unsigned posts come from an address of Discord: does TRUST_PROXY name the proxy?');
    },
    noteSigned(request) {
      signed.set(networkOf(request.ip), now());
    },
  };
}
