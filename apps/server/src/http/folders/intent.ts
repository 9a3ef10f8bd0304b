import { PATHS, RedeemIntentInput, RedeemIntentOutput } from '@satchel/contract/api';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { redeemIntent } from '../domain/upload-intents.ts';
import type { AppDeps } from './deps.ts';
import { requireViewer, signedIn } from './request.ts';

/** Longer than any intent with what is around it. */
const BODY_MAX_BYTES = 1024;

/** What a person asked for by /upload in Discord, told to their own session (DESIGN R9). It signs nobody in. */
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
