import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FRONTS } from '../support/fronts.ts';
import { CookieJar, locationOf, signIn } from '../support/people.ts';
import { SANDBOX_CLIENT, type Site } from '../support/site.ts';

describe.each(FRONTS)('signing in, $name', (front) => {
  let site: Site;
  beforeAll(async () => {
    site = await front.start();
  });
  afterAll(() => site.stop());

  /** Starts a sign-in, consents (or not), and stops before the callback. */
  async function toCallback(persona: string) {
    const jar = new CookieJar();
    const begun = await fetch(`${site.url}/auth/v1/authorize?provider=discord&redirect_to=/profile`, {
      redirect: 'manual',
    });
    jar.take(begun);
    const callback = locationOf(await fetch(`${locationOf(begun)}&persona=${persona}`, { redirect: 'manual' }));
    return { jar, callback };
  }
  const visit = (url: string, jar: CookieJar) => fetch(url, { redirect: 'manual', headers: { cookie: jar.header() } });

  test.each([
    ['mika', /@/],
    ['jonas', /@/],
    ['ava', /@/],
    ['otto', null],
    ['lena', /@/],
  ])('%s signs in, and only their own session knows their e-mail', async (persona, email) => {
    const person = await signIn(site, persona);
    const user = (await (await person.call('GET', '/auth/v1/user')).json()) as { email: string | null };
    if (email) expect(user.email).toMatch(email);
    else expect(user.email).toBeNull();
    const profile = await (await person.call('GET', '/rest/v1/profiles/me')).text();
    expect(profile).not.toContain('@sandbox');
  });

  test('a refusal on Discord returns as an error, without a session', async () => {
    const { jar, callback } = await toCallback('deny');
    const answer = await visit(callback, jar);
    expect(locationOf(answer)).toMatch(/\/auth\/callback#error=access_denied/);
    expect(answer.headers.getSetCookie().some((cookie) => /sid=[^;]/.test(cookie))).toBe(false);
  });

  test('a callback works once, for the browser that started it, with its own state', async () => {
    const { jar, callback } = await toCallback('mika');
    expect(locationOf(await visit(callback, new CookieJar()))).toContain('#error=');
    expect(locationOf(await visit(callback.replace(/state=[^&]{4}/, 'state=AAAA'), jar))).toContain('#error=');
    const fresh = await toCallback('mika');
    expect(locationOf(await visit(fresh.callback, fresh.jar))).not.toContain('error');
    expect(locationOf(await visit(fresh.callback, fresh.jar))).toContain('#error=');
  });

  test.each([
    'https://elsewhere.example/',
    '//elsewhere.example',
    '/\\elsewhere.example',
    'javascript:alert(1)',
    'profile',
  ])('no redirect to %s follows a sign-in', async (target) => {
    const query = new URLSearchParams({ provider: 'discord', redirect_to: target });
    const answer = await fetch(`${site.url}/auth/v1/authorize?${query}`, { redirect: 'manual' });
    expect(answer.status).toBe(400);
  });

  test('signing out ends the session, not just the cookie', async () => {
    const person = await signIn(site, 'jonas');
    expect((await person.call('GET', '/auth/v1/user')).status).toBe(200);
    const stolen = person.cookies();
    expect((await person.call('POST', '/auth/v1/logout')).status).toBe(204);
    const replayed = await fetch(`${site.url}/auth/v1/user`, { headers: { cookie: stolen } });
    expect(replayed.status).toBe(401);
  });

  test('openid-client, unmodified, signs in at the sandbox as at Discord', async () => {
    const config = new oauth.Configuration(
      {
        issuer: site.sandboxUrl,
        authorization_endpoint: `${site.sandboxUrl}/oauth2/authorize`,
        token_endpoint: `${site.sandboxUrl}/api/v10/oauth2/token`,
        revocation_endpoint: `${site.sandboxUrl}/api/v10/oauth2/token/revoke`,
      },
      SANDBOX_CLIENT.id,
      SANDBOX_CLIENT.secret,
    );
    oauth.allowInsecureRequests(config);
    const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
    const expectedState = oauth.randomState();
    const address = oauth.buildAuthorizationUrl(config, {
      redirect_uri: `${site.url}/auth/v1/callback`,
      scope: 'identify',
      state: expectedState,
      code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const callback = new URL(locationOf(await fetch(`${address}&persona=lena`, { redirect: 'manual' })));
    const tokens = await oauth.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState });
    const me = () =>
      fetch(`${site.sandboxUrl}/api/v10/users/@me`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    expect(await (await me()).json()).toMatchObject({ username: 'lena', discriminator: '1234' });
    await oauth.tokenRevocation(config, tokens.access_token);
    expect((await me()).status).toBe(401);
  });
});
