import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { newVisitor, signInByHand, stillsStored, type Visitor, withChosen } from '../support/browser.ts';
import { noisePng, randomBytesOf, sha256, type TestFile, unzip } from '../support/files.ts';
import { createRecorder, findInStore, type Recorder } from '../support/leaks.ts';
import { ask } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import { type Site, startSite } from '../support/site.ts';

/** The main job of issue 1, by two people in two browser profiles. The tests are one story and run in order. */

/** Source address of both browsers, which must not be stored anywhere. */
const ADDRESS = '203.0.113.77';
const EMAIL = 'mika@sandbox.example';
/** If the server stores it anywhere, plaintext has leaked. */
const CANARY = 'canary-plaintext-4f6c1d9e';

const file = (name: string, mimeType: string, buffer: Buffer): TestFile => ({
  name: `canary-name-${name}`,
  mimeType,
  buffer,
});
const TEXT = file(
  'travel-notes.txt',
  'text/plain',
  Buffer.from(`${CANARY} nobody but the people with the link may read this.\n`.repeat(48)),
);
const PICTURE = file('noise.png', 'image/png', noisePng(1024, 1024));
const VIDEO = file('clip.webm', 'video/webm', readFileSync(join(import.meta.dirname, '../fixtures/clip.webm')));
/** More than a page opens unasked. */
const LARGE = file('archive.bin', 'application/octet-stream', randomBytesOf(32 * 1024 ** 2));
const ALL = [TEXT, PICTURE, VIDEO, LARGE];

const cell = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: name });

async function savedBytes(page: Page, start: () => Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), start()]);
  expect(await download.failure()).toBeNull();
  return readFile(await download.path());
}

