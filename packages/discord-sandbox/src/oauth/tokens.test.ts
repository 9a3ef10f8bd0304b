import { describe, expect, test } from 'vitest';
import {
  callback,
  fetchUser,
  inBody,
  makePkce,
  obtainCode,
  obtainTokens,
  type RunningSandbox,
  redeem,
  registered,
  startSandbox,
  type Tokens,
} from '../test-sandbox.ts';
import { ACCESS_TOKEN_LIFETIME_MS, CODE_LIFETIME_MS } from './grants.ts';

const path = '/api/v10/oauth2/token';

async function expectRefusal(response: Response, status: number, error: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({ error, error_description: expect.stringMatching(/./) });
}

const refresh = (sandbox: RunningSandbox, refresh_token: string, changes: Record<string, string> = {}) =>
  sandbox.post(path, { ...inBody, grant_type: 'refresh_token', refresh_token, ...changes });

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

describe('redeeming a code', () => {
  test.each([path, '/api/oauth2/token'])('at %s gives a pair of tokens', async (at) => {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    const fields = { ...inBody, grant_type: 'authorization_code', code, redirect_uri: callback };
    const response = await sandbox.post(at, fields);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      token_type: 'Bearer',
      access_token: expect.stringMatching(/^[\w-]{32}$/),
      expires_in: 604_800,
      refresh_token: expect.stringMatching(/^[\w-]{32}$/),
      scope: 'identify email',
    });
  });

  test('a second time is refused, and ends the tokens of the first', async () => {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    const tokens = (await (await redeem(sandbox, code)).json()) as Tokens;
    expect((await fetchUser(sandbox, tokens.access_token)).status).toBe(200);
    await expectRefusal(await redeem(sandbox, code), 400, 'invalid_grant');
    expect((await fetchUser(sandbox, tokens.access_token)).status).toBe(401);
    await expectRefusal(await refresh(sandbox, tokens.refresh_token), 400, 'invalid_grant');
  });

  test('a second time ends the tokens even long after, refreshed ones as well', async () => {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    const tokens = (await (await redeem(sandbox, code)).json()) as Tokens;
    sandbox.advance(CODE_LIFETIME_MS * 100);
    const renewed = (await (await refresh(sandbox, tokens.refresh_token)).json()) as Tokens;
    await expectRefusal(await redeem(sandbox, code), 400, 'invalid_grant');
    expect((await fetchUser(sandbox, renewed.access_token)).status).toBe(401);
  });

  test('works until its time is over, and then no more', async () => {
    const sandbox = await startSandbox();
    const [inTime, late] = [await obtainCode(sandbox), await obtainCode(sandbox)];
    sandbox.advance(CODE_LIFETIME_MS - 1);
    expect((await redeem(sandbox, inTime)).status).toBe(200);
    sandbox.advance(1);
    await expectRefusal(await redeem(sandbox, late), 400, 'invalid_grant');
  });

  test.each([
    ['an unknown code', { code: 'unknown' }, 'invalid_grant'],
    ['no code', { code: '' }, 'invalid_request'],
    ['another redirect_uri', { redirect_uri: registered.redirectUris[1] }, 'invalid_grant'],
    ['no redirect_uri', { redirect_uri: '' }, 'invalid_grant'],
    ['a verifier without a challenge', { code_verifier: makePkce().verifier }, 'invalid_grant'],
    ['no grant_type', { grant_type: '' }, 'invalid_request'],
    ['grant_type=password', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['grant_type=client_credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  ])('with %s is refused', async (_, changes: Record<string, string>, error) => {
    const sandbox = await startSandbox();
    await expectRefusal(await redeem(sandbox, await obtainCode(sandbox), changes), 400, error);
  });

  test('takes the verifier that was announced, and no other', async () => {
    const sandbox = await startSandbox();
    const { verifier, challenge } = makePkce();
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const attempt = async (code_verifier: string) =>
      redeem(sandbox, await obtainCode(sandbox, pkce), { code_verifier });
    expect((await attempt(verifier)).status).toBe(200);
    await expectRefusal(await attempt(makePkce().verifier), 400, 'invalid_grant');
    await expectRefusal(await attempt(challenge), 400, 'invalid_grant');
    await expectRefusal(await attempt(''), 400, 'invalid_grant');
  });

  test('spends the code even when it is refused', async () => {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    await redeem(sandbox, code, { redirect_uri: 'http://127.0.0.1:3000/elsewhere' });
    await expectRefusal(await redeem(sandbox, code), 400, 'invalid_grant');
  });
});

