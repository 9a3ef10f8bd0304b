import { createHash, randomBytes } from 'node:crypto';
import type { Persona } from '../personas/personas.ts';

// Discord's own figure, given by its staff: discord-api-docs issue 2526.
export const CODE_LIFETIME_MS = 100_000;
export const ACCESS_TOKEN_LIFETIME_MS = 604_800_000;
export const CONSENT_LIFETIME_MS = 600_000;

/** A sound authorization request, as a consent and a code are made from. */
export interface AuthorizationRequest {
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
  readonly code_challenge: string;
}

/** What one persona allowed at one consent. */
interface Authorization {
  readonly persona: Persona;
  readonly scopes: readonly string[];
}

/** A refusal in the shape of RFC 6749 §5.2. */
export class OAuthError extends Error {
  readonly code: string;

  constructor(code: 'invalid_client' | 'invalid_grant' | 'invalid_request' | 'unsupported_grant_type', text: string) {
    super(text);
    this.code = code;
  }
}

/** Values under secrets of their own, each for some time. */
function createVault<T>(now: () => number, lifetimeMs: number) {
  const held = new Map<string, { readonly value: T; readonly endsAt: number }>();
  const find = (secret: string): T | undefined => {
    const entry = held.get(secret);
    return entry !== undefined && entry.endsAt > now() ? entry.value : undefined;
  };
  return {
    put(value: T): string {
      const secret = randomBytes(24).toString('base64url');
      held.set(secret, { value, endsAt: now() + lifetimeMs });
      return secret;
    },
    find,
    /** Finds it once. */
    take(secret: string): T | undefined {
      const value = find(secret);
      held.delete(secret);
      return value;
    },
    drop(isDropped: (value: T) => boolean) {
      for (const [secret, { value }] of held) if (isDropped(value)) held.delete(secret);
    },
  };
}

/** Open consents, codes and tokens, in memory: a restart forgets them. `now` is in milliseconds since 1970. */
export function createGrantStore(now: () => number) {
  const consents = createVault<AuthorizationRequest>(now, CONSENT_LIFETIME_MS);
  const codes = createVault<{ request: AuthorizationRequest; persona: Persona }>(now, CODE_LIFETIME_MS);
  const tokens = createVault<Authorization>(now, ACCESS_TOKEN_LIFETIME_MS);
  return {
    openConsent: consents.put,
    /** Single use: the second submission of one consent page finds nothing. */
    takeConsent: consents.take,
    issueCode: (request: AuthorizationRequest, persona: Persona) => codes.put({ request, persona }),
    /** A code counts as used even when the attempt failed. @throws OAuthError */
    redeemCode({ code = '', redirect_uri, code_verifier = '' }: Readonly<Record<string, string | undefined>>) {
      const issued = codes.take(code);
      const refuse = (name: string) => new OAuthError('invalid_grant', `Invalid "${name}" in request.`);
      if (issued === undefined) throw refuse('code');
      const { request, persona } = issued;
      if (redirect_uri !== request.redirect_uri) throw refuse('redirect_uri');
      const challenge = createHash('sha256').update(code_verifier).digest('base64url');
      if (challenge !== request.code_challenge) throw refuse('code_verifier');
      return {
        token_type: 'Bearer',
        access_token: tokens.put({ persona, scopes: request.scopes }),
        expires_in: ACCESS_TOKEN_LIFETIME_MS / 1000,
        scope: request.scopes.join(' '),
      };
    },
    /** Ends all that a persona ever allowed. */
    revokeAllOf: (name: string) => tokens.drop(({ persona }) => persona.name === name),
    authorizationOf: tokens.find,
  };
}
export type GrantStore = ReturnType<typeof createGrantStore>;
