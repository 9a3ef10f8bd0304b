import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { CARD_SCRIPT } from '@satchel/contract/page-policy';
import { WebSettings } from '@satchel/contract/wire/web-settings';
import { describe, expect, test } from 'vitest';
import { readWebFiles } from '../../src/http/web/web-files.ts';
import { takeFolder } from '../support/at-end.ts';
import { createTestApp } from '../support/test-app.ts';

const SCRIPT = 'console.log("a script long enough to be worth compressing");\n'.repeat(100);
/** Other than the script, to tell them apart. */
const BUILT = 'built();';
const PAGE = `<!doctype html><script type="importmap">{"integrity":{}}</script>
<script>inline();</script><div id="root"></div>${'<p>A page long enough to be worth compressing.</p>'.repeat(40)}`;

const PATHS_OF_PAGES = [
  '/',
  '/f/abc',
  '/f',
  '/auth',
  '/auth/callback?x=1',
  '/device',
  '/profile',
  '/upload',
  '/operator',
  '/privacy',
  '/docs',
  '/check',
  '/0123456789abcdef',
];

const dist = await takeFolder();
await mkdir(join(dist, 'assets'));
await mkdir(join(dist, '.vite'));
await writeFile(join(dist, 'index.html'), PAGE);
await writeFile(join(dist, 'sw.js'), SCRIPT);
await writeFile(join(dist, 'mark.svg'), '<svg/>');
await writeFile(join(dist, 'assets/index-abc.js'), SCRIPT);
await writeFile(join(dist, 'assets/built-abc.js'), SCRIPT);
await writeFile(join(dist, 'assets/built-abc.js.br'), brotliCompressSync(BUILT));
await writeFile(join(dist, '.vite/manifest.json'), '{}');
await mkdir(join(dist, 'previous/assets'), { recursive: true });
await writeFile(join(dist, 'previous/assets/index-old.js'), 'previous();');
await writeFile(join(dist, 'previous/assets/built-abc.js'), 'previous();');
const app = await createTestApp({ deps: { web: await readWebFiles(dist) } });

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(app.baseUrl + path, { headers, redirect: 'manual' });

/** Path and Host exactly as given; fetch would normalize them. */
async function getRaw(path: string, host: string): Promise<{ status: number; location: string; body: string }> {
  const { hostname, port } = new URL(app.baseUrl);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { host } }, async (response) => {
      const { location = '' } = response.headers;
      resolve({ status: response.statusCode ?? 0, location, body: await text(response) });
    })
      .on('error', reject)
      .end();
  });
}

describe('a page', () => {
  test.each(PATHS_OF_PAGES)('%s exists', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toContain('<div id="root">');
  });

  test.each([
    '/nothing',
    '/f-is-short',
    '/a/b',
    '/profile/',
    '/index.html',
    '/.vite/manifest.json',
    '/../../etc/passwd',
  ])('%s is Not Found, as a page', async (path) => {
    const response = await getRaw(path, new URL(app.baseUrl).host);
    expect(response.status).toBe(404);
    expect(response.body).toContain('<div id="root">');
  });

  test.each([
    '/rest/v1/nothing',
    '/auth/v1/nothing',
    '/storage/v1/nothing',
    '/bot/x',
    '/discord/interactions',
    '/assets/x.js',
  ])('%s is Not Found, as JSON', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'request.not_found' } });
  });

  test('has the same bytes for every address, language and visitor, and on every site', async () => {
    const mika = await app.signIn('mika');
    const other = await createTestApp({
      env: { PUBLIC_URL: 'https://files.example.org', OPERATOR_NAME: 'Example', FOLDER_LIFETIME_HOURS: '2' },
      deps: { web: await readWebFiles(dist) },
    });
    const seen = new Set<string>();
    for (const site of [app, other]) {
      for (const path of [...PATHS_OF_PAGES, '/nothing']) {
        for (const language of ['en', 'de', 'fr', 'es']) {
          for (const cookie of ['', mika.cookie]) {
            const headers = { 'accept-language': language, cookie };
            const response = await fetch(site.baseUrl + path, { headers });
            const policy = response.headers.get('content-security-policy');
            seen.add(
              `${policy} ${createHash('sha256')
                .update(await response.text())
                .digest('hex')}`,
            );
          }
        }
      }
    }
    expect(seen.size).toBe(1);
  });

  test('is not sent again to a client that has it, and comes compressed', async () => {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding };
      const first = await get('/f/abc', headers);
      expect(first.headers.get('content-encoding') ?? 'identity').toBe(encoding);
      expect(first.headers.get('vary')).toBe('accept-encoding');
      expect(await first.text()).toBe(PAGE);
      const etag = first.headers.get('etag') ?? '';
      const again = await get('/profile', { ...headers, 'if-none-match': etag });
      expect([again.status, await again.text(), again.headers.get('cache-control')]).toEqual([304, '', 'no-cache']);
      expect((await get('/nothing', { ...headers, 'if-none-match': etag })).status).toBe(404);
    }
  });

  test('allows its own inline scripts by their hashes, and no other file does', async () => {
    const scripts = ['{"integrity":{}}', 'inline();', CARD_SCRIPT];
    const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    const sources = `script-src 'self' 'wasm-unsafe-eval'`;
    expect((await get('/')).headers.get('content-security-policy')).toContain(`${sources} ${hashes.join(' ')};`);
    expect((await get('/sw.js')).headers.get('content-security-policy')).toContain(`${sources};`);
  });

  test('comes under another name of this machine, too, and leads to the site’s own by itself', async () => {
    const port = app.config.port;
    for (const host of [`localhost:${port}`, `[::1]:${port}`, 'evil.example']) {
      for (const path of ['/f/abc?x=1', '//evil.example', '/settings.json']) {
        expect((await getRaw(path, host)).location).toBe('');
      }
    }
  });

  test('is 503 before the web application is built, and other routes work', async () => {
    const bare = await createTestApp();
    expect((await bare.call('GET', '/')).status).toBe(503);
    expect((await bare.call('GET', '/healthz')).status).toBe(200);
  });
});

