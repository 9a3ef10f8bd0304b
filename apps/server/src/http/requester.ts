import type { SessionKind } from '@satchel/contract/entities';
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
import { DEVICE_ROUTES } from './device-rights.ts';
import { isReadOrSameSite } from './origin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The person that the session cookie names, or the bearer of a device; set on the JSON routes, null everywhere else, and
     * null for a device on a route that it may not use.
     */
    viewer: Viewer | null;
    /** True for a call of a device's session, whether or not it may use the route. */
    isDevice: boolean;
  }
}

/** The form of newToken's tokens: a signed bearer, which storage calls have, is none. */
const DEVICE_BEARER = /^Bearer ([A-Za-z0-9_-]{43})$/i;
/** Where a node passes a device's bearer on to its key service: there, `Authorization` proves the node itself. */
export const PASSED_BEARER = 'x-satchel-bearer';
/** The token of a device's session, unchecked. No browser sends these headers by itself, so they count from everywhere. */
const deviceTokenOf = ({ headers }: FastifyRequest): string | undefined =>
  DEVICE_BEARER.exec(String(headers[PASSED_BEARER] ?? headers.authorization ?? ''))?.[1];

/**
 * Reads each request's viewer from the session cookie, or from the bearer of a device. RFC 6750 §2: "Clients MUST NOT use
 * more than one method to transmit the token in each request": beside a cookie, a bearer counts for nothing.
 * @throws request.bad_origin on a cross-site write
 */
export function recognizeViewers(scope: FastifyInstance, { config, database, gate }: AppDeps): void {
  const recognize = (request: FastifyRequest, token: string, kind: SessionKind) =>
    inSessionTurn(gate, request, () => viewerOf(database.db, token, kind));
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const token = sessionTokenOf(request, config);
    const deviceToken = deviceTokenOf(request);
    if (token) {
      if (!isReadOrSameSite(request, config)) throw new AppError('request.bad_origin');
      request.viewer = await recognize(request, token, 'browser');
    } else if (deviceToken) {
      const viewer = await recognize(request, deviceToken, 'device');
      request.isDevice = viewer !== null;
      if (DEVICE_ROUTES.has(`${request.method} ${request.routeOptions.url}`)) request.viewer = viewer;
    }
  });
}

/** What a request proves about its sender to a folder. The cookies of a cross-site write prove nothing. */
export function requesterOf(request: FastifyRequest, config: Config): Requester {
  const mayUseCookies = isReadOrSameSite(request, config);
  const hashed = (token: string | null | undefined) => (token ? hashToken(token) : null);
  const ofCookie = (token: string | null | undefined) => hashed(mayUseCookies ? token : null);
  const { viewer } = request;
  return {
    profile_id: viewer?.profile_id ?? null,
    session_hash: viewer ? null : (ofCookie(sessionTokenOf(request, config)) ?? hashed(deviceTokenOf(request))),
    holder_hash: ofCookie(guestTokenOf(request, config)),
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
 * SHOULD respond with the HTTP 401 (Unauthorized) status code." And: "The request requires higher privileges than provided
 * by the access token. The resource server SHOULD respond with the HTTP 403 (Forbidden) status code".
 * @throws auth.required; auth.not_for_devices
 */
export function requireViewer(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new AppError(request.isDevice ? 'auth.not_for_devices' : 'auth.required');
  return request.viewer;
}

/** A hook that answers strangers with 401 before their body is read. */
export const signedIn = async (request: FastifyRequest): Promise<void> => {
  requireViewer(request);
};