describe('the body of a token request', () => {
  test.each([path, `${path}/revoke`])('as JSON is refused at %s', async (at) => {
    const sandbox = await startSandbox();
    const response = await fetch(sandbox.origin + at, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...basic(registered.clientId, registered.clientSecret) },
      body: JSON.stringify({ grant_type: 'authorization_code', code: await obtainCode(sandbox), token: 'x' }),
    });
    await expectRefusal(response, 400, 'invalid_request');
  });

  test('too large is refused', async () => {
    const sandbox = await startSandbox();
    await expectRefusal(await redeem(sandbox, 'x'.repeat(20_000)), 400, 'invalid_request');
  });

  test('left out is refused for want of a client', async () => {
    const sandbox = await startSandbox();
    await expectRefusal(await fetch(sandbox.origin + path, { method: 'POST' }), 401, 'invalid_client');
  });

  test('with a field given twice is refused', async () => {
    const sandbox = await startSandbox();
    const fields = new URLSearchParams({ ...inBody, grant_type: 'authorization_code', redirect_uri: callback });
    fields.append('code', await obtainCode(sandbox));
    fields.append('code', 'another');
    await expectRefusal(await fetch(sandbox.origin + path, { method: 'POST', body: fields }), 400, 'invalid_request');
  });
});

describe('the client', () => {
  async function redeemAs(headers: Record<string, string>, fields: Record<string, string>) {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback, ...fields };
    return sandbox.post(path, form, headers);
  }
  const encoded = new URLSearchParams({ secret: registered.clientSecret }).toString().slice('secret='.length);

  test.each([
    ['by HTTP Basic', basic(registered.clientId, registered.clientSecret), {}],
    ['by HTTP Basic, form-encoded as RFC 6749 has it', basic(registered.clientId, encoded), {}],
    ['by HTTP Basic, with its id in the body', basic(registered.clientId, encoded), { client_id: registered.clientId }],
    ['in the body', {}, inBody],
  ])('is known %s', async (_, headers: Record<string, string>, fields: Record<string, string>) => {
    expect((await redeemAs(headers, fields)).status).toBe(200);
  });

  test.each([
    ['a wrong secret in the body', {}, { ...inBody, client_secret: 'wrong' }],
    ['a wrong id in the body', {}, { ...inBody, client_id: '100000000000000002' }],
    ['no secret', {}, { client_id: registered.clientId }],
    ['nothing', {}, {}],
    ['a wrong secret by HTTP Basic', basic(registered.clientId, 'wrong'), {}],
    ['a secret that is no form encoding', basic(registered.clientId, '%E0%A4%A'), {}],
    ['a bearer token', { authorization: 'Bearer token' }, {}],
  ])('is refused with %s', async (_, headers: Record<string, string>, fields: Record<string, string>) => {
    const response = await redeemAs(headers, fields);
    const challenge = response.headers.get('www-authenticate');
    expect(challenge).toBe('authorization' in headers ? 'Basic realm="Sandbox Discord"' : null);
    await expectRefusal(response, 401, 'invalid_client');
  });

  test('is refused when it says twice who it is', async () => {
    const response = await redeemAs(basic(registered.clientId, registered.clientSecret), inBody);
    await expectRefusal(response, 400, 'invalid_request');
  });

  test('that is not known spends no code', async () => {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    await expectRefusal(await redeem(sandbox, code, { client_secret: 'wrong' }), 401, 'invalid_client');
    expect((await redeem(sandbox, code)).status).toBe(200);
  });
});

