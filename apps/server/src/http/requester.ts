import { AppError } from '@satchel/contract/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Viewer } from '../domain/access/find-folder.ts';
import type { Requester } from '../domain/access/folder-access.ts';
import { viewerOf } from '../domain/accounts/sessions.ts';
import { hashToken, type Tokens } from '../platform/keys/tokens.ts';
import { inSessionTurn } from './client-turns.ts';
import { guestTokenOf, sessionTokenOf } from './cookies.ts';
import type { AppDeps } from './deps.ts';
import { isReadOrSameSite } from './origin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The person that the session cookie names; set on the JSON routes, null everywhere else. */
    viewer: Viewer | null;
  }
}

/** Reads each request's viewer from the session cookie. @throws request.bad_origin on a cross-site write */
export function recognizeViewers(scope: FastifyInstance, { config, database, gate }: AppDeps): void {
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const token = sessionTokenOf(request, config);
    if (!token) return;
    if (!isReadOrSameSite(request, config)) throw new AppError('request.bad_origin');
    request.viewer = await inSessionTurn(gate, request, () => viewerOf(database.db, token));
  });
}

/** What a request proves about its sender to a folder. The cookies of a cross-site write prove nothing. */
export function requesterOf(request: FastifyRequest, config: Config): Requester {
  const mayUseCookies = isReadOrSameSite(request, config);
  const hashed = (token: string | null | undefined) => (mayUseCookies && token ? hashToken(token) : null);
  const { viewer } = request;
  return {
    profile_id: viewer?.profile_id ?? null,
    session_hash: viewer ? null : hashed(sessionTokenOf(request, config)),
    holder_hash: hashed(guestTokenOf(request, config)),
  };
}

/** The person that the bearer token of a storage call names; null without a valid one. */
export function bearerOf(request: FastifyRequest, tokens: Tokens): Viewer | null {
  // RFC 6750 §2.1: "Clients SHOULD make authenticated requests with a bearer token using the "Authorization" request
  // header field with the "Bearer" HTTP authorization scheme. Resource servers MUST support this method."
  // RFC 9110 §11.1: "It uses a case-insensitive token to identify the authentication scheme".
  const [, token] = /^Bearer ([\w.-]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const bearer = token === undefined ? null : tokens.verifyBearer(token);
  return bearer && { profile_id: bearer.profile_id, session_id: bearer.session_id };
}

/**
 * RFC 6750 §3.1: "The access token provided is expired, revoked, malformed, or invalid for other reasons. The resource
 * SHOULD respond with the HTTP 401 (Unauthorized) status code."
 * @throws auth.required
 */
export function requireViewer(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new AppError('auth.required');
  return request.viewer;
}

/** A hook that answers strangers with 401 before their body is read. */
export const signedIn = async (request: FastifyRequest): Promise<void> => {
  requireViewer(request);
};
