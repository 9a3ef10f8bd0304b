import { describe, expect, test } from 'vitest';
import {
  callback,
  fetchUser,
  inBody,
  obtainCode,
  obtainTokens,
  redeem,
  registered,
  startSandbox,
  type Tokens,
  verifier,
} from '../test-sandbox.ts';
import { ACCESS_TOKEN_LIFETIME_MS, CODE_LIFETIME_MS } from './grants.ts';

const path = '/api/v10/oauth2/token';

async function expectRefusal(response: Response, status: number, error: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({ error, error_description: expect.stringMatching(/./) });
}

describe('redeeming a code', () => {
  test('gives a token', async () => {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    const grant = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
    const response = await sandbox.post(path, { ...inBody, ...grant });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      token_type: 'Bearer',
      access_token: expect.stringMatching(/^[\w-]{32}$/),
      expires_in: 604_800,
      scope: 'identify email',
    });
  });

  test('a second time is refused', async () => {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    const { access_token } = (await (await redeem(sandbox, code)).json()) as Tokens;
    expect((await fetchUser(sandbox, access_token)).status).toBe(200);
    await expectRefusal(await redeem(sandbox, code), 400, 'invalid_grant');
  });

  test('gives a token that ends', async () => {
    const sandbox = await startSandbox();
    const { access_token } = await obtainTokens(sandbox);
    sandbox.advance(ACCESS_TOKEN_LIFETIME_MS - 1);
    expect((await fetchUser(sandbox, access_token)).status).toBe(200);
    sandbox.advance(1);
    expect((await fetchUser(sandbox, access_token)).status).toBe(401);
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
    ['another verifier', { code_verifier: verifier.replace(/./, '~') }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['no grant_type', { grant_type: '' }, 'unsupported_grant_type'],
    ['grant_type=client_credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  ])('with %s is refused', async (_, changes: Record<string, string>, error) => {
    const sandbox = await startSandbox();
    await expectRefusal(await redeem(sandbox, await obtainCode(sandbox), changes), 400, error);
  });

  test('spends the code even when it is refused', async () => {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    await redeem(sandbox, code, { redirect_uri: 'http://127.0.0.1:3000/elsewhere' });
    await expectRefusal(await redeem(sandbox, code), 400, 'invalid_grant');
  });
});

describe('the body of a token request', () => {
  test('as JSON is refused', async () => {
    const sandbox = await startSandbox();
    const response = await fetch(sandbox.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...inBody, grant_type: 'authorization_code', code: await obtainCode(sandbox) }),
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
  test.each([
    ['a wrong secret', { client_secret: 'wrong' }],
    ['a wrong id', { client_id: '100000000000000002' }],
    ['no secret', { client_secret: '' }],
  ])('is refused with %s, and spends no code', async (_, changes: Record<string, string>) => {
    const sandbox = await startSandbox();
    const code = await obtainCode(sandbox);
    await expectRefusal(await redeem(sandbox, code, changes), 401, 'invalid_client');
    expect((await redeem(sandbox, code)).status).toBe(200);
  });
});