describe('refreshing', () => {
  test('gives a new pair, and spends the refresh token', async () => {
    const sandbox = await startSandbox();
    const tokens = await obtainTokens(sandbox);
    const response = await refresh(sandbox, tokens.refresh_token);
    const renewed = (await response.json()) as Tokens;
    expect(response.status).toBe(200);
    expect(renewed.scope).toBe('identify email');
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    expect((await fetchUser(sandbox, renewed.access_token)).status).toBe(200);
    await expectRefusal(await refresh(sandbox, tokens.refresh_token), 400, 'invalid_grant');
    expect((await refresh(sandbox, renewed.refresh_token)).status).toBe(200);
  });

  test('outlives the access token', async () => {
    const sandbox = await startSandbox();
    const tokens = await obtainTokens(sandbox);
    sandbox.advance(ACCESS_TOKEN_LIFETIME_MS);
    expect((await fetchUser(sandbox, tokens.access_token)).status).toBe(401);
    const renewed = (await (await refresh(sandbox, tokens.refresh_token)).json()) as Tokens;
    expect((await fetchUser(sandbox, renewed.access_token)).status).toBe(200);
  });

  test('may narrow the scope, and never widen it', async () => {
    const sandbox = await startSandbox();
    const wide = await obtainTokens(sandbox);
    const narrowed = (await (await refresh(sandbox, wide.refresh_token, { scope: 'identify' })).json()) as Tokens;
    expect(narrowed.scope).toBe('identify');
    expect(await (await fetchUser(sandbox, narrowed.access_token)).json()).not.toHaveProperty('email');

    const narrow = await obtainTokens(sandbox, { scope: 'identify' });
    await expectRefusal(
      await refresh(sandbox, narrow.refresh_token, { scope: 'identify email' }),
      400,
      'invalid_scope',
    );
  });

  test.each([
    ['an unknown token', { refresh_token: 'unknown' }, 400, 'invalid_grant'],
    ['no token', { refresh_token: '' }, 400, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, 400, 'invalid_scope'],
    ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
  ])('with %s is refused', async (_, changes: Record<string, string>, status, error) => {
    const sandbox = await startSandbox();
    const tokens = await obtainTokens(sandbox);
    await expectRefusal(await refresh(sandbox, tokens.refresh_token, changes), status, error);
  });

  test('an access token is no refresh token', async () => {
    const sandbox = await startSandbox();
    const tokens = await obtainTokens(sandbox);
    await expectRefusal(await refresh(sandbox, tokens.access_token), 400, 'invalid_grant');
  });
});

describe('revoking', () => {
  test.each(['access_token', 'refresh_token'] as const)('by the %s ends both', async (which) => {
    const sandbox = await startSandbox();
    const tokens = await obtainTokens(sandbox);
    const other = await obtainTokens(sandbox);
    const response = await sandbox.post(`${path}/revoke`, { ...inBody, token: tokens[which], token_type_hint: 'x' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({});
    expect((await fetchUser(sandbox, tokens.access_token)).status).toBe(401);
    await expectRefusal(await refresh(sandbox, tokens.refresh_token), 400, 'invalid_grant');
    expect((await fetchUser(sandbox, other.access_token)).status).toBe(200);
  });

  test('an unknown token is no error', async () => {
    const sandbox = await startSandbox();
    expect((await sandbox.post(`${path}/revoke`, { ...inBody, token: 'unknown' })).status).toBe(200);
  });

  test('needs a token, and the client', async () => {
    const sandbox = await startSandbox();
    const { access_token } = await obtainTokens(sandbox);
    await expectRefusal(await sandbox.post(`${path}/revoke`, inBody), 400, 'invalid_request');
    await expectRefusal(await sandbox.post(`${path}/revoke`, { token: access_token }), 401, 'invalid_client');
    expect((await fetchUser(sandbox, access_token)).status).toBe(200);
  });
});
