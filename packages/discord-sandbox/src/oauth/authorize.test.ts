import { describe, expect, test } from 'vitest';
import { personas } from '../personas/personas.ts';
import { authorizePath, callback, locationOf, registered, startSandbox } from '../test-sandbox.ts';
import { CONSENT_LIFETIME_MS } from './grants.ts';

async function openConsent(sandbox: Awaited<ReturnType<typeof startSandbox>>) {
  const response = await sandbox.get(authorizePath());
  const page = await response.text();
  return { response, page, consent: /name="consent" value="([^"]+)"/.exec(page)?.[1] ?? '' };
}

describe('the consent page', () => {
  test('offers every persona', async () => {
    const sandbox = await startSandbox();
    const response = await sandbox.get(authorizePath());
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('Sandbox — a local stand-in for Discord, nobody real');
    for (const { name } of personas) expect(page).toContain(`name="persona" value="${name}"`);
  });

  test('is kept nowhere, runs no script, is not framed, and may lead to the application only', async () => {
    const sandbox = await startSandbox();
    const { response } = await openConsent(sandbox);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:3000;");
    expect(policy).not.toContain('script-src');
  });

  test('names what is asked for, and no more', async () => {
    const sandbox = await startSandbox();
    const page = await (await sandbox.get(authorizePath({ scope: 'identify' }))).text();
    expect(page).toContain('Access your username');
    expect(page).not.toContain('Access your email');
  });

  test('authorizing leads back with a code, the state, and the issuer', async () => {
    const sandbox = await startSandbox();
    const { consent } = await openConsent(sandbox);
    const response = await sandbox.post('/oauth2/authorize', { consent, persona: 'jonas', decision: 'authorize' });
    const { origin, pathname, searchParams } = locationOf(response);
    expect(response.status).toBe(302);
    expect(origin + pathname).toBe(callback);
    expect([...searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(searchParams.get('state')).toBe('state & more');
    expect(searchParams.get('iss')).toBe(sandbox.origin);
  });

  test('cancelling leads back with access_denied, in the very words of Discord', async () => {
    const sandbox = await startSandbox();
    const { consent } = await openConsent(sandbox);
    const response = await sandbox.post('/oauth2/authorize', { consent, persona: 'mika', decision: 'deny' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toContain(
      '?error=access_denied&error_description=The+resource+owner+or+authorization+server+denied+the+request&state=',
    );
    expect(locationOf(response).searchParams.get('code')).toBeNull();
  });

  test('counts once, after every decision', async () => {
    const sandbox = await startSandbox();
    for (const decision of ['authorize', 'deny']) {
      const { consent } = await openConsent(sandbox);
      const form = { consent, persona: 'mika', decision };
      expect((await sandbox.post('/oauth2/authorize', form)).status).toBe(302);
      const second = await sandbox.post('/oauth2/authorize', form);
      expect(second.status).toBe(400);
      expect(await second.text()).toContain('used already');
    }
  });

  test('expires', async () => {
    const sandbox = await startSandbox();
    const { consent } = await openConsent(sandbox);
    sandbox.advance(CONSENT_LIFETIME_MS);
    const response = await sandbox.post('/oauth2/authorize', { consent, persona: 'mika', decision: 'authorize' });
    expect(response.status).toBe(400);
  });

  test.each([
    ['a made-up consent', { consent: 'made-up', persona: 'mika', decision: 'authorize' }],
    ['no consent', { persona: 'mika', decision: 'authorize' }],
    ['nothing at all', {}],
  ])('is refused with %s', async (_, form: Record<string, string>) => {
    const sandbox = await startSandbox();
    expect((await sandbox.post('/oauth2/authorize', form)).status).toBe(400);
  });

  test('is refused for a persona that does not exist', async () => {
    const sandbox = await startSandbox();
    const { consent } = await openConsent(sandbox);
    const response = await sandbox.post('/oauth2/authorize', { consent, persona: 'nobody', decision: 'authorize' });
    expect(response.status).toBe(400);
  });
});

describe('an authorization', () => {
  test.each(personas.map(({ name }) => name))('with persona=%s consents at once', async (name) => {
    const sandbox = await startSandbox();
    const response = await sandbox.get(authorizePath({ persona: name }));
    expect(response.status).toBe(302);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(locationOf(response).searchParams.get('code')).toMatch(/^[\w-]{32}$/);
  });

  test('with persona=deny is denied at once', async () => {
    const sandbox = await startSandbox();
    const { searchParams } = locationOf(await sandbox.get(authorizePath({ persona: 'deny' })));
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.get('state')).toBe('state & more');
  });

  test('with an unknown persona shows who there is', async () => {
    const sandbox = await startSandbox();
    const response = await sandbox.get(authorizePath({ persona: 'nobody' }));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('mika, jonas, ava, otto, lena, or deny');
  });

  test('keeps the query of a redirect address', async () => {
    const sandbox = await startSandbox();
    const response = await sandbox.get(authorizePath({ redirect_uri: registered.redirectUris[1], persona: 'mika' }));
    const { searchParams, host } = locationOf(response);
    expect(host).toBe('satchel.example');
    expect(searchParams.get('tenant')).toBe('a b');
    expect(searchParams.get('code')).not.toBeNull();
  });

  test('without a state comes back without one', async () => {
    const sandbox = await startSandbox();
    const { searchParams } = locationOf(await sandbox.get(authorizePath({ persona: 'mika', state: undefined })));
    expect(searchParams.has('state')).toBe(false);
  });

  test.each([
    ['an unknown client', { client_id: '100000000000000002' }],
    ['no client', { client_id: undefined }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['a redirect_uri with a slash more', { redirect_uri: `${callback}/` }],
    ['a redirect_uri with a query more', { redirect_uri: `${callback}?next=1` }],
    ['a redirect_uri in other case', { redirect_uri: callback.replace('auth', 'Auth') }],
    ['a redirect_uri on another host', { redirect_uri: 'http://localhost:3000/auth/v1/callback' }],
  ])('with %s is refused on a page, and leads nowhere', async (_, changes) => {
    const sandbox = await startSandbox();
    const response = await sandbox.get(authorizePath({ persona: 'mika', ...changes }));
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(response.headers.get('content-type')).toContain('text/html');
  });

  test('with a redirect_uri given twice is refused on a page', async () => {
    const sandbox = await startSandbox();
    const twice = `&redirect_uri=${encodeURIComponent(callback)}`;
    const response = await sandbox.get(authorizePath({ persona: 'mika' }) + twice);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Invalid redirect_uri');
  });

  test.each([
    ['no response_type', { response_type: undefined }, 'unsupported_response_type'],
    ['response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['an unknown scope', { scope: 'identify everything' }, 'invalid_scope'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE of no method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['a PKCE method alone', { code_challenge: undefined }, 'invalid_request'],
    ['a PKCE challenge too short', { code_challenge: 'short' }, 'invalid_request'],
    ['a PKCE challenge in hex', { code_challenge: 'ab'.repeat(32) }, 'invalid_request'],
  ])('with %s is sent back refused', async (_, changes: Record<string, string | undefined>, error) => {
    const sandbox = await startSandbox();
    const response = await sandbox.get(authorizePath({ persona: 'mika', ...changes }));
    const { searchParams } = locationOf(response);
    expect(response.status).toBe(302);
    expect(searchParams.get('error')).toBe(error);
    expect(searchParams.get('error_description')).not.toBe('');
    expect(searchParams.get('state')).toBe('state & more');
    expect(searchParams.has('code')).toBe(false);
  });

  test('with a scope given twice is sent back refused', async () => {
    const sandbox = await startSandbox();
    const { searchParams } = locationOf(await sandbox.get(`${authorizePath({ persona: 'mika' })}&scope=identify`));
    expect(searchParams.get('error')).toBe('invalid_scope');
    expect(searchParams.get('state')).toBe('state & more');
  });
});

test('what the application sends is shown as text, never as markup', async () => {
  const sandbox = await startSandbox();
  const page = await (await sandbox.get(authorizePath({ state: '"><script>', persona: '<b>' }))).text();
  expect(page).not.toContain('<script');
  expect(page).not.toContain('<b>');
});
