import { AppError } from '@satchel/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Entrant } from '../domain/entry.ts';
import type { Viewer } from '../domain/folders.ts';
import { SESSION_DAYS, viewerOf } from '../domain/sessions.ts';
import { hashToken, type Tokens } from '../platform/tokens.ts';
import { inSessionTurn } from './client-turns.ts';
import type { AppDeps } from './deps.ts';
import { describeError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the session cookie says this is; set on the JSON routes, null everywhere else. */
    viewer: Viewer | null;
  }
}

const isHttps = (config: Config) => config.publicUrl.startsWith('https:');
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

// Safari refuses Secure on http loopback, and __Host- demands it (DESIGN §2).
const sessionCookieName = (config: Config) => (isHttps(config) ? '__Host-sid' : 'sid');
const cookieBase = (config: Config) => ({ httpOnly: true, secure: isHttps(config), sameSite: 'lax' }) as const;

export function setSessionCookie(reply: FastifyReply, config: Config, token: string): void {
  const maxAge = SESSION_DAYS * 86_400;
  reply.setCookie(sessionCookieName(config), token, { ...cookieBase(config), path: '/', maxAge });
}

export function clearSessionCookie(reply: FastifyReply, config: Config): void {
  reply.clearCookie(sessionCookieName(config), { ...cookieBase(config), path: '/' });
}

// Where a sign-in under way is remembered. `__Host-`, and so the path '/': a neighbour in the domain must not be able to
// plant the sign-in of an account of its own.
const signInCookieName = (config: Config) => (isHttps(config) ? '__Host-sign-in' : 'sign-in');
const signInCookie = (config: Config) => ({ ...cookieBase(config), path: '/' });

export function setSignInCookie(reply: FastifyReply, config: Config, value: string, maxAge: number): void {
  reply.setCookie(signInCookieName(config), value, { ...signInCookie(config), maxAge });
}

/** What the sign-in cookie holds; reading it uses it up. */
export function takeSignInCookie(request: FastifyRequest, reply: FastifyReply, config: Config): string | null {
  reply.clearCookie(signInCookieName(config), signInCookie(config));
  return request.cookies[signInCookieName(config)] ?? null;
}

/**
 * Makes the routes of `scope` know their viewer by the session cookie. A write that a cookie speaks for must come from
 * this very site (DESIGN §5): browsers send `Origin` with every POST, and no other site can make it ours.
 */
export function recognizeViewers(scope: FastifyInstance, { config, database, gate }: AppDeps): void {
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const token = request.cookies[sessionCookieName(config)];
    if (!token) return;
    if (!READS.has(request.method) && request.headers.origin !== config.publicUrl) {
      throw new AppError('request.bad_origin');
    }
    request.viewer = await inSessionTurn(gate, request, () => viewerOf(database.db, token));
  });
}

// Which browser was let into restricted folders (DESIGN R16).
const guestCookieName = (config: Config) => (isHttps(config) ? '__Host-guest' : 'guest');
/** As newToken makes them; anything else is no token of ours. */
const HOLDER_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Keeps a browser's token for as long as the longest-lived folder that it may have been let into. */
export function setGuestCookie(reply: FastifyReply, config: Config, token: string): void {
  const hours = Math.max(...Object.values(config.tiers).map((tier) => tier.folder_lifetime_hours));
  reply.setCookie(guestCookieName(config), token, {
    ...cookieBase(config),
    path: '/',
    maxAge: Math.floor(hours * 3600),
  });
}

/** The token that this browser holds, or null. */
export function guestTokenOf(request: FastifyRequest, config: Config): string | null {
  const token = request.cookies[guestCookieName(config)] ?? '';
  return HOLDER_TOKEN.test(token) ? token : null;
}

/**
 * Who comes to a folder, as far as bearer and cookies say. With anything but a plain read, cookies count only when the
 * request comes from this very site, as everywhere.
 */
export function entrantOf(request: FastifyRequest, config: Config): Entrant {
  const speaks = READS.has(request.method) || request.headers.origin === config.publicUrl;
  const hashed = (token: string | null | undefined) => (speaks && token ? hashToken(token) : null);
  const { viewer } = request;
  return {
    profile_id: viewer?.profile_id ?? null,
    session_hash: viewer ? null : hashed(request.cookies[sessionCookieName(config)]),
    holder_hash: hashed(guestTokenOf(request, config)),
  };
}

/**
 * Refuses a write of another site's page, for routes that no cookie speaks for. Whoever is no browser sends no Origin.
 * @throws request.bad_origin
 */
export function refuseOtherSites(request: FastifyRequest, config: Config): void {
  const { origin } = request.headers;
  if (origin !== undefined && origin !== config.publicUrl) throw new AppError('request.bad_origin');
}

/** Who the bearer of a storage call says this is; null without a valid one. */
export function bearerOf(request: FastifyRequest, tokens: Tokens): Viewer | null {
  const [, token] = /^Bearer ([\w.-]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const bearer = token === undefined ? null : tokens.verifyBearer(token);
  return bearer && { profile_id: bearer.profile_id, session_id: bearer.session_id };
}

/** @throws auth.required */
export function requireViewer(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new AppError('auth.required');
  return request.viewer;
}

/** For what is done, but left something behind that the sweeper takes away. */
export const reportLeftover = (request: FastifyRequest) => (error: unknown) =>
  request.log.error({ error: describeError(error) }, 'removal left to the sweeper');

/** A hook that refuses before the body is looked at: to a stranger it is 401, whatever it says. */
export const signedIn = async (request: FastifyRequest): Promise<void> => {
  requireViewer(request);
};
