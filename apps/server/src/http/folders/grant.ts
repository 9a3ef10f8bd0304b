import { PATHS, RedeemInput, RedeemOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { redeemGrant } from '../../domain/sharing/grants.ts';
import { newToken } from '../../platform/keys/tokens.ts';
import { guestTokenOf, setGuestCookie } from '../cookies.ts';
import type { AppDeps } from '../deps.ts';

/** More than any grant needs. */
const BODY_MAX_BYTES = 1024;

/** Lets a browser into a restricted folder. */
export function grantRoutes({ config, database: { db } }: AppDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      PATHS.redeemGrant,
      {
        bodyLimit: BODY_MAX_BYTES,
        onRequest: async (request, reply) => {
          reply.header('cache-control', 'no-store');
          // The answer sets a cookie, so only this site's own page may ask for it.
          if (request.headers.origin !== config.publicUrl) throw new AppError('request.bad_origin');
        },
        schema: { body: RedeemInput, response: { 200: RedeemOutput } },
      },
      async (request, reply) => {
        const holder = guestTokenOf(request, config) ?? newToken();
        const folder_slug = await redeemGrant(db, request.body.grant, holder);
        setGuestCookie(reply, config, holder);
        return { folder_slug };
      },
    );
  };
}
