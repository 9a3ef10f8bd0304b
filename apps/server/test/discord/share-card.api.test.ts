import { createHash } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { Folder } from '@satchel/contract/entities';
import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readWebFiles } from '../../src/http/web/web-files.ts';
import { folders } from '../../src/platform/schema/folders.ts';
import { takeFolder } from '../support/at-end.ts';
import { operate } from '../support/operators.ts';
import { deleteFolder, expire, makeFolder } from '../support/storage-kit.ts';
import { storedState } from '../support/stored-state.ts';
import { type Account, createTestApp, idOf } from '../support/test-app.ts';
import { webOf } from '../support/web.ts';

/** How a link looks where people paste it, and what a device shows of the site: with the page's own files. */

const WEB = join(import.meta.dirname, '../../../web');

const dist = await takeFolder();
await cp(join(WEB, 'public'), dist, { recursive: true });
await cp(join(WEB, 'index.html'), join(dist, 'index.html'));
const app = await createTestApp({
  env: { OPERATOR_DISCORD_IDS: idOf('olga') },
  deps: { web: await readWebFiles(dist) },
});

const get = (path: string) => fetch(app.baseUrl + path, { redirect: 'manual' });

/** The value of a <meta> by its name or property. */
const metaOf = (html: string, name: string) =>
  new RegExp(`<meta\\s+(?:name|property)="${name}"\\s+content="([^"]*)"`).exec(html)?.[1];

