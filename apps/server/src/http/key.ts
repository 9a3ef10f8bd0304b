import { KeyRefusal, PATHS, PrivateKeyOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { readKey } from '../domain/keys.ts';
import type { AppDeps } from './deps.ts';

const KeyParams = z.object({ slug: z.string(), api_token: z.string() });

/** The key service, in the shape of the bot service of §7. */
export function keyRoutes({ database, keyShares }: AppDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      `${PATHS.key}/:slug/:api_token`,
      { schema: { params: KeyParams, response: { 200: PrivateKeyOutput, 404: KeyRefusal } } },
      async (request, reply) => {
        reply.header('cache-control', 'no-store');
        const { slug, api_token: apiToken } = request.params;
        try {
          return await readKey({ db: database.db, keyShares }, { slug, apiToken });
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          return reply.code(404).send({ success: false, error: error.message });
        }
      },
    );
  };
}
