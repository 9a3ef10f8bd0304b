import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FRONTS } from '../support/fronts.ts';
import { locationOf, signIn } from '../support/people.ts';
import { SANDBOX_CLIENT, type Site } from '../support/site.ts';

describe.each(FRONTS)('signing in, $name', (front) => {
  let site: Site;
  beforeAll(async () => {
    site = await front.start();
  });
  afterAll(() => site.stop());

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

  test('openid-client, unmodified, signs in at the sandbox as at Discord', async () => {
    const config = new oauth.Configuration(
      {
        issuer: site.sandboxUrl,
        authorization_endpoint: `${site.sandboxUrl}/oauth2/authorize`,
        token_endpoint: `${site.sandboxUrl}/api/v10/oauth2/token`,
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
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const me = await fetch(`${site.sandboxUrl}/api/v10/users/@me`, { headers });
    expect(await me.json()).toMatchObject({ username: 'lena', discriminator: '1234' });
  });
});
