import { OperatorKeyList, ReportInput } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { listOperatorKeys } from '../../domain/moderation/operator-keys.ts';
import { submitReport } from '../../domain/moderation/reports.ts';
import type { AppDeps } from '../deps.ts';

/** Reports, which anyone may send. They are anonymous: no cookie is read. */

/** The longest note, and sixteen folder keys sealed to each of twenty operators. */
const BODY_MAX_BYTES = 36 * 1024;

export function abuseRoutes({ config, database: { db } }: AppDeps): FastifyPluginAsyncZod {
  const operators = config.operatorDiscordIds;

  return async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });

    app.post(
      PATHS.reports,
      {
        bodyLimit: BODY_MAX_BYTES,
        // Only this site's own form: another site's page must not report in its visitors' names.
        onRequest: async (request) => {
          if (request.headers.origin !== config.publicUrl) throw new AppError('request.bad_origin');
        },
        schema: { body: ReportInput },
      },
      async (request, reply) => {
        await submitReport(db, operators, request.body);
        return reply.code(204).send();
      },
    );

    app.get(PATHS.reportKeys, { schema: { response: { 200: OperatorKeyList } } }, async () =>
      listOperatorKeys(db, operators),
    );
  };
}
