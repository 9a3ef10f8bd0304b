import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import {
  card,
  makeFolder,
  newVisitor,
  openVisitor,
  signInAs,
  type Visitor,
  type VisitorOptions,
  visit,
} from '../support/browser.ts';
import { createFolderAs, type Person, signIn } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** A browser profile on disk, to search as a person with the device could. */
interface BrowserProfile {
  /** Starts the browser with the profile; closing the visitor ends the browser normally. */
  open(): Promise<Visitor>;
  /**
   * Files that hold any of the secrets, relative to the profile; skips files that an open browser is deleting.
   * @param isMeant which files to read; all where left out, which takes a second of CPU time
   */
  filesWith(secrets: readonly Buffer[], isMeant?: (path: string) => boolean): Promise<string[]>;
  remove(): Promise<void>;
}

/** Long enough to match no other bytes, short enough that compression can't hide a whole secret. */
const PIECE_BYTES = 10;

/** Splits `form` into pieces: compressed files keep new bytes literally, but may cut them. */
function piecesOf(form: Buffer, step: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at + step <= form.length; at += step) pieces.push(form.subarray(at, at + step));
  return pieces;
}

/** Encodings of a secret: bytes, base64, base64url, hex, each in 8 or 16 bits a character. */
function formsOf(secret: Buffer): Buffer[] {
  const texts = [
    secret.toString('base64url'),
    secret.toString('base64'),
    secret.toString('hex'),
    secret.toString('hex').toUpperCase(),
    encodeURIComponent(secret.toString('base64')),
    [...secret].join(','),
  ];
  return [
    ...piecesOf(secret, PIECE_BYTES),
    ...texts.flatMap((text) => [
      ...piecesOf(Buffer.from(text, 'latin1'), PIECE_BYTES + 4),
      ...piecesOf(Buffer.from(text, 'utf16le'), 2 * (PIECE_BYTES + 4)),
    ]),
  ];
}

async function newBrowserProfile(options: Pick<VisitorOptions, 'needsNoHistory'> = {}): Promise<BrowserProfile> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-profile-'));
  return {
    open: () => openVisitor(dir, options),
    async filesWith(secrets, isMeant = () => true) {
      const forms = secrets.flatMap(formsOf);
      const found: string[] = [];
      for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        if (!isMeant(relative(dir, path))) continue;
        const bytes = await readFile(path).catch(() => null);
        if (bytes && forms.some((form) => bytes.includes(form))) found.push(relative(dir, path));
      }
      return found.sort();
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Where a device stores a folder's key, in real profiles of a real browser, and what "Forget keys" deletes. */

const NOTE = { name: 'landing-place.txt', mimeType: 'text/plain', buffer: Buffer.from('Behind the third lighthouse.') };
const FULL_LINK = /\/f\/[A-Za-z0-9]{16}#k=[A-Za-z0-9_-]{43}$/;

let site: Site;
let browser: Browser;
test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
});

const withoutKey = (link: string) => link.replace(/#.*/, '');
const secretOf = (link: string) => Buffer.from(link.split('#k=')[1] ?? '', 'base64url');
const hashOf = (page: Page) => new URL(page.url()).hash;
const isOpen = (page: Page) => card(page, NOTE.name).getByText('Cached').waitFor();
const isLocked = (page: Page) => page.getByText('No Key', { exact: true }).first().waitFor();
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const sheetOf = (page: Page) => page.getByRole('dialog', { name: /^Share / });
const question = (page: Page) => page.getByRole('alertdialog', { name: 'Forget keys on this device?' });

/** The link that Share copies, for every address. */
async function sharedLink(page: Page): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('s');
  await sheetOf(page).getByText('✓ Copied!').waitFor();
  await page.keyboard.press('Escape');
  await sheetOf(page).waitFor({ state: 'detached' });
  return clipboard(page);
}

const signOut = (page: Page) => page.getByRole('button', { name: 'Sign Out' }).first().click();

async function forget(page: Page): Promise<void> {
  await question(page).getByRole('button', { name: 'Forget Keys' }).click();
  await page.getByText('The keys on this device are forgotten.').waitFor();
}

interface Row {
  readonly ring: { readonly keys: readonly Uint8Array[] };
}

