import { PATHS, RedeemIntentInput, RedeemIntentOutput } from '@satchel/contract/api';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { redeemIntent } from '../../domain/discord/upload-intents.ts';
import type { AppDeps } from '../deps.ts';
import { requireViewer, signedIn } from '../requester.ts';

/** More than any intent needs. */
const BODY_MAX_BYTES = 1024;

/** Redeems an /upload intent in a session of the Discord account that typed the command. Creates no session. */
export function intentRoutes({ database: { db } }: AppDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      PATHS.redeemIntent,
      {
        bodyLimit: BODY_MAX_BYTES,
        preValidation: signedIn,
        schema: { body: RedeemIntentInput, response: { 200: RedeemIntentOutput } },
      },
      (request) => redeemIntent(db, requireViewer(request), request.body.intent),
    );
  };
}
