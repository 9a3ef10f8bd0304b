import { describe, expect, test } from 'vitest';
import { createTus, freshName, makeFolder, OBJECT, someBytes } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { webOf } from '../support/web.ts';

/** The headers of all kinds of answers. */

const PAGES = [
  '/',
  '/f',
  '/auth',
  '/auth/callback',
  '/device',
  '/profile',
  '/upload',
  '/operator',
  '/nothing',
  '/0123456789abcdef',
];
const FOLDER_PAGES = ['/f/0123456789abcdef', '/f/x', '/s/0123456789abcdef', '/s/x'];
const ANSWERS = [
  '/auth/v1/session',
  '/auth/v1/user',
  '/rest/v1/nothing',
  '/healthz',
  '/openapi.json',
  '/bot/x/y',
  '/assets/x',
];
const deps = { web: webOf() };
const app = await createTestApp({ deps });
const secure = await createTestApp({ deps, env: { PUBLIC_URL: 'https://files.example.org' } });
const mika = await app.signIn('mika');
const folder = await makeFolder(app, mika);
const tus = createTus(app, mika);
const name = freshName().replace('.bin', '.html');
const url = await tus.create({ folder, name, length: 10, metadata: { contentType: 'text/html' } });
expect((await tus.patch(url, 0, someBytes(10))).status).toBe(204);
const path = `unlocked-folders/${folder.bucket_storage_path}/${name}`;
const token = app.deps.tokens.signObject({ path, expiresAtMs: Date.now() + 600_000 });
const bytes = [`${OBJECT}/public/${path}`, `${OBJECT}/${path}`, `${OBJECT}/sign/${path}?token=${token}`];

const directivesOf = (headers: Headers) =>
  new Map(
    (headers.get('content-security-policy') ?? '').split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(' ');
      return [name, sources.join(' ')] as const;
    }),
  );

test('every answer has the common headers', async () => {
  for (const path of [...PAGES, ...FOLDER_PAGES, ...ANSWERS, ...bytes]) {
    const { headers } = await app.call('GET', path);
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    expect([path, headers.get('referrer-policy')]).toEqual([path, 'no-referrer']);
    expect([path, headers.get('x-frame-options')]).toEqual([path, 'DENY']);
    expect([path, headers.get('cross-origin-opener-policy')]).toEqual([path, 'same-origin']);
    expect([path, headers.get('cross-origin-resource-policy')]).toEqual([path, 'same-origin']);
    expect([path, directivesOf(headers).get('default-src')]).toEqual([path, "'none'"]);
    expect([path, headers.get('access-control-allow-origin')]).toEqual([path, null]);
    for (const telling of ['server', 'x-powered-by']) expect([path, headers.get(telling)]).toEqual([path, null]);
  }
});

test('over https, browsers are told to use only https', async () => {
  for (const path of [...PAGES, ...FOLDER_PAGES, ...ANSWERS]) {
    expect((await secure.call('GET', path)).headers.get('strict-transport-security')).toMatch(/^max-age=\d{8,}/);
    expect((await app.call('GET', path)).headers.get('strict-transport-security')).toBeNull();
  }
});

describe('a page', () => {
  test.each([...PAGES, ...FOLDER_PAGES])('%s runs only our scripts, and can’t be framed', async (path) => {
    const { headers } = await app.call('GET', path);
    expect(Object.fromEntries(directivesOf(headers))).toEqual({
      'default-src': "'none'",
      'script-src': expect.stringMatching(/^'self' 'wasm-unsafe-eval'( 'sha256-[\w+/]{43}=')*$/),
      'style-src': "'self'",
      'img-src': "'self' blob: data:",
      'media-src': "'self' blob:",
      'connect-src': "'self'",
      'worker-src': "'self'",
      'font-src': "'self'",
      'manifest-src': "'self'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'satchel-workers',
    });
    for (const power of ['camera', 'microphone', 'geolocation', 'payment', 'usb']) {
      expect(headers.get('permissions-policy')).toContain(`${power}=()`);
    }
  });

  test('that may name a folder is kept out of search engines, and the landing page is not', async () => {
    const slugs = ['/0123456789abcdef', '/0123456789abcdef/', '/0123456789abcdef?x=/', '/%30123456789abcdef'];
    const own = ['/device', '/profile', '/auth/callback?code=x', '/operator', '/nothing'];
    for (const path of [...FOLDER_PAGES, '/f/x?y', ...slugs, ...own]) {
      expect([path, (await app.call('GET', path)).headers.get('x-robots-tag')]).toEqual([path, 'noindex']);
    }
    for (const path of ['/', '/?x', '/upload?name=x', '/privacy', '/docs', '/check']) {
      expect([path, (await app.call('GET', path)).headers.get('x-robots-tag')]).toEqual([path, null]);
    }
  });
});

test('only pages may be in a search engine: neither files nor keys', async () => {
  for (const path of [...bytes, ...ANSWERS]) {
    expect([path, (await app.call('GET', path)).headers.get('x-robots-tag')]).toEqual([path, 'noindex']);
  }
});

test('bytes of strangers are downloaded, never shown or run, and no shared cache stores them', async () => {
  for (const path of bytes) {
    for (const init of [{}, { headers: { range: 'bytes=1-3' } }, { method: 'HEAD' }]) {
      if (path.startsWith(`${OBJECT}/unlocked`) && 'method' in init) continue;
      const { status, headers } = await fetch(app.baseUrl + path, init);
      expect([200, 206, 404]).toContain(status);
      if (status === 404) continue;
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
      expect(headers.get('content-disposition')).toMatch(/^attachment/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  }
});

test('what is asked for past all caches says that none may keep it', async () => {
  const [path = ''] = bytes;
  const kept = async (asked: string) => {
    const headers = { 'cache-control': asked, range: 'bytes=0-1' };
    return (await fetch(app.baseUrl + path, { headers })).headers.get('cache-control');
  };
  for (const asked of ['no-cache', 'max-age=0, no-store']) {
    expect(await kept(asked)).toBe('private, no-cache, no-store');
  }
  expect(await kept('max-age=0')).toBe('private, no-cache');
});

test('no cache stores personal answers', async () => {
  const mika = await app.signIn('mika');
  const lists = ['/rest/v1/folders?owner=me', '/rest/v1/uploads?owner=me'];
  for (const path of ['/auth/v1/session', '/auth/v1/sessions', '/rest/v1/profiles/me', ...lists]) {
    expect((await app.call('GET', path, { as: mika })).headers.get('cache-control')).toBe('no-store');
  }
});

test('every 401 names the scheme that a client may answer with', async () => {
  const path = 'unlocked-folders/0123456789abcdef/x';
  const refused = await Promise.all([
    fetch(`${app.baseUrl}/auth/v1/user`),
    fetch(`${app.baseUrl}/storage/v1/upload/resumable`, { method: 'POST', headers: { 'tus-resumable': '1.0.0' } }),
    fetch(`${app.baseUrl}${OBJECT}/${path}`, { method: 'DELETE' }),
    fetch(`${app.baseUrl}/discord/interactions`, { method: 'POST', body: '{}' }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  expect(refused.map(({ headers }) => headers.get('www-authenticate'))).toEqual(refused.map(() => 'Bearer'));
});