/** The folder keys stored on the page's device. */
async function rememberedKeys(page: Page): Promise<Buffer[]> {
  const keys = await page.evaluate(async () => {
    // Opening a database that doesn't exist would create an empty one.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'satchel-keys')) return [];
    const opening = indexedDB.open('satchel-keys');
    const database = await new Promise<IDBDatabase>((resolve) => {
      opening.onsuccess = () => resolve(opening.result);
    });
    const reading: IDBRequest<Row[]> = database.transaction('keys').objectStore('keys').getAll();
    const rows = await new Promise<Row[]>((resolve) => {
      reading.onsuccess = () => resolve(reading.result);
    });
    database.close();
    return rows.flatMap(({ ring }) => ring.keys.map((key) => [...key]));
  });
  return keys.map((key) => Buffer.from(key));
}

const MOST_VISITED = 'Default/Top Sites';
const inStore = (path: string) => path.includes('.indexeddb.');
/** Chromium rewrites its files in the background. A Chromium that is closed first does so later. */
const untilErased = (profile: BrowserProfile, secrets: readonly Buffer[]) =>
  expect.poll(() => profile.filesWith(secrets, inStore), { interval: 500 }).toEqual([]);

describe('a browser’s profile', () => {
  let profile: BrowserProfile;
  let visitor: Visitor;
  let link: string;
  const open = async () => {
    visitor = await profile.open();
    return visitor.page;
  };
  const close = async () => {
    expect(visitor.problems()).toEqual([]);
    await visitor.close();
  };
  beforeAll(async () => {
    profile = await newBrowserProfile();
  });
  afterEach(() => visitor.close());
  afterAll(() => profile.remove());

  test('holds the key of a folder that was made in it where the site stores keys, and in no other file', async () => {
    const page = await open();
    await signInAs(page, site.url, 'mika');
    await makeFolder(page, site.url, { name: 'Lighthouse', files: [NOTE] });
    expect(hashOf(page)).toBe('');
    await isOpen(page);
    link = await sharedLink(page);
    expect(link).toMatch(FULL_LINK);
    await page.getByRole('button', { name: NOTE.name }).first().click();
    await page.getByRole('dialog', { name: NOTE.name }).waitFor();
    await page.goBack();
    await page.getByRole('dialog', { name: NOTE.name }).waitFor({ state: 'detached' });
    await page.reload();
    await isOpen(page);
    await close();
    const places = await profile.filesWith([secretOf(link)]);
    expect(places.filter((path) => !inStore(path))).toEqual([]);
    // The search finds a secret that is there.
    expect(places.filter(inStore)).not.toEqual([]);
  });

  test('opens the folder again by its bare address, and holds nothing of its key after Forget Keys', async () => {
    const page = await open();
    await page.goto(withoutKey(link));
    await isOpen(page);
    const keys = await rememberedKeys(page);
    expect(keys).toHaveLength(1);
    const secrets = [secretOf(link), ...keys];
    await signOut(page);
    await question(page).getByText('Forget Keys can’t remove').waitFor();
    await forget(page);
    await isLocked(page);
    await untilErased(profile, secrets);
    await close();
    expect(await profile.filesWith(secrets)).toEqual([]);
  });

  test('keeps a typed full link in its history, and the address loses the key', async () => {
    const page = await open();
    await signInAs(page, site.url, 'mika');
    await visit(page, link);
    const steps = await page.evaluate(() => history.length);
    await isOpen(page);
    await expect.poll(() => hashOf(page)).toBe('');
    expect(await page.evaluate(() => history.length)).toBe(steps);
    expect(await sharedLink(page)).toBe(link);
    await page.getByRole('button', { name: NOTE.name }).first().click();
    await page.waitForURL(/file=/);
    expect(hashOf(page)).toBe('');
    await page.goBack();
    await page.waitForURL(withoutKey(link));
    await page.goBack();
    await page.goForward();
    await isOpen(page);
    expect(page.url()).toBe(withoutKey(link));
    await signOut(page);
    await forget(page);
    await untilErased(profile, [secretOf(link)]);
    // Chromium lists the most visited pages again for a new tab, and by itself 15 s after its start and once an hour.
    await (await visitor.context.newPage()).goto('chrome://new-tab-page-third-party');
    await expect
      .poll(() => profile.filesWith([secretOf(link)], (path) => path === MOST_VISITED), { timeout: WAIT_MS })
      .toEqual([MOST_VISITED]);
    await close();
    const places = await profile.filesWith([secretOf(link)]);
    // Records of a visit that the browser keeps and no page can delete: docs/security.md names them.
    const visits = /^(Default\/(History|Favicons|Top Sites|Sessions\/\w+)|segmentation_platform\/ukm_db)$/;
    expect(places).toContain('Default/History');
    expect(places.filter((path) => !visits.test(path))).toEqual([]);
  });
});

