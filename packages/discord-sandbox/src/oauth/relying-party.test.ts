import * as oidc from 'openid-client';
import { expect, test } from 'vitest';
import { callback, type RunningSandbox, registered, startSandbox } from '../test-sandbox.ts';

const authentications = [
  ['HTTP Basic', oidc.ClientSecretBasic(registered.clientSecret)],
  ['the body', oidc.ClientSecretPost(registered.clientSecret)],
] as const;

function configure(sandbox: RunningSandbox, authentication = authentications[0][1], issuer = sandbox.origin) {
  const configuration = new oidc.Configuration(
    {
      issuer,
      authorization_endpoint: `${sandbox.origin}/oauth2/authorize`,
      token_endpoint: `${sandbox.origin}/api/v10/oauth2/token`,
      revocation_endpoint: `${sandbox.origin}/api/v10/oauth2/token/revoke`,
    },
    registered.clientId,
    {},
    authentication,
  );
  oidc.allowInsecureRequests(configuration);
  return configuration;
}

async function beginSignIn(configuration: oidc.Configuration, changes: Record<string, string> = {}) {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: callback,
    scope: 'identify email',
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    persona: 'ava',
    ...changes,
  });
  const response = await fetch(url, { redirect: 'manual' });
  const returned = new URL(response.headers.get('location') ?? '');
  return { returned, checks: { pkceCodeVerifier: verifier, expectedState: state } };
}

test.each(authentications)(
  'a relying party that authenticates by %s signs in, refreshes and revokes',
  async (_, by) => {
    const sandbox = await startSandbox();
    const configuration = configure(sandbox, by);
    const { returned, checks } = await beginSignIn(configuration);
    const tokens = await oidc.authorizationCodeGrant(configuration, returned, checks);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 604_800, scope: 'identify email' });

    const me = new URL(`${sandbox.origin}/api/v10/users/@me`);
    const fetchMe = (token: string) => oidc.fetchProtectedResource(configuration, token, me, 'GET');
    const user = await (await fetchMe(tokens.access_token)).json();
    expect(user).toMatchObject({ username: 'ava.sandbox', email: 'ava@sandbox.example', accent_color: 0x8f5bd6 });

    const renewed = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    await oidc.tokenRevocation(configuration, renewed.access_token);
    expect((await fetch(me, { headers: { authorization: `Bearer ${renewed.access_token}` } })).status).toBe(401);
  },
);

test('discovery leads a relying party to the same endpoints, and to the issuer that answers carry', async () => {
  const sandbox = await startSandbox();
  const configuration = await oidc.discovery(
    new URL(sandbox.origin),
    registered.clientId,
    {},
    oidc.ClientSecretPost(registered.clientSecret),
    { algorithm: 'oauth2', execute: [oidc.allowInsecureRequests] },
  );
  expect(configuration.serverMetadata().authorization_response_iss_parameter_supported).toBe(true);
  const { returned, checks } = await beginSignIn(configuration);
  const tokens = await oidc.authorizationCodeGrant(configuration, returned, checks);
  expect(tokens.scope).toBe('identify email');
});

test('a relying party that takes the sandbox for another issuer notices', async () => {
  const sandbox = await startSandbox();
  const configuration = configure(sandbox, undefined, 'https://elsewhere.example');
  const { returned, checks } = await beginSignIn(configuration);
  await expect(oidc.authorizationCodeGrant(configuration, returned, checks)).rejects.toMatchObject({
    code: 'OAUTH_INVALID_RESPONSE',
  });
});

test('a denied consent reaches the relying party as access_denied', async () => {
  const configuration = configure(await startSandbox());
  const { returned, checks } = await beginSignIn(configuration, { persona: 'deny' });
  await expect(oidc.authorizationCodeGrant(configuration, returned, checks)).rejects.toMatchObject({
    error: 'access_denied',
    error_description: 'The resource owner or authorization server denied the request',
  });
});

test('a code opens nothing for a relying party with another verifier', async () => {
  const configuration = configure(await startSandbox(), authentications[1][1]);
  const { returned, checks } = await beginSignIn(configuration);
  const stranger = { ...checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier() };
  await expect(oidc.authorizationCodeGrant(configuration, returned, stranger)).rejects.toMatchObject({
    status: 400,
    error: 'invalid_grant',
  });
});
