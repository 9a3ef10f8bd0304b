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
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { readKey } from '../../domain/links/keys.ts';
import { proveKey } from '../../domain/links/passphrase.ts';
import type { KeyServiceDeps } from '../deps.ts';
import { prepareError, toHttpError } from '../errors.ts';
import { networkOf } from '../networks.ts';
import { refuseOtherSites } from '../origin.ts';
import { isNode } from '../request-id.ts';
import { requesterOf } from '../requester.ts';

const KeyParams = z.object({ slug: z.string(), api_token: z.string() });
type KeyRequest = FastifyRequest<{ Params: z.infer<typeof KeyParams> }>;
/** More than a proof needs. */
export const BODY_MAX_BYTES = 1024;
export const ADDRESS = `${PATHS.key}/:slug/:api_token`;

/** The client whose call a node forwards. */
export const CLIENT_HEADER = 'x-satchel-client';

/**
 * The network of a call. A node names the network of the client that it forwards; any other caller's header is ignored.
 */
function clientNetworkOf(request: FastifyRequest, config: Config): string {
  const told = isNode(request, config) ? request.headers[CLIENT_HEADER]?.toString() : undefined;
  return told ?? networkOf(request.ip);
}

/** A refusal in the shape of the key service, with the passphrase tries that are left. */
function refuse(reply: FastifyReply, error: AppError): FastifyReply {
  const { code, params, status, message } = error;
  prepareError(reply, error);
  const refusal = { success: false, error: message };
  if (code === 'key.wrong_passphrase') {
    return reply.code(status).send({ ...refusal, error: 'Wrong passphrase', tries_left: params.tries });
  }
  if (code === 'key.no_tries_left') {
    const { retry_after_seconds } = params;
    return reply.code(status).send({ ...refusal, tries_left: 0, retry_after_seconds });
  }
  if (code === 'request.too_many') Object.assign(refusal, { retry_after_seconds: params.retry_after_seconds });
  return reply.code(status).send(refusal);
}

/** Headers and errors of every answer at a key's address. */
export function answerAsKeyService(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  app.setErrorHandler((thrown, _request, reply) => {
    const error = toHttpError(thrown);
    if (error.status >= 500) throw thrown;
    return refuse(reply, error);
  });
}

/** The key service. The address decides; cookies only say who may know of a restricted folder. */
export function keyRoutes({
  config,
  database: { db },
  tokens,
  keyShares,
  keySealer,
}: KeyServiceDeps): FastifyPluginAsyncZod {
  const addressOf = (request: KeyRequest) => {
    const { slug, api_token: apiToken } = request.params;
    return { slug, apiToken, requester: requesterOf(request, config) };
  };

  return async (app) => {
    answerAsKeyService(app);

    app.get(
      ADDRESS,
      { schema: { params: KeyParams, response: { 200: KeyOutput, 404: KeyRefusal, 410: KeyRefusal } } },
      async (request) => {
        const { log } = request;
        const address = addressOf(request);
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
            410: KeyRefusal,
            429: z.union([NoTriesLeft, KeyRefusal.extend({ retry_after_seconds: z.number() })]),
          },
        },
      },
      async (request) => {
        const network = clientNetworkOf(request, config);
        const day = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
        const pseudonymIn = (folderId: string) => tokens.hashForCounting(`passphrase ${folderId} ${network} ${day}`);
        return proveKey({ db, keyShares }, addressOf(request), { proof: request.body.proof, pseudonymIn });
      },
    );
  };
}