describe('the settings of the site', () => {
  test('are an answer of their own', async () => {
    expect(WebSettings.parse(await (await get('/settings.json')).json())).toEqual({
      max_file_bytes: 104_857_600,
      free_storage_bytes: 1_073_741_824,
      folder_lifetime_hours: 24,
      max_folder_files: 2000,
      admits: 'anyone',
      operator: null,
      add_to_discord_url: app.deps.discord.addToDiscordUrl,
      public_url: app.config.publicUrl,
      links: app.config.links,
    });
  });

  test('are asked for at every visit, and sent once', async () => {
    const { headers } = await get('/settings.json');
    expect([headers.get('cache-control'), headers.get('x-robots-tag')]).toEqual(['no-cache', 'noindex']);
    const again = await get('/settings.json', { 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });
});

describe('a file of the web application', () => {
  test('under assets is cached by browsers for good', async () => {
    const response = await get('/assets/index-abc.js');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await response.text()).toBe(SCRIPT);
  });

  test('comes compressed if the client accepts it', async () => {
    const { hostname, port } = new URL(app.baseUrl);
    const raw = await new Promise<Buffer>((resolve, reject) => {
      const headers = { 'accept-encoding': 'gzip, br' };
      request({ hostname, port, path: '/assets/index-abc.js', headers }, async (response) => {
        expect(response.headers['content-encoding']).toBe('br');
        resolve(Buffer.concat(await response.toArray()));
      })
        .on('error', reject)
        .end();
    });
    expect(raw.length).toBeLessThan(SCRIPT.length / 10);
    expect(brotliDecompressSync(raw).toString()).toBe(SCRIPT);
    expect(
      (await get('/assets/index-abc.js', { 'accept-encoding': 'br;q=0, identity' })).headers.get('content-encoding'),
    ).toBeNull();
    expect((await get('/mark.svg', { 'accept-encoding': 'br' })).headers.get('content-encoding')).toBeNull();
  });

  test('comes as the build has compressed it, whose own file is not there', async () => {
    const built = await get('/assets/built-abc.js', { 'accept-encoding': 'br' });
    expect(built.headers.get('content-encoding')).toBe('br');
    expect(await built.text()).toBe(BUILT);
    expect(await (await get('/assets/built-abc.js', { 'accept-encoding': 'gzip' })).text()).toBe(SCRIPT);
    expect((await get('/assets/built-abc.js.br')).status).toBe(404);
  });

  test('of the build before is there for pages that are still open, and hides none of this build', async () => {
    const previous = await get('/assets/index-old.js');
    expect(await previous.text()).toBe('previous();');
    expect(previous.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(previous.headers.get('cache-control')).toContain('immutable');
    expect(await (await get('/assets/built-abc.js')).text()).toBe(SCRIPT);
    expect((await get('/previous/assets/index-old.js')).status).toBe(404);
  });

  test('is not sent again to a client that has it', async () => {
    const etag = (await get('/mark.svg')).headers.get('etag') ?? '';
    const again = await get('/mark.svg', { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  });

  test('answers HEAD', async () => {
    const response = await fetch(`${app.baseUrl}/mark.svg`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
  });

  test('the service worker is revalidated at every use and may serve the whole site', async () => {
    const { headers } = await get('/sw.js');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('service-worker-allowed')).toBe('/');
    expect(headers.get('content-security-policy')).toContain("connect-src 'self'");
  });
});

test('with BLOBS_DIRECT pages and workers may fetch from the bucket, and nothing else comes from there', async () => {
  const bucket = 'https://s3.example.org/satchel/';
  const direct = { baseUrl: bucket, isOpen: () => false, addressesOf: async () => [] };
  const site = await createTestApp({ deps: { web: await readWebFiles(dist), direct } });
  for (const path of ['/f/abc', '/sw.js', '/assets/index-abc.js']) {
    const policy = (await fetch(site.baseUrl + path)).headers.get('content-security-policy')!;
    const naming = policy.split('; ').filter((rule) => rule.includes(bucket));
    expect([path, naming]).toEqual([path, [`connect-src 'self' ${bucket}`]]);
  }
});
