import { OperatorKeyList, ReportInput } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { listOperatorKeys } from '../domain/operator-keys.ts';
import { submitReport } from '../domain/reports.ts';
import type { AppDeps } from './deps.ts';

/** Reports by anybody. No cookie is looked at: a report has no sender. */

/** The longest note in the longest way to write it, and what opens the folder for as many operators as there may be. */
/** Sixteen keys of a folder for each of twenty keys of operators, and a note. */
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
        // Only the form on this site's own page: a page elsewhere must not report in its visitors' names.
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
