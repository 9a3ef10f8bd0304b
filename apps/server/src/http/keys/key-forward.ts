import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { ForwardedCall, KeyServiceClient } from '../../platform/keys/key-service.ts';
import { networkOf } from '../networks.ts';
import { REQUEST_ID_HEADER } from '../request-id.ts';
import { PASSED_BEARER } from '../requester.ts';
import { ADDRESS, answerAsKeyService, BODY_MAX_BYTES, CLIENT_HEADER } from './key.ts';

/** The addresses of keys on a node without keys: it forwards calls to the key service's machine (decision 012). */

/** The form of newToken's tokens. Anything else is refused here, and never becomes part of a path. */
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
/**
 * The headers that the key service decides by: the page's origin, and the cookies of guests and members.
 */
const PASSED_ON = ['content-type', 'cookie', 'origin'] as const;

function callOf(request: FastifyRequest): ForwardedCall {
  const { slug, api_token } = request.params as { slug: string; api_token: string };
  if (!isSlug(slug) || !TOKEN.test(api_token)) throw new AppError('key.not_found');
  const passed = PASSED_ON.flatMap((name) => (request.headers[name] ? [[name, request.headers[name]]] : []));
  return {
    method: request.method === 'POST' ? 'POST' : 'GET',
    path: ADDRESS.replace(':slug', slug).replace(':api_token', api_token),
    headers: {
      ...Object.fromEntries(passed),
      [CLIENT_HEADER]: networkOf(request.ip),
      ...(request.headers.authorization !== undefined && { [PASSED_BEARER]: request.headers.authorization }),
      [REQUEST_ID_HEADER]: request.id,
    },
    body: (request.body as Uint8Array<ArrayBuffer> | undefined) ?? null,
  };
}

/** Forwards calls for keys, and their answers. Each holds a connection and a few bytes, for some seconds at most. */
export function forwardedKeyRoutes(keyService: KeyServiceClient): FastifyPluginAsync {
  async function forward(request: FastifyRequest, reply: FastifyReply) {
    const { status, retryAfter, body } = await keyService.forward(callOf(request));
    if (retryAfter !== null) reply.header('retry-after', retryAfter);
    return reply.code(status).type('application/json').send(body);
  }

  return async (app) => {
    answerAsKeyService(app);
    // Bodies are forwarded as bytes: the key service parses and refuses them.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: unknown, body: Buffer) => body,
    );
    app.get(ADDRESS, forward);
    app.post(ADDRESS, { bodyLimit: BODY_MAX_BYTES }, forward);
  };
}
