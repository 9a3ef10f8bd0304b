import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { z } from 'zod';

/**
 * Credentials: random tokens for sessions, and signed tokens that every node can verify after a restart.
 */

const Bearer = z.object({ profile_id: z.string(), session_id: z.string(), expiresAtMs: z.number() });
export type Bearer = z.infer<typeof Bearer>;
const ObjectGrant = z.object({ path: z.string(), expiresAtMs: z.number() });
const SignIn = z.object({ state: z.string(), codeVerifier: z.string(), expiresAtMs: z.number() });
/** What one sign-in stores between its redirects (PKCE, RFC 7636). */
export type SignIn = z.infer<typeof SignIn>;

export interface Tokens {
  /**
   * Signs a storage bearer token; `verifyBearer` checks `expiresAtMs`.
   * RFC 6750 §5.3: "Token servers SHOULD issue short-lived (one hour or less) bearer tokens, particularly when issuing
   * tokens to clients that run within a web browser". Ours live for BEARER_SECONDS.
   */
  signBearer(bearer: Bearer): string;
  verifyBearer(token: string): Bearer | null;
  /** Signs the token of a URL for exactly one object path. */
  signObject(grant: { path: string; expiresAtMs: number }): string;
  verifyObject(token: string, path: string): boolean;
  signSignIn(signIn: SignIn): string;
  verifySignIn(token: string): SignIn | null;
  /** A stable pseudonym of a person for the log. */
  hashForLog(profileId: string): string;
  /** The name of a rate limit counter, the same on every node. */
  hashForCounting(text: string): string;
}

/** Makes a random token: 256 bits, base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** SHA-256 of a token, hex: the form that the database stores. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Compares two tokens in constant time. */
export function sameToken(a: string, b: string): boolean {
  // timingSafeEqual needs equal lengths; hashing gives them and does not reveal the length.
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

/** A key object: with a buffer, each signature would create one. */
const deriveKey = (secret: Buffer, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `satchel ${purpose} v1`, 32)));

/** Signs and verifies one kind of payload under its own key, so that no kind is accepted as another. */
function createSigner<Payload extends { expiresAtMs: number }>(
  secret: Buffer,
  purpose: string,
  schema: z.ZodType<Payload>,
) {
  const key = deriveKey(secret, purpose);
  const mac = (body: string) => createHmac('sha256', key).update(body).digest('base64url');

  function sign(payload: Payload): string {
    const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${body}.${mac(body)}`;
  }

  function verify(token: string): Payload | null {
    const [body, signature, ...rest] = token.split('.');
    if (!body || !signature || rest.length > 0 || !sameToken(signature, mac(body))) return null;
    // Only this server makes valid signatures, so the body is JSON that it wrote.
    const parsed = schema.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()));
    return parsed.success && parsed.data.expiresAtMs > Date.now() ? parsed.data : null;
  }

  return { sign, verify };
}

/**
 * Creates the signers of all tokens under SESSION_SECRET.
 * @param secret at least 32 bytes
 */
export function createTokens(secret: Buffer): Tokens {
  const bearers = createSigner(secret, 'bearer', Bearer);
  const objects = createSigner(secret, 'object', ObjectGrant);
  const signIns = createSigner(secret, 'sign-in', SignIn);
  const countingKey = deriveKey(secret, 'rate limits');
  const logKey = deriveKey(secret, 'log');
  return {
    signBearer: bearers.sign,
    verifyBearer: bearers.verify,
    signObject: objects.sign,
    verifyObject: (token, path) => objects.verify(token)?.path === path,
    signSignIn: signIns.sign,
    verifySignIn: signIns.verify,
    hashForLog: (profileId) => createHmac('sha256', logKey).update(profileId).digest('hex').slice(0, 16),
    hashForCounting: (text) => createHmac('sha256', countingKey).update(text).digest('base64url'),
  };
}
