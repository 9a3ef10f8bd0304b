import { longestLifeHours } from '@satchel/contract/tiers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { SESSION_DAYS } from '../domain/accounts/sessions.ts';

/** The site's cookies: the session, a sign-in under way, and a guest's browser. */

const isHttps = (config: Config) => config.publicUrl.startsWith('https:');
// RFC 6265bis §4.1.3.2: "If a cookie's name begins with a case-sensitive match for the string __Host-, then the cookie
// will have been set with a Secure attribute, a Path attribute with a value of /, and no Domain attribute." Safari
// refuses Secure on http loopback. The prefix keeps a sibling domain from planting the sign-in of its own
// account.
const nameOf = (name: string, config: Config) => (isHttps(config) ? `__Host-${name}` : name);
// RFC 6265bis §4.1.2.7: "If the value is "Lax", the cookie will be sent with same-site requests, and with "cross-site"
// top-level navigations". Discord's redirect back to us is such a navigation.
const settingsOf = (config: Config) =>
  ({ httpOnly: true, secure: isHttps(config), sameSite: 'lax', path: '/' }) as const;

export function setSessionCookie(reply: FastifyReply, config: Config, token: string): void {
  reply.setCookie(nameOf('sid', config), token, { ...settingsOf(config), maxAge: SESSION_DAYS.browser * 86_400 });
}

/**
 * RFC 6265bis §3.1: "The server will be successful in removing the cookie only if the Path and the Domain attribute in
 * the Set-Cookie header match the values used when the cookie was created."
 */
export function clearSessionCookie(reply: FastifyReply, config: Config): void {
  reply.clearCookie(nameOf('sid', config), settingsOf(config));
}

/** The token of the session cookie, unchecked. */
export const sessionTokenOf = (request: FastifyRequest, config: Config): string | undefined =>
  request.cookies[nameOf('sid', config)];

/** @param value the state of a sign-in under way, signed */
export function setSignInCookie(reply: FastifyReply, config: Config, value: string, maxAge: number): void {
  reply.setCookie(nameOf('sign-in', config), value, { ...settingsOf(config), maxAge });
}

/** Reads the sign-in cookie and clears it, so that it serves one sign-in. */
export function takeSignInCookie(request: FastifyRequest, reply: FastifyReply, config: Config): string | null {
  reply.clearCookie(nameOf('sign-in', config), settingsOf(config));
  return request.cookies[nameOf('sign-in', config)] ?? null;
}

/** The form of newToken's tokens. */
const GUEST_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Keeps the token of a browser that a grant let in, for as long as a folder may live. */
export function setGuestCookie(reply: FastifyReply, config: Config, token: string): void {
  reply.setCookie(nameOf('guest', config), token, {
    ...settingsOf(config),
    maxAge: Math.floor(longestLifeHours(config.tiers) * 3600),
  });
}

/** The guest token of this browser, or null. */
export function guestTokenOf(request: FastifyRequest, config: Config): string | null {
  const token = request.cookies[nameOf('guest', config)] ?? '';
  return GUEST_TOKEN.test(token) ? token : null;
}
