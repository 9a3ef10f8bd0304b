import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type Checks, isWell } from '../../domain/site-checks.ts';
import { AWAY_RETRY_SECONDS, prepareError } from '../errors.ts';
import type { Readiness } from './readiness.ts';

/** Health checks for operators and balancers (DESIGN §5, "Operations"; docs/operate.md). */

/** A switch without a value: `/readyz?deep`. */
const ReadyQuery = z.object({ deep: z.string().optional() });

export interface HealthDeps {
  readonly checks: Checks;
  readonly readiness: Readiness;
}

/**
 * `/healthz` says that the process answers, `/readyz` that this node can do its part, and `/readyz?deep` that the parts which
 * all nodes share can, too. Each names what fails.
 */
export function healthRoutes({ checks, readiness }: HealthDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(PATHS.healthz, async (_request, reply) => reply.type('text/plain').send('ok\n'));

    app.get(PATHS.readyz, { schema: { querystring: ReadyQuery } }, async (request, reply) => {
      const isDeep = request.query.deep !== undefined;
      const [own, shared] = await Promise.all([checks.own(), isDeep ? checks.shared() : {}]);
      const verdicts = { ...own, ...shared };
      reply.header('cache-control', 'no-store');
      // A server that was asked to end still answers, and wants no further requests.
      if (isWell(verdicts) && !readiness.isOff) return reply.send({ checks: verdicts });
      const error = new AppError('request.unavailable', { retry_after_seconds: AWAY_RETRY_SECONDS });
      const body = prepareError(reply, error);
      return reply.code(error.status).send({ ...body, checks: verdicts });
    });
  };
}
