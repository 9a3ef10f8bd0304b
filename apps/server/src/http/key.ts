import {
  KeyOutput,
  KeyRefusal,
  NoTriesLeft,
  PATHS,
  PrivateKeyOutput,
  ProofInput,
  WrongPassphrase,
} from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { readKey } from '../domain/keys.ts';
import { proveKey } from '../domain/passphrase.ts';
import type { AppDeps } from './deps.ts';
import { toHttpError } from './errors.ts';
import { refuseOtherSites } from './request.ts';

const KeyParams = z.object({ slug: z.string(), api_token: z.string() });
/** A proof and little around it. */
const BODY_MAX_BYTES = 1024;
const ADDRESS = `${PATHS.key}/:slug/:api_token`;

/** A refusal in the shape of the bot service of §7, with what a page needs to say how many tries there are. */
function refuse(reply: FastifyReply, { code, params, status, message }: AppError): FastifyReply {
  const refusal = { success: false, error: message };
  if (code === 'key.wrong_passphrase') {
    return reply.code(status).send({ ...refusal, error: 'Wrong passphrase', tries_left: params.tries });
  }
  if (code === 'key.no_tries_left') {
    const { retry_after_seconds } = params;
    reply.header('retry-after', String(retry_after_seconds));
    return reply.code(status).send({ ...refusal, tries_left: 0, retry_after_seconds });
  }
  return reply.code(status).send(refusal);
}

/** The key service. Who calls it is nobody in particular: the address is what counts, and no cookie is looked at. */
export function keyRoutes({ config, database: { db }, keyShares, keySealer }: AppDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    app.setErrorHandler((thrown, _request, reply) => {
      const error = toHttpError(thrown);
      if (error.status >= 500) throw thrown;
      return refuse(reply, error);
    });

    app.get(
      ADDRESS,
      { schema: { params: KeyParams, response: { 200: KeyOutput, 404: KeyRefusal } } },
      async ({ params, log }) => {
        const address = { slug: params.slug, apiToken: params.api_token };
        const reportUnopenable = () =>
          log.error('the key of a Discord link could not be opened: was KEY_SEALING_SECRET changed?');
        return readKey({ db, keyShares, keySealer }, address, reportUnopenable);
      },
    );

    app.post(
      ADDRESS,
      {
        bodyLimit: BODY_MAX_BYTES,
        onRequest: async (request) => refuseOtherSites(request, config),
        schema: {
          params: KeyParams,
          body: ProofInput,
          response: {
            200: PrivateKeyOutput,
            403: z.union([WrongPassphrase, KeyRefusal]),
            404: KeyRefusal,
            429: NoTriesLeft,
          },
        },
      },
      async ({ params, body }) =>
        proveKey({ db, keyShares }, { slug: params.slug, apiToken: params.api_token }, body.proof),
    );
  };
}
