import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { authorize, card, inOrder, newVisitor, signInAs, test, type Visitor, visit } from '../support/browser.ts';
import { randomBytesOf } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { createFolderAs, type Person } from '../support/people.ts';
import { type Site, startSite } from '../support/site.ts';

/**
 * /profile (§2, §9), and export and deletion of the person's own data. One story, in order. What the page says of an
 * account alone is held in apps/web/src/pages/profile.test.tsx.
 */

const NOTES = 'travel-notes.txt';
const FILES = [
  { name: NOTES, mimeType: 'text/plain', buffer: Buffer.from('The ferry leaves at nine.\n') },
  { name: 'world-save.bin', mimeType: 'application/octet-stream', buffer: randomBytesOf(1024 ** 2) },
];

let site: Site;
let browser: Browser;

test.beforeAll(async ({ chromium }) => {
  site = await startSite();
  browser = chromium;
});
inOrder();
afterAll(async () => {
  await site.stop();
});

interface KeptKey {
  readonly key?: unknown;
}

/** Number of folder keys in the browser. */
const keysHere = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    // Opening a database that doesn't exist would create an empty one.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'satchel-keys')) return 0;
    const opened = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await opened(indexedDB.open('satchel-keys'));
    const rows = (await opened(database.transaction('keys').objectStore('keys').getAll())) as KeptKey[];
    database.close();
    return rows.length;
  });

