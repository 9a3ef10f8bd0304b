import { createHash, randomBytes } from 'node:crypto';
import type { Persona } from '../personas/personas.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { OAuthError } from './oauth-error.ts';

// Discord's own figure, given by its staff: discord-api-docs issue 2526.
export const CODE_LIFETIME_MS = 100_000;
export const ACCESS_TOKEN_LIFETIME_MS = 604_800_000;
export const CONSENT_LIFETIME_MS = 600_000;
const SWEEP_INTERVAL_MS = 60_000;

/** What one persona allowed at one consent. All its tokens end together. */
interface Grant {
  persona: Persona;
  scopes: readonly string[];
  refresh_token: string | null;
}

interface IssuedCode {
  request: AuthorizationRequest;
  persona: Persona;
  expires_at: number;
  /** Null until the first attempt. A code counts as used even when that attempt failed. */
  used: { grant: Grant | null } | null;
}

interface IssuedToken {
  grant: Grant;
  scopes: readonly string[];
  expires_at: number;
}

export interface TokenResponse {
  token_type: 'Bearer';
  access_token: string;
  expires_in: number;
  refresh_token: string;
  scope: string;
}

export interface Redemption {
  code: string;
  redirect_uri: string | undefined;
  code_verifier: string | undefined;
}

export interface Authorization {
  persona: Persona;
  scopes: readonly string[];
  expires_at: number;
}

/** Everything the sandbox remembers, in memory: a restart forgets it. */
interface Ledger {
  now: () => number;
  nextSweepAt: number;
  consents: Map<string, { request: AuthorizationRequest; expires_at: number }>;
  codes: Map<string, IssuedCode>;
  accessTokens: Map<string, IssuedToken>;
  refreshTokens: Map<string, Grant>;
}

export type GrantStore = ReturnType<typeof createGrantStore>;

const mint = () => randomBytes(24).toString('base64url');

function sweep(ledger: Ledger) {
  const now = ledger.now();
  if (now < ledger.nextSweepAt) return;
  ledger.nextSweepAt = now + SWEEP_INTERVAL_MS;
  for (const [id, consent] of ledger.consents) if (consent.expires_at <= now) ledger.consents.delete(id);
  for (const [token, issued] of ledger.accessTokens) if (issued.expires_at <= now) ledger.accessTokens.delete(token);
  // A used code is kept as long as the access token made from it, so that its reuse can still end that token.
  for (const [code, issued] of ledger.codes) {
    const keepUntil = issued.expires_at + (issued.used?.grant ? ACCESS_TOKEN_LIFETIME_MS : 0);
    if (keepUntil <= now) ledger.codes.delete(code);
  }
}

function openConsent(ledger: Ledger, request: AuthorizationRequest): string {
  sweep(ledger);
  const id = mint();
  ledger.consents.set(id, { request, expires_at: ledger.now() + CONSENT_LIFETIME_MS });
  return id;
}

function takeConsent(ledger: Ledger, id: string): AuthorizationRequest | undefined {
  const consent = ledger.consents.get(id);
  ledger.consents.delete(id);
  return consent !== undefined && consent.expires_at > ledger.now() ? consent.request : undefined;
}

function issueCode(ledger: Ledger, request: AuthorizationRequest, persona: Persona): string {
  sweep(ledger);
  const code = mint();
  ledger.codes.set(code, { request, persona, expires_at: ledger.now() + CODE_LIFETIME_MS, used: null });
  return code;
}

function checkVerifier(challenge: string | undefined, verifier: string | undefined) {
  // A verifier without a challenge is how a downgrade looks: RFC 9700 §2.1.1.
  if (challenge === undefined && verifier !== undefined) {
    throw new OAuthError('invalid_grant', 'Unexpected "code_verifier": the authorization had no "code_challenge".');
  }
  if (challenge === undefined) return;
  if (verifier === undefined) throw new OAuthError('invalid_grant', 'Missing "code_verifier" in request.');
  const wellFormed = /^[A-Za-z0-9._~-]{43,128}$/.test(verifier);
  if (!wellFormed || createHash('sha256').update(verifier).digest('base64url') !== challenge) {
    throw new OAuthError('invalid_grant', 'Invalid "code_verifier" in request.');
  }
}

function endGrant(ledger: Ledger, grant: Grant) {
  if (grant.refresh_token !== null) ledger.refreshTokens.delete(grant.refresh_token);
  for (const [token, issued] of ledger.accessTokens) if (issued.grant === grant) ledger.accessTokens.delete(token);
}

