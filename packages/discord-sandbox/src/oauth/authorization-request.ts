import { z } from 'zod';
import { field, refusedFields } from './form-fields.ts';
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
  code_challenge: string | undefined;
}

/** A refusal is told on a page where the redirect address itself can't be trusted (RFC 6749 §4.1.2.1). */
export type AuthorizationReading =
  | { kind: 'page'; message: string }
  | { kind: 'redirect'; redirect_uri: string; state: string | undefined; error: OAuthErrorCode; description: string }
  | { kind: 'sound'; request: AuthorizationRequest };

const servedScopes = ['identify', 'email', 'guilds'] as const;

const addressing = z.object({ client_id: field, redirect_uri: field });
const parameters = z.object({
  response_type: field,
  scope: field,
  state: field,
  code_challenge: field,
  code_challenge_method: field,
});
type Parameters = z.infer<typeof parameters>;

/** Splits a scope, dropping repetitions; null when it is empty or names one the sandbox doesn't serve. */
function readScopes(scope: string | undefined): string[] | null {
  const scopes = [...new Set((scope ?? '').split(' ').filter((name) => name !== ''))];
  const served: readonly string[] = servedScopes;
  return scopes.length > 0 && scopes.every((name) => served.includes(name)) ? scopes : null;
}

function findPkceFault({ code_challenge, code_challenge_method }: Parameters): string | null {
  if (code_challenge === undefined) {
    return code_challenge_method === undefined ? null : 'A code_challenge_method needs a code_challenge.';
  }
  // Left out means "plain" (RFC 7636 §4.3), which is refused as well.
  if (code_challenge_method !== 'S256') return 'The code_challenge_method must be S256.';
  // A SHA-256 of 32 bytes is 43 characters of base64url; the last character carries four bits only.
  if (!/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(code_challenge)) return 'The code_challenge is malformed.';
  return null;
}

function findFault(given: Parameters): { error: OAuthErrorCode; description: string } | null {
  if (given.response_type === undefined) return { error: 'invalid_request', description: 'Missing response_type.' };
  if (given.response_type !== 'code') {
    return { error: 'unsupported_response_type', description: 'The response_type must be code.' };
  }
  if (readScopes(given.scope) === null) {
    return { error: 'invalid_scope', description: 'The requested scope is invalid, unknown, or malformed.' };
  }
  const pkceFault = findPkceFault(given);
  return pkceFault === null ? null : { error: 'invalid_request', description: pkceFault };
}

/** Checks the query of /oauth2/authorize against the one registered client. */
export function readAuthorizationRequest(query: unknown, client: RegisteredClient): AuthorizationReading {
  const address = addressing.safeParse(query);
  if (!address.success) return { kind: 'page', message: `Given more than once: ${refusedFields(address.error)}.` };
  const { client_id, redirect_uri } = address.data;
  if (client_id === undefined) return { kind: 'page', message: 'The client_id is missing.' };
  if (client_id !== client.clientId) return { kind: 'page', message: 'Unknown application: no such client_id.' };
  if (redirect_uri === undefined || !client.redirectUris.includes(redirect_uri)) {
    return { kind: 'page', message: 'Invalid redirect_uri: it must be one of the registered ones, to the letter.' };
  }
  const given = parameters.safeParse(query);
  if (!given.success) {
    const description = `Given more than once: ${refusedFields(given.error)}.`;
    const state = z.object({ state: field }).safeParse(query).data?.state;
    return { kind: 'redirect', redirect_uri, state, error: 'invalid_request', description };
  }
  const { state, code_challenge } = given.data;
  const fault = findFault(given.data);
  if (fault !== null) return { kind: 'redirect', redirect_uri, state, ...fault };
  return {
    kind: 'sound',
    request: { redirect_uri, scopes: readScopes(given.data.scope) ?? [], state, code_challenge },
  };
}