/** The stored files of bytes and of key shares on the server. */
async function storedFiles(): Promise<string[]> {
  const inside = (place: string) => readdir(join(site.dataDir, place), { recursive: true, withFileTypes: true });
  const entries = [...(await inside('blobs')), ...(await inside('keys'))];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

const row = (page: Page, name: string) =>
  page
    .getByRole('region', { name: /My Folders/ })
    .getByRole('listitem')
    .filter({ hasText: name });

describe('the profile', () => {
  let ava: Person;
  let owner: Visitor;
  let friend: Visitor;
  let link: string;

  beforeAll(async () => {
    [owner, friend] = await Promise.all([newVisitor(browser), newVisitor(browser)]);
    ava = await signInAs(owner.page, site.url, 'ava');
    link = (await createFolderAs(ava, site, { name: 'Kept private', files: FILES })).link();
    // This device knows its key from now on.
    await owner.page.goto(link);
    await card(owner.page, NOTES).waitFor();
  });
  afterAll(() => Promise.all([owner.close(), friend.close()]));

  test('shows banner, avatar, names and badges as Discord gave them', async () => {
    const { page } = owner;
    await visit(page, `${site.url}/profile`);
    await page.getByRole('heading', { name: 'Ava Lindqvist' }).waitFor();
    const main = page.locator('main');
    expect(await main.locator('header').getByText('Early Supporter').count()).toBe(1);
    const badges = await page.getByRole('region', { name: 'Badges' }).getByRole('listitem').allTextContents();
    expect(badges).toEqual([
      'HypeSquad Events',
      'House Bravery',
      'Early Supporter',
      'Early Bot Developer',
      'Active Developer',
    ]);
    await page.getByText('@ava.sandbox').first().waitFor();
    await page.getByText('#8f5bd6').waitFor();
    const pictures = main.locator('img');
    await expect.poll(() => pictures.count()).toBe(2);
    const widths = () =>
      pictures.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth > 0));
    await expect.poll(widths).toEqual([true, true]);
    const avatar = pictures.nth(1);
    expect(await avatar.getAttribute('src')).toMatch(/\.gif/);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expect.poll(() => avatar.getAttribute('src')).toMatch(/\.png/);
    await expect.poll(widths).toEqual([true, true]);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
  });

  test('lists the sessions, and ends one', async () => {
    const people = [await newVisitor(browser), await newVisitor(browser), await newVisitor(browser)];
    const [here, lost, another] = people as [Visitor, Visitor, Visitor];
    for (const { page } of [lost, another]) await signInAs(page, site.url, 'jonas');
    const { page } = here;
    await page.goto(`${site.url}/auth`);
    await page.getByRole('button', { name: 'Continue with Discord' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(/^Authentication failed: \S+/).waitFor();
    await page.getByRole('link', { name: 'Try Again' }).click();
    await authorize(page, site.url, 'Jonas');
    await page.getByRole('link', { name: 'Jonas' }).click();
    const list = page.getByRole('region', { name: 'Where you’re signed in' });
    await list.getByText('This one').waitFor();
    expect(await list.getByRole('listitem').count()).toBe(3);
    await list.getByRole('button', { name: 'Sign out there' }).first().click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
    await list.getByRole('button', { name: 'Sign out everywhere else' }).click();
    const question = page.getByRole('alertdialog', { name: 'Sign out everywhere else?' });
    await question.getByRole('button', { name: 'Yes, Sign Out' }).click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    for (const elsewhere of [lost, another]) {
      await elsewhere.page.goto(`${site.url}/profile`);
      await elsewhere.page.getByRole('heading', { name: 'Authentication Required' }).waitFor();
    }
    await list.getByRole('button', { name: 'Sign Out' }).click();
    await page.getByRole('heading', { name: 'Authentication Required' }).waitFor();
    expect(people.flatMap((person) => person.problems())).toEqual([]);
    await Promise.all(people.map((person) => person.close()));
  });

  test('lists folders with live counts, and copies the full link', async () => {
    const { page } = owner;
    await page.getByRole('heading', { name: 'My Folders (1)' }).waitFor();
    const kept = row(page, 'Kept private');
    expect(await kept.textContent()).toMatch(/2 files · 1\.0\d MB stored.*Private/);
    await kept.getByRole('button', { name: 'Copy link' }).click();
    await kept.getByRole('button', { name: '✓ Copied!' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  });

  test('deletes a folder after a confirmation', async () => {
    const { page } = owner;
    const unwanted = await createFolderAs(ava, site, { name: 'Not wanted', files: FILES });
    await visit(page, unwanted.link());
    await card(page, NOTES).waitFor();
    await expect.poll(() => keysHere(page)).toBe(2);
    await visit(page, `${site.url}/profile`);
    await row(page, 'Not wanted').getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete this folder?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row(page, 'Not wanted').getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Yes, Delete Forever' }).click();
    await row(page, 'Not wanted').waitFor({ state: 'detached' });
    await row(page, 'Kept private').waitFor();
    expect(await keysHere(page)).toBe(1);
    // Two files and a key share: those of the remaining folder.
    expect(await storedFiles()).toHaveLength(3);
  });

  test('exports everything as JSON, without keys and secrets', async () => {
    const { page, context } = owner;
    await visit(friend.page, link);
    await card(friend.page, NOTES).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export my data' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^satchel-export-\d{4}-\d\d-\d\d\.json$/);
    const text = await readFile(await download.path(), 'utf8');
    const data = JSON.parse(text);
    expect(data.profile).toMatchObject({ discord_username: 'ava.sandbox', email: 'ava@sandbox.example' });
    expect(data.folders.map((folder: { name: string }) => folder.name)).toContain('Kept private');
    expect(data.folders.flatMap((folder: { files: unknown[] }) => folder.files)).toHaveLength(2);
    const [, secret = ''] = link.split('#k=');
    expect(secret).toHaveLength(43);
    expect(text).not.toContain(secret);
    for (const { value } of await context.cookies()) expect(text).not.toContain(value);
    expect(text).not.toMatch(/api_token|key_share|sealed_key|access_token|token_hash/);
  });

  test('deletes nothing without the word', async () => {
    const { page } = owner;
    await page.getByRole('button', { name: 'Erase my data' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Erase everything?' });
    await dialog.getByText('every folder key on this device').waitFor();
    expect(await dialog.getByRole('button', { name: 'Yes, Erase Everything' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'Kept private').waitFor();
  });

  test('deletes everything at once, and signs out in every tab', async () => {
    const { page, context } = owner;
    const secondTab = await context.newPage();
    await secondTab.goto(`${site.url}/upload`);
    await secondTab.getByLabel('Folder name').waitFor();
    await page.getByRole('button', { name: 'Erase my data' }).click();
    await page.getByLabel('Type ERASE to confirm').fill('ERASE');
    await page.getByRole('button', { name: 'Yes, Erase Everything' }).click();
    await page.getByRole('heading', { name: 'Your data is erased' }).waitFor();
    await page.getByRole('link', { name: 'Sign In' }).waitFor();
    await secondTab.getByText('Authentication Required').waitFor();
    await secondTab.close();
    expect(await keysHere(page)).toBe(0);
    expect(await context.cookies()).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('leaves no files, key shares or folder', async () => {
    friend.allow(/404/);
    await visit(friend.page, link);
    await friend.page.getByRole('heading', { name: 'Folder Not Found' }).waitFor();
    expect(await storedFiles()).toEqual([]);
    await signInAs(owner.page, site.url, 'ava');
    await owner.page.goto(`${site.url}/profile`);
    await owner.page.getByRole('heading', { name: 'My Folders (0)' }).waitFor();
    await owner.page.getByText('0 Bytes of 1.00 GB').waitFor();
  });

  test('no browser reported an error', () => {
    expect(owner.problems()).toEqual([]);
    expect(friend.problems()).toEqual([]);
  });
});
