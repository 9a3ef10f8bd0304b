import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createSandbox } from './app.ts';

export const registered = {
  clientId: '100000000000000001',
  clientSecret: 'a secret: with +100 % signs',
  redirectUris: ['http://127.0.0.1:3000/auth/v1/callback', 'https://satchel.example/auth/v1/callback?tenant=a%20b'],
} as const;
export const callback = registered.redirectUris[0];

/** A sandbox on its own port, with a clock that stands still unless moved. It ends with the test. */
export async function startSandbox() {
  let nowMs = Date.UTC(2026, 0, 1);
  const { app } = createSandbox({ ...registered, now: () => nowMs });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await app.close();
  });
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  return {
    origin,
    advance(durationMs: number) {
      nowMs += durationMs;
    },
    /** Fetches without following redirects, since those lead to the application. */
    get: (path: string, headers: Record<string, string> = {}) => fetch(origin + path, { headers, redirect: 'manual' }),
    post: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(origin + path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' }),
  };
}

export type RunningSandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Of PKCE: what each authorization announces, and each code is redeemed with. */
export const verifier = randomBytes(32).toString('base64url');
const sound = {
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
  client_id: registered.clientId,
  redirect_uri: callback,
  response_type: 'code',
  scope: 'identify email',
  state: 'state & more',
};

/** The path of an authorization, with fields changed, or left out where undefined. */
export function authorizePath(changes: Record<string, string | undefined> = {}): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...sound, ...changes })) {
    if (value !== undefined) fields.set(name, value);
  }
  return `/oauth2/authorize?${fields}`;
}

export function locationOf(response: Response): URL {
  return new URL(response.headers.get('location') ?? 'nowhere:');
}

export async function obtainCode(sandbox: RunningSandbox, changes: Record<string, string> = {}): Promise<string> {
  const response = await sandbox.get(authorizePath({ persona: 'mika', ...changes }));
  return locationOf(response).searchParams.get('code') ?? '';
}

export const inBody = { client_id: registered.clientId, client_secret: registered.clientSecret };

export function redeem(sandbox: RunningSandbox, code: string, changes: Record<string, string> = {}) {
  const grant = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  const fields = { ...inBody, ...grant, ...changes };
  return sandbox.post('/api/v10/oauth2/token', fields);
}

export interface Tokens {
  token_type: string;
  access_token: string;
  expires_in: number;
  scope: string;
}

export async function obtainTokens(sandbox: RunningSandbox, changes: Record<string, string> = {}): Promise<Tokens> {
  const response = await redeem(sandbox, await obtainCode(sandbox, changes));
  return (await response.json()) as Tokens;
}

export function fetchUser(sandbox: RunningSandbox, token: string) {
  return sandbox.get('/api/v10/users/@me', { authorization: `Bearer ${token}` });
}
