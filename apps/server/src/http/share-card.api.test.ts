import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteFolder, expire, makeFolder } from '../testing/storage-kit.ts';
import { createTestApp, type TestApp } from '../testing/test-app.ts';
import { readWebFiles } from './web-files.ts';

/** What a link looks like where somebody pastes it, and what a device makes of the site: with the page's own files. */

const WEB = join(import.meta.dirname, '../../../web');

let dist: string;
let app: TestApp;
beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'satchel-card-'));
  await cp(join(WEB, 'public'), dist, { recursive: true });
  await cp(join(WEB, 'index.html'), join(dist, 'index.html'));
  app = await createTestApp({ deps: { web: await readWebFiles(dist) } });
});
afterAll(async () => {
  await app.close();
  await rm(dist, { recursive: true });
});

const get = (path: string) => fetch(app.baseUrl + path, { redirect: 'manual' });

/** The value of a <meta> by its name or property. */
const metaOf = (html: string, name: string) =>
  new RegExp(`<meta\\s+(?:name|property)="${name}"\\s+content="([^"]*)"`).exec(html)?.[1];

/** Width and height of a PNG, which its header says. */
async function pngSize(path: string): Promise<string> {
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/png');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

describe('the card of a link', () => {
  test('is on every page: a title, a text, and a picture by its whole address', async () => {
    for (const path of ['/', '/f/abc', '/f', '/auth', '/auth/callback', '/profile', '/upload', '/nothing']) {
      const html = await (await get(path)).text();
      for (const name of ['og:title', 'og:description', 'og:site_name', 'twitter:title', 'twitter:description']) {
        expect(metaOf(html, name), `${name} of ${path}`).toBeTruthy();
      }
      expect(metaOf(html, 'og:image')).toBe(`${app.config.publicUrl}/card.png`);
      expect(metaOf(html, 'twitter:image')).toBe(`${app.config.publicUrl}/card.png`);
      expect(metaOf(html, 'twitter:card')).toBe('summary_large_image');
      expect(metaOf(html, 'theme-color')).toMatch(/^#[0-9a-f]{6}$/);
      expect(html).not.toMatch(/__[A-Z_]+__/);
    }
  });

  test('has a picture of the size that it says', async () => {
    const html = await (await get('/')).text();
    const size = `${metaOf(html, 'og:image:width')}x${metaOf(html, 'og:image:height')}`;
    expect(size).toBe('1200x630');
    expect(await pngSize(new URL(metaOf(html, 'og:image') ?? '').pathname)).toBe(size);
  });

  test('is byte for byte the same for a private, plain, missing, expired and deleted folder', async () => {
    const mika = await app.signIn('mika');
    const { body } = await app.rpc<{ folder: { slug: string } }>(
      'create_folder_with_temp_key',
      { folder_name: 'name-canary', folder_description: 'description-canary' },
      mika,
    );
    const [secret, expired, deleted] = [
      await makeFolder(app, mika, 'private'),
      await makeFolder(app, mika, 'private'),
      await makeFolder(app, mika),
    ];
    await expire(app, expired);
    await deleteFolder(app, mika, deleted);
    const slugs = [body.folder.slug, secret.slug, expired.slug, deleted.slug, 'AAAAAAAAAAAAAAAA'];

    const seen = new Set<string>();
    for (const path of slugs.flatMap((slug) => [`/f/${slug}`, `/f/${slug}`])) {
      const response = await get(path);
      const html = await response.text();
      const nonce = metaOf(html, 'csp-nonce') ?? '';
      expect(nonce.length).toBeGreaterThan(16);
      const headers = [...response.headers].filter(([name]) => name !== 'date');
      seen.add(JSON.stringify([response.status, headers, html]).replaceAll(nonce, ''));
      expect(html).not.toContain('canary');
      expect(html).not.toContain(path.slice('/f/'.length));
    }
    expect(seen.size).toBe(1);
  });

  test('is fetched from the address that the operator set', async () => {
    const page = '<meta property="og:image" content="__PUBLIC_URL__/card.png">';
    const other = await createTestApp({
      env: { PUBLIC_URL: 'https://files.example.org' },
      deps: { web: { page, files: new Map() } },
    });
    try {
      const html = await (await other.call('GET', '/')).text();
      expect(html).toBe('<meta property="og:image" content="https://files.example.org/card.png">');
    } finally {
      await other.close();
    }
  });
});

describe('the manifest', () => {
  interface Manifest {
    readonly start_url: string;
    readonly display: string;
    readonly icons: readonly { src: string; sizes: string; type: string; purpose: string }[];
  }

  test('is named by the page, and its icons are there, as large as it says', async () => {
    const [, path = ''] = /<link rel="manifest" href="([^"]+)"/.exec(await (await get('/')).text()) ?? [];
    const response = await get(path);
    expect(response.headers.get('content-type')).toBe('application/manifest+json');
    const manifest = (await response.json()) as Manifest;
    expect(manifest).toMatchObject({ name: 'Satchel', short_name: 'Satchel', start_url: '/', display: 'minimal-ui' });
    const pngs = manifest.icons.filter(({ type }) => type === 'image/png');
    for (const { src, sizes } of pngs) expect(await pngSize(src)).toBe(sizes);
    const kinds = manifest.icons.map(({ sizes, purpose }) => `${purpose} ${sizes}`);
    expect(kinds).toEqual(expect.arrayContaining(['any 192x192', 'any 512x512', 'maskable 512x512']));
  });

  test('and icons are kept for a day and fetched under a policy that allows them', async () => {
    for (const path of ['/manifest.webmanifest', '/card.png', '/favicon.ico', '/mark.svg', '/apple-touch-icon.png']) {
      expect((await get(path)).headers.get('cache-control'), path).toBe('public, max-age=86400');
    }
    expect((await get('/theme.js')).headers.get('cache-control')).toBe('no-cache');
    expect((await get('/')).headers.get('content-security-policy')).toContain("manifest-src 'self'");
    expect((await get('/favicon.ico')).headers.get('content-type')).toBe('image/x-icon');
    expect(await pngSize('/apple-touch-icon.png')).toBe('180x180');
  });
});
