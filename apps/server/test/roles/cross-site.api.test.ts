import { describe, expect, test } from 'vitest';
import { discordPageOf } from '../support/discord/sandbox.ts';
import { DISCORD_KEY } from '../support/folders.ts';
import { parseAnswer, talk } from '../support/raw-http.ts';
import { listRoutes, pathOf, type Route } from '../support/routes.ts';
import { codeOf, makeFolder } from '../support/storage-kit.ts';
import { storedState } from '../support/stored-state.ts';
import { createTestApp } from '../support/test-app.ts';
import { webOf } from '../support/web.ts';

/** What a page of another site can make a browser send here: writes with its cookies, and links that lead away. */

/** The Discord id that tests give to mika. */
const MIKA = '195797';
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Routes without cookies: sending one must make no difference. */
const COOKIELESS = /^\/(share-target$|(storage|bot|abuse|discord(?!\/intents))\/)/;

const app = await createTestApp({
  deps: { web: webOf() },
  env: { OPERATOR_DISCORD_IDS: MIKA },
});
const mika = await app.signIn('mika');
const folder = await makeFolder(app, mika);
const id = mika.session_id;
const values: Record<string, string> = {
  slug: folder.slug,
  api_token: 't',
  bucket: 'unlocked-folders',
  id,
  discord_id: MIKA,
  sha256: 'a'.repeat(64),
};
values['*'] = `${folder.bucket_storage_path}/x`;
// Valid for every route at once: each takes the fields that it knows.
const body = {
  folder_id: folder.id,
  folder_slug: folder.slug,
  input_folder_slug: folder.slug,
  kind: 'view',
  new_name: 'x',
  reason: 'other',
  discord_id: MIKA,
  subscription_tier: 'free',
  sha256: 'a'.repeat(64),
  size_bytes: 1,
  grant: 'g'.repeat(43),
  intent: 'i'.repeat(43),
  proof: 'p'.repeat(43),
  public_key: 'k'.repeat(87),
  prefixes: ['x'],
  ...DISCORD_KEY,
};
const routes = (await listRoutes(app.deps)).filter(({ method }) => WRITES.has(method));

const send = (route: Route, headers: Record<string, string>, payload = JSON.stringify(body)) =>
  fetch(app.baseUrl + pathOf(route, values), { method: route.method, headers, body: payload, redirect: 'manual' });
const statusOf = async (route: Route, headers: Record<string, string>, payload?: string) => {
  const response = await send(route, headers, payload);
  const text = await response.text();
  return `${response.status} ${text && JSON.parse(text).error?.code}`;
};

describe('a write with a person’s cookies', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  test.each([
    ['a page of another site', 'https://evil.example'],
    ['a sandboxed page, or a form under no-referrer', 'null'],
    ['a page that sends no Origin', null],
    ['an address that begins like ours', () => `${app.baseUrl}.evil.example`],
    ['ours by another scheme', () => app.baseUrl.replace('http:', 'https:')],
    ['another port of this machine', 'http://127.0.0.1:1'],
    ['ours twice', () => `${app.baseUrl}, ${app.baseUrl}`],
  ])('from %s is refused by every route, and changes nothing', async (_where, from) => {
    const origin = typeof from === 'function' ? from() : from;
    const before = await storedState(app);
    const seen = { refused: 0, cookieless: 0 };
    for (const route of routes) {
      const headers = { ...JSON_TYPE, ...(origin !== null && { origin }) };
      const withCookie = await statusOf(route, { ...headers, cookie: mika.cookie });
      if (COOKIELESS.test(route.url)) {
        expect([route, withCookie]).toEqual([route, await statusOf(route, headers)]);
        seen.cookieless += 1;
      } else {
        expect([route, withCookie]).toEqual([route, '403 request.bad_origin']);
        seen.refused += 1;
      }
    }
    expect(seen.refused).toBeGreaterThan(12);
    expect(seen.cookieless).toBeGreaterThan(6);
    expect(await storedState(app)).toEqual(before);
  });

  test.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
    'as %s, which a form could send, is refused even from this site',
    async (type) => {
      const before = await storedState(app);
      for (const route of routes) {
        if (COOKIELESS.test(route.url)) continue;
        const headers = { 'content-type': type, origin: app.config.publicUrl, cookie: mika.cookie };
        expect([route, await statusOf(route, headers)]).toEqual([route, '415 request.unsupported_type']);
      }
      expect(await storedState(app)).toEqual(before);
    },
  );

  test('from this site works', async () => {
    const headers = { ...JSON_TYPE, origin: app.config.publicUrl, cookie: mika.cookie };
    const route = { method: 'POST', url: '/rest/v1/rpc/update_folder_settings' };
    expect(await statusOf(route, headers)).toBe('200 undefined');
  });
});