/** Width and height of a PNG, from its header. */
async function pngSize(path: string): Promise<string> {
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/png');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

const CARD = '/s/AAAAAAAAAAAAAAAA';

describe('the card of a link', () => {
  test('has a title, a text, and a picture by its whole address', async () => {
    const html = await (await get(CARD)).text();
    expect(metaOf(html, 'og:title')).toBe('Satchel');
    for (const name of ['og:description', 'og:site_name']) expect(metaOf(html, name), name).toBeTruthy();
    expect(metaOf(html, 'og:image')).toBe(`${app.config.publicUrl}/card.png`);
    expect(metaOf(html, 'twitter:card')).toBe('summary_large_image');
  });

  test('of every page is the site’s, whose picture has no whole address, since a page is the same on every site', async () => {
    for (const path of ['/', '/f/abc', '/f', '/auth', '/auth/callback', '/profile', '/upload', '/nothing']) {
      const html = await (await get(path)).text();
      expect(metaOf(html, 'og:title')).toBe('Satchel');
      for (const name of ['og:description', 'og:site_name']) expect(metaOf(html, name), name).toBeTruthy();
      expect(metaOf(html, 'og:image')).toBe('/card.png');
      expect(metaOf(html, 'twitter:card')).toBe('summary_large_image');
      expect(metaOf(html, 'theme-color')).toMatch(/^#[0-9a-f]{6}$/);
    }
  });

  test('has a picture of the size that it says', async () => {
    for (const path of ['/', CARD]) {
      const html = await (await get(path)).text();
      const size = `${metaOf(html, 'og:image:width')}x${metaOf(html, 'og:image:height')}`;
      expect(size).toBe('1200x630');
      expect(await pngSize(new URL(metaOf(html, 'og:image') ?? '', app.baseUrl).pathname)).toBe(size);
    }
  });

  test('leads a person to the page, with what stands behind the slug in its address', async () => {
    const html = await (await get(CARD)).text();
    expect(html).toContain('<a href="/f/AAAAAAAAAAAAAAAA">');
    const [, script = ''] = /<script>(.*)<\/script>/.exec(html) ?? [];
    const replace = vi.fn();
    runInNewContext(script, { location: { pathname: CARD, search: '?x', hash: '#y', replace } });
    expect(replace.mock.calls).toEqual([['/f/AAAAAAAAAAAAAAAA?x#y']]);
    const hash = createHash('sha256').update(script).digest('base64');
    expect((await get(CARD)).headers.get('content-security-policy')).toContain(`'sha256-${hash}'`);
  });

  /** Document and headers of an address, without what differs in each answer. */
  async function shownAt(path: string): Promise<string> {
    const response = await get(path);
    const html = await response.text();
    const headers = [...response.headers].filter(([name]) => !/^(date|x-request-id|content-length)$/.test(name));
    return JSON.stringify([response.status, headers, html.replaceAll(path.slice('/s/'.length), '')]);
  }

  async function makeNamed(as: Account, mode: 'plain' | 'private', settings: object): Promise<Folder> {
    const folder = await makeFolder(app, as, mode);
    const input = { folder_id: folder.id, new_name: 'canary!', new_description: 'description-canary', ...settings };
    expect((await app.rpc('update_folder_settings', input, as)).status).toBe(200);
    return folder;
  }

  test('is byte for byte the same for every folder with a secret name, and for missing ones', async () => {
    const [mika, olga] = [await app.signIn('mika'), await app.signIn('olga')];
    const told = { new_show_name_in_previews: true };
    const plain = await makeNamed(mika, 'plain', {});
    const secret = await makeNamed(mika, 'private', told);
    const restricted = await makeNamed(mika, 'plain', { ...told, new_access: 'restricted' });
    const [over, deleted, taken, nameless] = [
      await makeNamed(mika, 'plain', told),
      await makeNamed(mika, 'plain', told),
      await makeNamed(mika, 'plain', told),
      await makeNamed(mika, 'plain', { ...told, new_name: null }),
    ];
    // Not even a row that says so reveals an encrypted folder's name.
    for (const link_mode of ['private', 'discord', 'revoked'] as const) {
      const forced = await makeNamed(mika, 'plain', told);
      await app.database.db.update(folders).set({ link_mode }).where(eq(folders.id, forced.id));
      expect(await shownAt(`/s/${forced.slug}`)).toBe(await shownAt(CARD));
    }
    await expire(app, over);
    await deleteFolder(app, mika, deleted);
    expect(
      (await operate(app, olga, 'POST', '/takedowns', { folder_slug: taken.slug, reason: 'malware' })).status,
    ).toBe(204);

    const all = [plain, secret, restricted, over, deleted, taken, nameless].map(({ slug }) => slug);
    for (const prefix of ['/s/', '/f/', '/']) {
      const seen = new Set<string>();
      for (const slug of [...all, 'AAAAAAAAAAAAAAAA']) {
        const shown = await shownAt(prefix + slug);
        expect(shown).not.toContain('canary');
        seen.add(shown);
      }
      expect(seen.size).toBe(1);
    }
  });

  describe('of a plain folder whose owner allows it', () => {
    const show = (is: boolean) => ({ new_show_name_in_previews: is });
    let mika: Account;
    let folder: Folder;
    beforeAll(async () => {
      mika = await app.signIn('mika');
      folder = await makeNamed(mika, 'plain', show(true));
    });
    const change = async (settings: object) => {
      const { status } = await app.rpc('update_folder_settings', { folder_id: folder.id, ...settings }, mika);
      expect(status).toBe(200);
    };

    test('says its name and nothing else of it, to everyone', async () => {
      const nothing = await shownAt(CARD);
      const before = await storedState(app);
      for (const path of [`/s/${folder.slug}`, `/s/${folder.slug}?upload=true`]) {
        const html = await (await get(path)).text();
        expect(metaOf(html, 'og:title')).toBe('canary!');
        expect(html).not.toContain('description-canary');
      }
      expect((await shownAt(`/s/${folder.slug}`)).replaceAll('canary!', 'Satchel')).toBe(nothing);
      const head = await fetch(`${app.baseUrl}/s/${folder.slug}`, { method: 'HEAD' });
      expect([head.status, head.headers.get('cache-control'), await head.text()]).toEqual([200, 'no-cache', '']);
      // A chat's preview is neither counted nor stored.
      expect(await storedState(app)).toEqual(before);
    });

    test('is not on the page itself, which is the same for every folder', async () => {
      for (const path of [`/f/${folder.slug}`, `/${folder.slug}`]) {
        expect(await (await get(path)).text()).toBe(await (await get('/')).text());
      }
    });

    test('contains any name as text', async () => {
      await change({ new_name: `"><script>'a'</script> & $& gpj.exe` });
      // A name that is older than the rule for names.
      await app.database.db.execute(
        sql`update folders set name = replace(name, 'gpj', ${'\u202e\u061cgpj\u200b'}) where id = ${folder.id}::uuid`,
      );
      const html = await (await get(`/s/${folder.slug}`)).text();
      expect(html).not.toContain("<script>'a'");
      const title = metaOf(html, 'og:title')?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
      expect(title).toBe(`"><script>'a'</script> & $&  gpj\ufffd.exe`);
      await change({ new_name: 'canary!' });
    });

    test('says nothing any more as soon as the owner forbids it or restricts the folder', async () => {
      const titleNow = async () => metaOf(await (await get(`/s/${folder.slug}`)).text(), 'og:title');
      expect(await titleNow()).toBe('canary!');
      await change(show(false));
      expect(await titleNow()).toBe('Satchel');
      await change(show(true));
      expect(await titleNow()).toBe('canary!');
      await change({ new_access: 'restricted' });
      expect(await titleNow()).toBe('Satchel');
    });

    test('does not exist for an encrypted folder', async () => {
      const secret = await makeFolder(app, mika, 'private');
      const { body } = await app.rpc<{ folder: Folder }>(
        'update_folder_settings',
        { folder_id: secret.id, ...show(true) },
        mika,
      );
      expect(body.folder.show_name_in_previews).toBe(false);
    });
  });

  test('is fetched from the address that the operator set', async () => {
    const other = await createTestApp({ env: { PUBLIC_URL: 'https://files.example.org' }, deps: { web: webOf() } });
    const html = await (await other.call('GET', CARD)).text();
    expect(metaOf(html, 'og:image')).toBe('https://files.example.org/card.png');
  });
});

describe('the manifest', () => {
  interface Manifest {
    readonly start_url: string;
    readonly display: string;
    readonly share_target: object;
    readonly icons: readonly { src: string; sizes: string; type: string; purpose: string }[];
  }

  test('is named by the page, and its icons exist in the sizes that it says', async () => {
    const [, path = ''] = /<link rel="manifest" href="([^"]+)"/.exec(await (await get('/')).text()) ?? [];
    const response = await get(path);
    expect(response.headers.get('content-type')).toBe('application/manifest+json');
    const manifest = (await response.json()) as Manifest;
    expect(manifest).toMatchObject({
      name: 'Satchel',
      short_name: 'Satchel',
      start_url: '/?app',
      display: 'minimal-ui',
    });
    expect(manifest.share_target).toMatchObject({ action: SHARE_TARGET_PATH, method: 'POST' });
    const pngs = manifest.icons.filter(({ type }) => type === 'image/png');
    for (const { src, sizes } of pngs) expect(await pngSize(src)).toBe(sizes);
    const kinds = manifest.icons.map(({ sizes, purpose }) => `${purpose} ${sizes}`);
    expect(kinds).toEqual(expect.arrayContaining(['any 192x192', 'any 512x512', 'maskable 512x512']));
  });

  test('is cached for a day, as its icons are, and fetched under a policy that allows them', async () => {
    for (const path of ['/manifest.webmanifest', '/card.png', '/favicon.ico', '/mark.svg', '/apple-touch-icon.png']) {
      expect((await get(path)).headers.get('cache-control'), path).toBe('public, max-age=86400');
    }
    expect((await get('/sw.js')).headers.get('cache-control')).toBe('no-cache');
    expect((await get('/')).headers.get('content-security-policy')).toContain("manifest-src 'self'");
    expect((await get('/favicon.ico')).headers.get('content-type')).toBe('image/x-icon');
    expect(await pngSize('/apple-touch-icon.png')).toBe('180x180');
  });
});
