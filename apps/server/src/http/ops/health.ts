import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { type Checks, isWell } from '../../domain/site-checks.ts';
import { WAY } from '../../platform/request-way.ts';
import { PROGRAM, programText } from '../../program.ts';
import { AWAY_RETRY_SECONDS, prepareError } from '../errors.ts';
import type { Readiness } from './readiness.ts';

/** Health checks for operators and balancers (docs/operate.md). */

/** A switch without a value: `/readyz?deep`. */
const ReadyQuery = z.object({ deep: z.string().optional() });

/** What proxies made of the request, without anyone's address: `satchel-admin doctor` and people read it. */
function wayOf(request: FastifyRequest, { publicUrl }: Pick<Config, 'publicUrl'>): string {
  const { headers, ips = [] } = request;
  const isProxied = ['forwarded', 'via', 'x-real-ip', 'x-forwarded-host'].some((name) => headers[name] !== undefined);
  const host = headers.host === new URL(publicUrl).host ? WAY.host : WAY.otherHost;
  if (headers['x-forwarded-for'] === undefined) return `${host}\n${isProxied ? WAY.silentProxy : WAY.noProxy}`;
  return `${host}\n${ips.length > 1 ? WAY.trustedProxy : WAY.foreignProxy}`;
}

export interface HealthDeps {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly checks: Checks;
  readonly readiness: Readiness;
}

/**
 * `/healthz` says that the process answers, `/readyz` that this node can do its part, and `/readyz?deep` that the parts which
 * all nodes share can, too. Each names what fails.
 */
export function healthRoutes({ config, checks, readiness }: HealthDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(PATHS.healthz, async (request, reply) =>
      reply.type('text/plain').send(`ok\nsatchel ${programText(PROGRAM)}\n${wayOf(request, config)}\n`),
    );

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