function issueTokens(ledger: Ledger, grant: Grant, scopes: readonly string[]): TokenResponse {
  if (grant.refresh_token !== null) ledger.refreshTokens.delete(grant.refresh_token);
  grant.refresh_token = mint();
  ledger.refreshTokens.set(grant.refresh_token, grant);
  const accessToken = mint();
  ledger.accessTokens.set(accessToken, { grant, scopes, expires_at: ledger.now() + ACCESS_TOKEN_LIFETIME_MS });
  return {
    token_type: 'Bearer',
    access_token: accessToken,
    expires_in: ACCESS_TOKEN_LIFETIME_MS / 1000,
    refresh_token: grant.refresh_token,
    scope: scopes.join(' '),
  };
}

function redeemCode(ledger: Ledger, { code, redirect_uri, code_verifier }: Redemption): TokenResponse {
  const issued = ledger.codes.get(code);
  // Either user of the code may be the thief, so RFC 6749 §4.1.2 revokes the tokens of both.
  if (issued?.used?.grant) endGrant(ledger, issued.used.grant);
  if (issued === undefined || issued.used !== null || issued.expires_at <= ledger.now()) {
    throw new OAuthError('invalid_grant', 'Invalid "code" in request.');
  }
  issued.used = { grant: null };
  if (redirect_uri !== issued.request.redirect_uri) {
    throw new OAuthError('invalid_grant', 'Invalid "redirect_uri" in request.');
  }
  checkVerifier(issued.request.code_challenge, code_verifier);
  const grant: Grant = { persona: issued.persona, scopes: issued.request.scopes, refresh_token: null };
  issued.used = { grant };
  return issueTokens(ledger, grant, grant.scopes);
}

function refresh(ledger: Ledger, refreshToken: string, scopes: readonly string[] | undefined): TokenResponse {
  const grant = ledger.refreshTokens.get(refreshToken);
  if (grant === undefined) throw new OAuthError('invalid_grant', 'Invalid "refresh_token" in request.');
  if (scopes?.some((scope) => !grant.scopes.includes(scope))) {
    throw new OAuthError('invalid_scope', 'The requested scope exceeds the scope granted.');
  }
  sweep(ledger);
  return issueTokens(ledger, grant, scopes ?? grant.scopes);
}

function revoke(ledger: Ledger, token: string) {
  const grant = ledger.refreshTokens.get(token) ?? ledger.accessTokens.get(token)?.grant;
  if (grant !== undefined) endGrant(ledger, grant);
}

function revokeAllOf(ledger: Ledger, persona: string) {
  const issued = [...ledger.accessTokens.values()].map(({ grant }) => grant);
  const grants = new Set([...issued, ...ledger.refreshTokens.values()]);
  for (const grant of grants) if (grant.persona.name === persona) endGrant(ledger, grant);
}

function authorizationOf(ledger: Ledger, accessToken: string): Authorization | undefined {
  const issued = ledger.accessTokens.get(accessToken);
  if (issued === undefined || issued.expires_at <= ledger.now()) return undefined;
  return { persona: issued.grant.persona, scopes: issued.scopes, expires_at: issued.expires_at };
}

/** Open consents, codes and tokens. `now` is in milliseconds since 1970. */
export function createGrantStore({ now }: { now: () => number }) {
  const ledger: Ledger = {
    now,
    nextSweepAt: 0,
    consents: new Map(),
    codes: new Map(),
    accessTokens: new Map(),
    refreshTokens: new Map(),
  };
  return {
    openConsent: (request: AuthorizationRequest) => openConsent(ledger, request),
    /** Single use: the second submission of one consent page finds nothing. */
    takeConsent: (id: string) => takeConsent(ledger, id),
    issueCode: (request: AuthorizationRequest, persona: Persona) => issueCode(ledger, request, persona),
    redeemCode: (redemption: Redemption) => redeemCode(ledger, redemption),
    /** Rotates: the refresh token given is spent, the access tokens made before live out their time. */
    refresh: (refreshToken: string, scopes: readonly string[] | undefined) => refresh(ledger, refreshToken, scopes),
    /** Ends the whole grant, whichever of its tokens is given; an unknown token is no error (RFC 7009 §2.2). */
    revoke: (token: string) => revoke(ledger, token),
    /** Ends all that a persona ever allowed. */
    revokeAllOf: (persona: string) => revokeAllOf(ledger, persona),
    authorizationOf: (accessToken: string) => authorizationOf(ledger, accessToken),
  };
}
