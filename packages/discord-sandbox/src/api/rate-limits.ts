import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { RateLimited } from './discord-error.ts';

/** Discord's limit of a webhook, as its headers tell of it. A window begins with its first request. */

const WEBHOOK_LIMIT = 5;
const WEBHOOK_WINDOW_MS = 5000;

interface Window {
  count: number;
  endsAt: number;
}

const bucketName = (route: string) => createHash('sha256').update(route).digest('hex').slice(0, 32);
const seconds = (durationMs: number) => (durationMs / 1000).toFixed(3);

export function createRateLimits({ now }: { now: () => number }) {
  const windows = new Map<string, Window>();

  function count(key: string): Window {
    for (const [known, { endsAt }] of windows) if (endsAt <= now()) windows.delete(known);
    const window = windows.get(key) ?? { count: 0, endsAt: now() + WEBHOOK_WINDOW_MS };
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
      const { count: used, endsAt } = count(`${route} ${major}`);
      const left = endsAt - now();
      reply.headers({
        'x-ratelimit-limit': WEBHOOK_LIMIT,
        'x-ratelimit-remaining': Math.max(0, WEBHOOK_LIMIT - used),
        'x-ratelimit-reset': seconds(endsAt),
        'x-ratelimit-reset-after': seconds(left),
        'x-ratelimit-bucket': bucketName(route),
      });
      if (used > WEBHOOK_LIMIT) throw new RateLimited(left);
    },
  };
}
export type RateLimits = ReturnType<typeof createRateLimits>;