describe('a link to here never leads elsewhere', () => {
  const NASTY = [
    'https://evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/%09/evil.example\n',
    '/\r\n/evil.example',
    ' //evil.example',
    ' /x',
    '/\n/evil.example',
    '/ /evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '@evil.example',
    '.evil.example',
    ':80@evil.example',
    '?next=//evil.example',
    '#//evil.example',
    '',
    '/\u0000/evil.example',
    '/\u2028/evil.example',
    '/．/evil.example',
    '//127.0.0.1@evil.example',
    'http:evil.example',
    'http:/evil.example',
    '/\u00a0//evil.example',
  ];
  test.each(NASTY)('by redirect_to %j', async (path) => {
    const response = await app.call(
      'GET',
      `/auth/v1/authorize?provider=discord&redirect_to=${encodeURIComponent(path)}`,
    );
    expect(response.status).toBe(400);
    expect(await codeOf(response)).toBe('auth.bad_redirect');
    expect(response.headers.get('location')).toBeNull();
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  test('by a repeated redirect_to', async () => {
    const response = await app.call(
      'GET',
      '/auth/v1/authorize?provider=discord&redirect_to=/a&redirect_to=//evil.example',
    );
    expect(response.status).toBe(400);
  });

  test('sign-in leads to Discord, and back to the one page, for every link', async () => {
    const response = await app.call('GET', '/auth/v1/authorize?provider=discord&redirect_to=/f/x');
    const location = await discordPageOf(response);
    expect(location.origin).toBe(new URL(app.config.discord.apiUrl).origin);
    expect(location.searchParams.get('redirect_uri')).toBe(`${app.config.publicUrl}/auth/v1/callback`);
    const back = await app.call('GET', '/auth/v1/callback?code=x&state=y&redirect_to=//evil.example');
    expect(new URL(back.headers.get('location') ?? '', app.baseUrl).origin).toBe(app.config.publicUrl);
    expect(back.headers.get('location')).toMatch(/^\/auth\/callback#/);
  });

  test.each([
    '//evil.example',
    '/\\evil.example',
    '//evil.example/%2e%2e',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/@evil.example',
    '/.evil.example',
    '/0123456789abcdef//evil.example',
    '/0123456789abcdef',
    '/0123456789abcdef?next=//evil.example',
    'http://evil.example/',
    'http://evil.example',
    'x://evil.example/',
  ])('by the path %s, under any name of this machine', async (path) => {
    const { port } = new URL(app.baseUrl);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, 'evil.example', `localhost:${port}@evil.example`]) {
      const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
      const answer = parseAnswer(await talk(Number(port), request));
      const location = answer?.headers.get('location');
      if (location === undefined) continue;
      expect(location.startsWith(`${app.config.publicUrl}/`), location).toBe(true);
      expect(new URL(location).origin).toBe(app.config.publicUrl);
    }
  });

  test('Add to Discord leads to Discord', () => {
    const { addToDiscordUrl } = app.deps.discord;
    expect(new URL(addToDiscordUrl ?? app.config.discord.apiUrl).origin).toBe(
      new URL(app.config.discord.apiUrl).origin,
    );
  });
});
