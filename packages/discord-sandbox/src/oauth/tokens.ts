import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { singleFields } from '../pages/fields.ts';
import type { DiscordUser } from '../personas/personas.ts';
import { type GrantStore, OAuthError } from './grants.ts';

const API = '/api/v10';

export interface TokensDeps {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly grants: GrantStore;
  /** The servers of a person, in the fields of Discord. */
  readonly guildsOf: (persona: string) => readonly object[];
}

/** The token endpoint of RFC 6749 §3.2: a code becomes an access token, and nothing else does. */
export function registerTokens(app: FastifyInstance, { clientId, clientSecret, grants }: TokensDeps) {
  app.setErrorHandler((error: FastifyError | OAuthError, _request, reply) => {
    if (error instanceof OAuthError) {
      const status = error.code === 'invalid_client' ? 401 : 400;
      return reply.code(status).send({ error: error.code, error_description: error.message });
    }
    // What Fastify refuses before a route sees it (JSON, a body too large) is a bad request to Discord.
    if (error.statusCode === undefined || error.statusCode >= 500) throw error;
    const error_description = 'The body must be application/x-www-form-urlencoded, 16 KiB at most.';
    return reply.code(400).send({ error: 'invalid_request', error_description });
  });
  app.post(`${API}/oauth2/token`, ({ body }) => {
    const fields = singleFields(body);
    if (fields.client_id !== clientId || fields.client_secret !== clientSecret) {
      throw new OAuthError('invalid_client', 'Client authentication failed.');
    }
    if (fields.grant_type !== 'authorization_code') {
      throw new OAuthError('unsupported_grant_type', 'The grant type is not supported.');
    }
    if (fields.code === undefined) throw new OAuthError('invalid_request', 'Missing "code" in request.');
    return grants.redeemCode(fields);
  });
}

/** Without the `email` scope Discord leaves out the address and whether it was verified. */
function userWithin(user: DiscordUser, scopes: readonly string[]): Partial<DiscordUser> {
  if (scopes.includes('email')) return user;
  const { email: _email, verified: _verified, ...rest } = user;
  return rest;
}

/** What an access token tells of the person who allowed it. */
export function registerUsers(app: FastifyInstance, { grants, guildsOf }: TokensDeps) {
  function answer(scope: string, { headers }: FastifyRequest, reply: FastifyReply) {
    const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const authorization = grants.authorizationOf(token);
    if (!authorization?.scopes.includes(scope)) return reply.code(401).send({ message: '401: Unauthorized', code: 0 });
    const { persona, scopes } = authorization;
    return reply.send(scope === 'guilds' ? guildsOf(persona.name) : userWithin(persona.user, scopes));
  }
  app.get(`${API}/users/@me`, (request, reply) => answer('identify', request, reply));
  app.get(`${API}/users/@me/guilds`, (request, reply) => answer('guilds', request, reply));
}
