import { singleFields } from './form-fields.ts';
import type { OAuthErrorCode } from './oauth-error.ts';

export interface RegisteredClient {
  clientId: string;
  clientSecret: string;
  redirectUris: readonly string[];
}

/** A sound authorization request, as a consent and a code are made from. */
export interface AuthorizationRequest {
  redirect_uri: string;
  scopes: readonly string[];
  state: string | undefined;
  code_challenge: string;
}

/** A refusal is told on a page where the redirect address itself can't be trusted (RFC 6749 §4.1.2.1). */
export type AuthorizationReading =
  | { kind: 'page'; message: string }
  | { kind: 'redirect'; redirect_uri: string; state: string | undefined; error: OAuthErrorCode; description: string }
  | { kind: 'sound'; request: AuthorizationRequest };

const SERVED_SCOPES: readonly string[] = ['identify', 'email', 'guilds'];
/** A SHA-256 of 32 bytes is 43 characters of base64url; the last character carries four bits only. */
const CHALLENGE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** Checks the query of /oauth2/authorize against the one registered client. PKCE must be S256. */
export function readAuthorizationRequest(query: unknown, client: RegisteredClient): AuthorizationReading {
  const { client_id, redirect_uri, response_type, scope = '', state, ...pkce } = singleFields(query);
  if (client_id !== client.clientId) return { kind: 'page', message: 'Unknown application: no such client_id.' };
  if (redirect_uri === undefined || !client.redirectUris.includes(redirect_uri)) {
    return { kind: 'page', message: 'Invalid redirect_uri: it must be one of the registered ones, to the letter.' };
  }
  const refuse = (error: OAuthErrorCode, description: string) =>
    ({ kind: 'redirect', redirect_uri, state, error, description }) as const;
  if (response_type !== 'code') return refuse('unsupported_response_type', 'The response_type must be code.');
  const scopes = [...new Set(scope.split(' '))];
  if (!scopes.every((name) => SERVED_SCOPES.includes(name))) {
    return refuse('invalid_scope', 'The requested scope is invalid, unknown, or malformed.');
  }
  const { code_challenge = '', code_challenge_method } = pkce;
  if (code_challenge_method !== 'S256' || !CHALLENGE.test(code_challenge)) {
    return refuse('invalid_request', 'PKCE must be S256, with a code_challenge of 43 characters.');
  }
  return { kind: 'sound', request: { redirect_uri, scopes, state, code_challenge } };
}
