import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { WebSettings } from '@satchel/contract/wire/web-settings';
import { describe, expect, test } from 'vitest';
import { readWebFiles } from '../../src/http/web/web-files.ts';
import { takeFolder } from '../support/at-end.ts';
import { createTestApp } from '../support/test-app.ts';

const SCRIPT = 'console.log("a script long enough to be worth compressing");\n'.repeat(100);
/** Other than the script, to tell them apart. */
const BUILT = 'built();';
const PAGE = `<!doctype html><meta name="satchel-settings" content="__SATCHEL_SETTINGS__">
<meta name="csp-nonce" content="__CSP_NONCE__"><script>inline('__PUBLIC_URL__');</script><div id="root"></div>`;

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
  test.each([
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
    '/docs',
    '/0123456789abcdef',
  ])('%s exists', async (path) => {
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

  test('carries the settings, safe inside their attribute', async () => {
    const html = await (await get('/')).text();
    const [, escaped = ''] = /name="satchel-settings" content="([^"]*)"/.exec(html) ?? [];
    const json = escaped.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    expect(WebSettings.parse(JSON.parse(json))).toEqual({
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
    expect(escaped).not.toMatch(/[<>"']/);
  });

  test('has a nonce of its own, new at every request', async () => {
    const nonces = new Set<string>();
    for (const path of ['/', '/', '/f/abc']) {
      const response = await get(path);
      const policy = response.headers.get('content-security-policy') ?? '';
      const [, nonce = ''] = /name="csp-nonce" content="([\w-]+)"/.exec(await response.text()) ?? [];
      expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  test('allows its own inline script by its hash, and no other file does', async () => {
    const response = await get('/');
    const [, script = ''] = /<script>(.+)<\/script>/.exec(await response.text()) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    const sources = `script-src 'self' 'wasm-unsafe-eval'`;
    expect(response.headers.get('content-security-policy')).toContain(`${sources} 'sha256-${hash}';`);
    expect((await get('/sw.js')).headers.get('content-security-policy')).toContain(`${sources};`);
  });

  test('under another name of this machine leads to its address', async () => {
    const port = app.config.port;
    for (const host of [`localhost:${port}`, `[::1]:${port}`]) {
      const response = await getRaw('/f/abc?x=1', host);
      expect(response.status).toBe(308);
      expect(response.location).toBe(`${app.baseUrl}/f/abc?x=1`);
    }
    expect((await getRaw('//evil.example', `localhost:${port}`)).location).toBe(`${app.baseUrl}//evil.example`);
    expect((await getRaw('/', 'evil.example')).location).toBe('');
    expect((await getRaw('/auth/v1/session', `localhost:${port}`)).status).toBe(200);
  });

  test('is 503 before the web application is built, and other routes work', async () => {
    const bare = await createTestApp();
    expect((await bare.call('GET', '/')).status).toBe(503);
    expect((await bare.call('GET', '/healthz')).status).toBe(200);
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
