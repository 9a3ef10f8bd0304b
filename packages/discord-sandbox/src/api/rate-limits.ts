import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { RateLimited } from './discord-error.ts';

/** Discord's limits, as their headers tell of them. A window begins with its first request. */

const WEBHOOK_LIMIT = 5;
const WEBHOOK_WINDOW_MS = 5000;
const GLOBAL_LIMIT = 50;
const GLOBAL_WINDOW_MS = 1000;

interface Window {
  count: number;
  endsAt: number;
}

const bucketName = (route: string) => createHash('sha256').update(route).digest('hex').slice(0, 32);
const seconds = (durationMs: number) => (durationMs / 1000).toFixed(3);

export function createRateLimits({ now }: { now: () => number }) {
  const windows = new Map<string, Window>();
  let sweepAt = 0;

  function sweep() {
    if (now() < sweepAt) return;
    sweepAt = now() + 60_000;
    for (const [key, { endsAt }] of windows) if (endsAt <= now()) windows.delete(key);
  }

  function count(key: string, windowMs: number): Window {
    sweep();
    const known = windows.get(key);
    const window = known && known.endsAt > now() ? known : { count: 0, endsAt: now() + windowMs };
    window.count += 1;
    windows.set(key, window);
    return window;
  }

  return {
    /**
     * One request to a route of a webhook: five in five seconds, for each webhook by itself.
     * @throws RateLimited
     */
    takeWebhook(reply: FastifyReply, route: string, major: string) {
      const { count: used, endsAt } = count(`${route} ${major}`, WEBHOOK_WINDOW_MS);
      const left = endsAt - now();
      reply.headers({
        'x-ratelimit-limit': WEBHOOK_LIMIT,
        'x-ratelimit-remaining': Math.max(0, WEBHOOK_LIMIT - used),
        'x-ratelimit-reset': seconds(endsAt),
        'x-ratelimit-reset-after': seconds(left),
        'x-ratelimit-bucket': bucketName(route),
      });
      if (used > WEBHOOK_LIMIT) throw new RateLimited('user', left);
    },
    /** One request of the bot as a whole: 50 in a second. @throws RateLimited */
    takeGlobal() {
      const { count: used, endsAt } = count('global', GLOBAL_WINDOW_MS);
      if (used > GLOBAL_LIMIT) throw new RateLimited('global', endsAt - now());
    },
  };
}
export type RateLimits = ReturnType<typeof createRateLimits>;