describe('the main job', () => {
  /** Secrets that only the two browsers may know. */
  async function secretsOf(page: Page): Promise<Record<string, string | Buffer>> {
    const secret = link.split('#k=')[1] ?? '';
    const keyHex = await page.evaluate(readFolderKeyHex);
    expect(keyHex).toMatch(/^[0-9a-f]{128}$/);
    return {
      'link secret': secret,
      'link secret as bytes': Buffer.from(secret, 'base64url'),
      'folder key': keyHex,
      'folder key as bytes': Buffer.from(keyHex, 'hex'),
      'AES key as bytes': Buffer.from(keyHex.slice(0, 64), 'hex'),
      plaintext: CANARY,
      'picture’s bytes': PICTURE.buffer.subarray(5000, 5032),
      'original name': 'canary-name',
    };
  }

  /** The owner's session, and every bearer in a request of theirs. */
  async function credentialsOf({ context }: Visitor): Promise<Record<string, string>> {
    const [session] = (await context.cookies(site.url)).filter(({ name }) => name === 'sid');
    expect(session?.value).toHaveLength(43);
    const bearers = ownersTraffic.sent.flatMap(
      ({ text }) => /"authorization":"Bearer ([\w.-]+)"/.exec(text)?.[1] ?? [],
    );
    expect(bearers.length).toBeGreaterThan(0);
    return {
      session: session?.value ?? '',
      ...Object.fromEntries(bearers.map((bearer, at) => [`bearer ${at}`, bearer])),
    };
  }

  let site: Site;
  let browser: Browser;
  let owner: Visitor;
  let friend: Visitor;
  let link: string;
  const ownersTraffic = createRecorder();
  const friendsTraffic = createRecorder();

  test.beforeAll(async ({ chromium }) => {
    site = await startSite({ env: { TRUST_PROXY: '127.0.0.1/32' } });
    browser = chromium;
    // A header of the browser's own, unlike a proxy's header, has to be allowed by the origin of the files' bytes.
    const throughProxy = process.env.SITE_USERCONTENT ? {} : { headers: { 'x-forwarded-for': ADDRESS } };
    owner = await newVisitor(browser, throughProxy);
    friend = await newVisitor(browser, throughProxy);
    await ownersTraffic.watch(owner.context);
    await friendsTraffic.watch(friend.context);
  });
  inOrder();
  afterAll(() => site.stop());

  test('the owner signs in as a persona and creates an encrypted folder with a first file', async () => {
    const { page } = owner;
    await signInByHand(page, site.url, 'Mika');
    await page.goto(`${site.url}/upload`);
    await page.getByLabel('Folder name').fill('Canary voyage');
    await page.getByLabel('Choose files').setInputFiles(TEXT);
    await page.getByText('1 file selected').waitFor();
    await page.getByRole('button', { name: 'Create folder' }).click();
    await page.waitForURL(/\/f\/[A-Za-z0-9]{16}/);
    await expect.poll(() => page.getByRole('heading', { name: 'Canary voyage' }).count()).toBe(1);
    expect(new URL(page.url()).hash).toBe('');
    await page.getByText('1 completed').waitFor();
  });

  test('files of several kinds are uploaded', async () => {
    const { page } = owner;
    const areStored = stillsStored(page, 2);
    await withChosen(page.getByLabel('Choose files'), [PICTURE, VIDEO, LARGE], async () => {
      await page.getByRole('button', { name: 'Upload 3 files' }).click();
      await page.getByText('4 completed').waitFor();
      await cell(page, LARGE.name).waitFor();
      await areStored;
    });
  });

  test('Share copies the full link', async () => {
    const { page } = owner;
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(new RegExp(`^${site.url}/f/[A-Za-z0-9]{16}#k=[A-Za-z0-9_-]{43}$`));
    await page.getByRole('dialog', { name: 'Share Canary voyage' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('a friend with no account opens the link: all files and the picture appear', async () => {
    const { page } = friend;
    await page.goto(link);
    await page.getByText('Public', { exact: true }).first().waitFor();
    for (const sample of ALL) await cell(page, sample.name).waitFor();
    await cell(page, PICTURE.name).locator('img').waitFor();
    await cell(page, PICTURE.name).getByRole('button', { name: PICTURE.name }).click();
    const dialog = page.getByRole('dialog', { name: PICTURE.name });
    const picture = dialog.getByRole('img', { name: PICTURE.name });
    const widthPx = () => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await expect.poll(widthPx).toBe(1024);
    await dialog.getByRole('button', { name: 'Zoom in' }).click();
    await dialog.getByText('150%').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('the video plays', async () => {
    const { page } = friend;
    await cell(page, VIDEO.name).locator('img').waitFor();
    await cell(page, VIDEO.name).getByRole('button', { name: VIDEO.name }).click();
    const video = page.getByRole('dialog', { name: VIDEO.name }).locator('video');
    await video.evaluate((element) => {
      (element as HTMLVideoElement).muted = true;
      return (element as HTMLVideoElement).play();
    });
    await expect
      .poll(() => video.evaluate((element) => (element as HTMLVideoElement).currentTime))
      .toBeGreaterThan(0.5);
    await page.keyboard.press('Escape');
  });

  test('every download equals its upload, byte for byte', async () => {
    const { page } = friend;
    for (const sample of ALL) {
      const button = cell(page, sample.name).getByRole('button', { name: 'Download' });
      const bytes = await savedBytes(page, () => button.click());
      expect(sha256(bytes), sample.name).toBe(sha256(sample.buffer));
    }
  });

  test('all of them come as one zip, byte for byte', async () => {
    const { page } = friend;
    const zip = await savedBytes(page, () => page.getByRole('button', { name: 'Download all' }).click());
    const packed = unzip(zip).map(({ name, bytes }) => [name, sha256(bytes)]);
    expect(Object.fromEntries(packed)).toEqual(
      Object.fromEntries(ALL.map(({ name, buffer }) => [name, sha256(buffer)])),
    );
  });

  test('without the fragment the files are counted as sealed and nothing is opened', async () => {
    const stranger = await newVisitor(browser);
    const { page } = stranger;
    await page.goto(link.replace(/#.*/, ''));
    await page.getByText(/^4 sealed files · /).waitFor();
    await page.getByText('No Key', { exact: true }).waitFor();
    for (const sample of ALL) expect(await page.getByText(sample.name).count()).toBe(0);
    expect(stranger.problems()).toEqual([]);
    await stranger.close();
  });

  test('the server’s storage, log and counters hold no key, secret, token, plaintext, name or address', async () => {
    const canaries = { ...(await secretsOf(owner.page)), ...(await credentialsOf(owner)), address: ADDRESS };
    // The search finds what is there: the folder's own name is not secret.
    expect(await findInStore(site, { 'folder name': 'Canary voyage' })).not.toEqual([]);
    expect(await findInStore(site, canaries)).toEqual([]);
    // An e-mail address belongs to the profile, so to the database, and nowhere else.
    const places = await findInStore(site, { email: EMAIL });
    expect(places.filter((place) => !place.startsWith('email in the database:'))).toEqual([]);
    let metrics = '';
    for (const node of site.ownUrls) metrics += await (await ask(`${node}/metrics`)).text();
    expect(metrics).toContain('http_request_duration_seconds_count');
    for (const canary of [...Object.values(canaries), EMAIL]) expect(metrics).not.toContain(asLatin1(canary));
  });

  test('what the browsers sent holds no key, secret, plaintext or name', async () => {
    for (const { sent } of [ownersTraffic, friendsTraffic]) {
      expect(sent.filter(({ path }) => path.startsWith('/storage/')).length).toBeGreaterThan(4);
      for (const [name, canary] of Object.entries(await secretsOf(owner.page))) {
        const found = sent.filter(({ text }) => text.includes(asLatin1(canary)));
        expect(
          found.map(({ path }) => path),
          name,
        ).toEqual([]);
      }
    }
  });

  test('an e-mail address is sent only to its owner', async () => {
    const tells = async ({ received }: Recorder) =>
      (await received()).filter(({ text }) => text.includes(EMAIL)).map(({ path }) => path);
    expect(new Set(await tells(ownersTraffic))).toEqual(new Set(['/auth/v1/session']));
    expect(await tells(friendsTraffic)).toEqual([]);
  });

  test('deleting the folder deletes everything at once, the key share too', async () => {
    const { page } = owner;
    const shares = await findInStore(site, {}, 'shares');
    expect(shares).toHaveLength(1);
    const share = shares[0] ?? '';
    expect(share).toMatch(/^[\w-]{43}$/);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('DELETE');
    await dialog.getByRole('button', { name: 'Yes, Delete Forever' }).click();
    await page.waitForURL(`${site.url}/profile`);
    await page.getByText('No folders yet').waitFor();
    expect(
      await findInStore(site, { 'key share': share, 'key share as bytes': Buffer.from(share, 'base64url') }),
    ).toEqual([]);
    friend.allow(/404/);
    await friend.page.goto('about:blank');
    await friend.page.goto(link);
    await friend.page.getByRole('heading', { name: 'Folder Not Found' }).waitFor();
  });

  test('neither browser reported an error', () => {
    expect(owner.problems()).toEqual([]);
    expect(friend.problems()).toEqual([]);
  });
});

/** Encoded as the recorder stores requests. */
const asLatin1 = (canary: string | Buffer): string => (typeof canary === 'string' ? canary : canary.toString('latin1'));

/** Reads the folder key from every IndexedDB of the owner's page: the canary to search for. */
async function readFolderKeyHex(): Promise<string> {
  const opened = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  for (const { name } of await indexedDB.databases()) {
    if (!name) continue;
    const database = await opened(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const rows = (await opened(database.transaction(store).objectStore(store).getAll())) as {
        ring?: { keys: readonly unknown[] };
      }[];
      for (const key of rows.flatMap(({ ring }) => ring?.keys ?? [])) {
        if (key instanceof Uint8Array && key.length === 64) {
          database.close();
          return Array.from(key, (byte) => byte.toString(16).padStart(2, '0')).join('');
        }
      }
    }
    database.close();
  }
  return '';
}