test('a visitor’s address keeps the key, which the site stores nowhere, and Share explains it', async () => {
  const folder = await createFolderAs(await signIn(site, 'mika'), site, { name: 'Guest book', files: [NOTE] });
  const link = folder.link();
  const { page, problems, close } = await newVisitor(browser);
  await page.goto(link);
  await isOpen(page);
  expect(page.url()).toBe(link);
  expect(await sharedLink(page)).toBe(link);
  await page.keyboard.press('s');
  await sheetOf(page)
    .getByText(/^You came without signing in, so the key stays in the address/)
    .waitFor();
  expect(await rememberedKeys(page)).toEqual([]);
  expect(problems()).toEqual([]);
  await close();
});

/** Without its deletion, Chromium writes the key and the deletion of the key to one file. It does so at times by itself, too. */
function keepFirstEmptyDatabase(): void {
  const { open, deleteDatabase } = IDBFactory.prototype;
  let kept: string | undefined;
  let isDeleted = false;
  IDBFactory.prototype.open = function (name, version) {
    const isFirst = kept === undefined && name.startsWith('satchel-erasure');
    if (isFirst) kept = name;
    return open.call(this, isFirst ? 'kept' : name, version);
  };
  IDBFactory.prototype.deleteDatabase = function (name) {
    const isFirst = !isDeleted && name === kept;
    isDeleted ||= isFirst;
    return deleteDatabase.call(this, isFirst ? 'none' : name);
  };
}

test('Chromium erases a key, too, that it writes to a file only after the key was deleted', async () => {
  const profile = await newBrowserProfile({ needsNoHistory: true });
  const { page, problems, close, context } = await profile.open();
  try {
    await context.addInitScript(keepFirstEmptyDatabase);
    await signInAs(page, site.url, 'mika');
    const link = await makeFolder(page, site.url, { name: 'Late light', files: [NOTE] });
    await signOut(page);
    await forget(page);
    await untilErased(profile, [secretOf(link)]);
    expect(problems()).toEqual([]);
  } finally {
    await close();
    await profile.remove();
  }
});

describe('in two tabs', () => {
  let person: Visitor;
  let mika: Person;
  beforeAll(async () => {
    person = await newVisitor(browser);
    mika = await signInAs(person.page, site.url, 'mika');
  });
  /** Opens a folder of hers with a note, by its link. */
  async function openNew(name: string): Promise<string> {
    const link = (await createFolderAs(mika, site, { name, files: [NOTE] })).link();
    await person.page.goto(link);
    await isOpen(person.page);
    return link;
  }
  afterAll(async () => {
    expect(person.problems()).toEqual([]);
    await person.close();
  });

  test('keys that one tab forgets disappear from the other tab, its address and its history', async () => {
    const { page, context } = person;
    const link = await openNew('One lamp');
    await signOut(page);
    await question(page).waitFor();
    const other = await context.newPage();
    await other.goto(link);
    await isOpen(other);
    await other.goto(`${link.replace('#', '?tab=info#')}`);
    await other.getByRole('tab', { name: 'Info' }).waitFor();
    expect(hashOf(other)).not.toBe('');
    await forget(page);
    await expect.poll(() => hashOf(other)).toBe('');
    await other.goBack();
    await isLocked(other);
    expect(other.url()).toBe(withoutKey(link));
    await isLocked(page);
    await other.close();
  });
});

test('where the browser stores nothing, the address keeps the key, and the dialog says so', async () => {
  const { page, problems, close, context } = await newVisitor(browser);
  await context.addInitScript(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
  await signInAs(page, site.url, 'mika');
  await page.goto(`${site.url}/upload`);
  await page.getByLabel('Folder name').fill('No shelf');
  await page.getByRole('button', { name: 'Create folder' }).click();
  await page.waitForURL(/\/f\/[A-Za-z0-9]{16}\?upload=true#k=/);
  const { hash } = new URL(page.url());
  await page.reload();
  await page.getByRole('heading', { name: 'No shelf' }).waitFor();
  expect(await sharedLink(page)).toBe(`${withoutKey(page.url()).replace(/\?.*/, '')}${hash}`);
  // A row of the profile links to the bare address, where a reload would lose the key.
  await page.getByRole('link', { name: 'Mika' }).click();
  await page.getByRole('link', { name: 'No shelf' }).click();
  await page.waitForURL((url) => url.hash === hash);
  await signOut(page);
  await question(page)
    .getByText(/^You are signed out\. This browser stores nothing for this site/)
    .waitFor();
  await forget(page);
  expect(hashOf(page)).toBe('');
  expect(problems()).toEqual([]);
  await close();
});
