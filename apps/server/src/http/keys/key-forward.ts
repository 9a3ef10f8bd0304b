import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { ForwardedCall, KeyServiceClient } from '../platform/key-service.ts';
import { ADDRESS, answerAsKeyService, BODY_MAX_BYTES, CLIENT_HEADER } from './key.ts';
import { networkOf } from './networks.ts';

/** The addresses of keys where the keys are not: the key service on its own machine answers (decision 012). */

/** As newToken makes them: what can't be one isn't worth a call, and makes no path of ours. */
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
/** What decides there: a page's origin, and the cookies of who may know of a restricted folder (DESIGN R16). */
const PASSED_ON = ['content-type', 'cookie', 'origin'] as const;

function callOf(request: FastifyRequest): ForwardedCall {
  const { slug, api_token } = request.params as { slug: string; api_token: string };
  if (!isSlug(slug) || !TOKEN.test(api_token)) throw new AppError('key.not_found');
  const passed = PASSED_ON.flatMap((name) => (request.headers[name] ? [[name, request.headers[name]]] : []));
  return {
    method: request.method === 'POST' ? 'POST' : 'GET',
    path: ADDRESS.replace(':slug', slug).replace(':api_token', api_token),
    headers: { ...Object.fromEntries(passed), [CLIENT_HEADER]: networkOf(request.ip) },
    body: (request.body as Uint8Array<ArrayBuffer> | undefined) ?? null,
  };
}

/** Passes calls for keys on, and the answers back; it holds a line and a few bytes, for some seconds at most. */
export function forwardedKeyRoutes(keyService: KeyServiceClient): FastifyPluginAsync {
  async function forward(request: FastifyRequest, reply: FastifyReply) {
    const { status, retryAfter, body } = await keyService.forward(callOf(request));
    if (retryAfter !== null) reply.header('retry-after', retryAfter);
    return reply.code(status).type('application/json').send(body);
  }

  return async (app) => {
    answerAsKeyService(app);
    // The key service reads and refuses bodies; here they are bytes.
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
