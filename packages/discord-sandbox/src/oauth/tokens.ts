import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type RegisteredClient, readScopes } from './authorization-request.ts';
import { field, refusedFields } from './form-fields.ts';
import type { GrantStore, TokenResponse } from './grants.ts';
import { OAuthError } from './oauth-error.ts';

export interface TokensDeps {
  client: RegisteredClient;
  grants: GrantStore;
}

const tokenForm = z.object({
  client_id: field,
  client_secret: field,
  grant_type: field,
  code: field,
  redirect_uri: field,
  code_verifier: field,
  refresh_token: field,
  scope: field,
});
const revocationForm = z.object({ client_id: field, client_secret: field, token: field, token_type_hint: field });

interface Credentials {
  client_id: string | undefined;
  client_secret: string | undefined;
}

function readForm<T>(schema: z.ZodType<T>, body: unknown): T {
  const form = schema.safeParse(body ?? {});
  if (form.success) return form.data;
  throw new OAuthError('invalid_request', `Given more than once: ${refusedFields(form.error)}.`);
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const same = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected));

function decodeFormComponent(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function readBasic(header: string): Credentials | null {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header)?.[1];
  if (encoded === undefined) return null;
  const [id, ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: id, client_secret: secret.join(':') };
}

function credentialsOf(request: FastifyRequest, form: Credentials): Credentials {
  const { authorization } = request.headers;
  if (authorization === undefined) return form;
  const basic = readBasic(authorization);
  if (basic === null) throw new OAuthError('invalid_client', 'Client authentication is by HTTP Basic or in the body.');
  // RFC 6749 §2.3: one method of authentication in a request; the bare client_id names the client, no more.
  if (form.client_secret !== undefined || (form.client_id !== undefined && form.client_id !== basic.client_id)) {
    throw new OAuthError('invalid_request', 'Client credentials are given twice.');
  }
  return basic;
}

/** RFC 6749 §2.3.1 form-encodes what goes into HTTP Basic, and many a client doesn't: both spellings are taken. */
function authenticateClient(request: FastifyRequest, form: Credentials, client: RegisteredClient) {
  const { client_id = '', client_secret = '' } = credentialsOf(request, form);
  const idIsRight = same(client_id, client.clientId);
  const secretIsRight =
    same(client_secret, client.clientSecret) ||
    (request.headers.authorization !== undefined && same(decodeFormComponent(client_secret), client.clientSecret));
  if (!idIsRight || !secretIsRight) throw new OAuthError('invalid_client', 'Client authentication failed.');
}

function answerGrant(form: z.infer<typeof tokenForm>, grants: GrantStore): TokenResponse {
  const { grant_type, code, redirect_uri, code_verifier, refresh_token, scope } = form;
  if (grant_type === undefined) throw new OAuthError('invalid_request', 'Missing "grant_type" in request.');
  if (grant_type === 'authorization_code') {
    if (code === undefined) throw new OAuthError('invalid_request', 'Missing "code" in request.');
    return grants.redeemCode({ code, redirect_uri, code_verifier });
  }
  if (grant_type !== 'refresh_token') {
    throw new OAuthError('unsupported_grant_type', 'The grant type is not supported.');
  }
  if (refresh_token === undefined) throw new OAuthError('invalid_request', 'Missing "refresh_token" in request.');
  if (scope === undefined) return grants.refresh(refresh_token, undefined);
  const scopes = readScopes(scope);
  if (scopes === null) throw new OAuthError('invalid_scope', 'The requested scope is invalid, unknown, or malformed.');
  return grants.refresh(refresh_token, scopes);
}

function sendRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = error instanceof OAuthError ? error : asBadRequest(error);
  if (refusal === null) throw error;
  if (refusal.code === 'invalid_client' && request.headers.authorization !== undefined) {
    reply.header('www-authenticate', 'Basic realm="Sandbox Discord"');
  }
  return reply.code(refusal.statusCode).send({ error: refusal.code, error_description: refusal.message });
}

/** What Fastify refuses before a route sees it (JSON, a body too large) is a bad request to Discord. */
function asBadRequest(error: unknown): OAuthError | null {
  const parsed = z.object({ statusCode: z.number().min(400).max(499) }).safeParse(error);
  if (!parsed.success) return null;
  return new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded, 16 KiB at most.');
}

export function registerTokens(app: FastifyInstance, { client, grants }: TokensDeps) {
  app.setErrorHandler(sendRefusal);
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });

  for (const base of ['/api/v10/oauth2', '/api/oauth2']) {
    app.post(`${base}/token`, (request) => {
      const form = readForm(tokenForm, request.body);
      authenticateClient(request, form, client);
      return answerGrant(form, grants);
    });
    app.post(`${base}/token/revoke`, (request) => {
      const form = readForm(revocationForm, request.body);
      authenticateClient(request, form, client);
      if (form.token === undefined) throw new OAuthError('invalid_request', 'Missing "token" in request.');
      grants.revoke(form.token);
      return {};
    });
  }
}
