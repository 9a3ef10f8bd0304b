import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RegisteredClient } from './authorization-request.ts';
import { singleFields } from './form-fields.ts';
import type { GrantStore } from './grants.ts';
import { OAuthError } from './oauth-error.ts';

export interface TokensDeps {
  client: RegisteredClient;
  grants: GrantStore;
}

const digest = (text = '') => createHash('sha256').update(text).digest();
const same = (given: string | undefined, expected: string) => timingSafeEqual(digest(given), digest(expected));

/** @throws OAuthError */
function redeem(body: unknown, { client, grants }: TokensDeps) {
  const { client_id, client_secret, grant_type, code, redirect_uri, code_verifier } = singleFields(body);
  const [idIsRight, secretIsRight] = [same(client_id, client.clientId), same(client_secret, client.clientSecret)];
  if (!idIsRight || !secretIsRight) throw new OAuthError('invalid_client', 'Client authentication failed.');
  if (grant_type !== 'authorization_code') {
    throw new OAuthError('unsupported_grant_type', 'The grant type is not supported.');
  }
  if (code === undefined) throw new OAuthError('invalid_request', 'Missing "code" in request.');
  return grants.redeemCode({ code, redirect_uri, code_verifier });
}

function sendRefusal(error: unknown, _request: FastifyRequest, reply: FastifyReply) {
  const refusal = error instanceof OAuthError ? error : asBadRequest(error);
  if (refusal === null) throw error;
  return reply.code(refusal.statusCode).send({ error: refusal.code, error_description: refusal.message });
}

/** What Fastify refuses before a route sees it (JSON, a body too large) is a bad request to Discord. */
function asBadRequest(error: unknown): OAuthError | null {
  const parsed = z.object({ statusCode: z.number().min(400).max(499) }).safeParse(error);
  if (!parsed.success) return null;
  return new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded, 16 KiB at most.');
}

export function registerTokens(app: FastifyInstance, deps: TokensDeps) {
  app.setErrorHandler(sendRefusal);
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });
  for (const base of ['/api/v10/oauth2', '/api/oauth2']) {
    app.post(`${base}/token`, (request) => redeem(request.body, deps));
  }
}
