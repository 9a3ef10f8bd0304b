import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { newVisitor, signInAs, signInByHand, type Visitor } from '../support/browser/browser.ts';
import { card, visit } from '../support/browser/folder-page.ts';
import { test } from '../support/browser/shared.ts';
import { callAs, makeFolder } from '../support/browser/world.ts';
import { randomBytesOf } from '../support/files/samples.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { tellInOrder } from '../support/people/story.ts';
import { type Site, startSite } from '../support/site/site.ts';

/** /profile (§2, §9), and export and deletion of the person's own data. One story, in order. */

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
tellInOrder();
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
  let owner: Visitor;
  let friend: Visitor;
  let link: string;

  beforeAll(async () => {
    [owner, friend] = await Promise.all([newVisitor(browser), newVisitor(browser)]);
    await signInAs(owner.page, site.url, 'ava');
    link = await makeFolder(owner.page, site.url, { name: 'Kept private', files: FILES });
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

  test('states what an account lacks, and shows an old name with its number', async () => {
    for (const [name, texts] of [
      ['otto', ['None on Discord', '@otto.sandbox']],
      ['lena', ['lena#1234']],
    ] as const) {
      const person = await newVisitor(browser);
      await signInAs(person.page, site.url, name);
      await person.page.goto(`${site.url}/profile`);
      for (const text of texts) await person.page.getByText(text).first().waitFor();
      await person.page.getByText('No folders yet').waitFor();
      await person.page.getByRole('link', { name: 'Create First Folder' }).waitFor();
      expect(person.problems()).toEqual([]);
      await person.close();
    }
  });

  test('loads, fails with an error text, and loads again', async () => {
    const person = await newVisitor(browser);
    const { page } = person;
    await page.goto(`${site.url}/profile`);
    await page.getByRole('heading', { name: 'Authentication Required' }).waitFor();
    await signInByHand(page, site.url, 'otto');
    person.allow(/500|401/);
    const answers = [
      [500, '', 'Failed to load profile data'],
      [401, 'auth.required', 'Authentication required'],
      [500, 'unexpected', 'An unexpected error occurred'],
    ] as const;
    for (const [status, code, text] of answers) {
      const asked = Promise.withResolvers<void>();
      await page.route('**/rest/v1/profiles/me', async (route) => {
        await asked.promise;
        await route.fulfill({ status, json: code ? { error: { code, params: {}, message: '' } } : {} });
      });
      await visit(page, `${site.url}/profile`);
      await page.getByText('Loading profile...').waitFor();
      asked.resolve();
      await page.getByRole('heading', { name: 'Error Loading Profile' }).waitFor();
      await page.getByText(text).waitFor();
      await page.unroute('**/rest/v1/profiles/me');
    }
    await page.getByRole('button', { name: 'Try Again' }).click();
    for (const name of ['Account Details', 'Discord Profile']) await page.getByRole('heading', { name }).waitFor();
    expect(person.problems()).toEqual([]);
    await person.close();
  });

  test('lists the sessions, and ends one', async () => {
    const people = [await newVisitor(browser), await newVisitor(browser), await newVisitor(browser)];
    const [here, lost, another] = people as [Visitor, Visitor, Visitor];
    for (const { page } of [lost, another, here]) await signInByHand(page, site.url, 'Jonas');
    const { page } = here;
    await page.goto(`${site.url}/profile`);
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
    expect(await kept.textContent()).toMatch(/2 files · 1\.0\d MB.*Private/);
    await kept.getByRole('button', { name: 'Copy link' }).click();
    await kept.getByRole('button', { name: '✓ Copied!' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  });

  test('shows a folder that ends on screen as expired', async () => {
    const { page } = owner;
    await callAs(page, 'create_folder_with_temp_key', { folder_name: 'Short-lived', expires_in_hours: 10 / 3600 });
    await visit(page, `${site.url}/profile`);
    await row(page, 'Short-lived').getByText('Public').waitFor();
    await row(page, 'Short-lived').getByText('Expired').waitFor();
    expect(await row(page, 'Short-lived').getByRole('button').count()).toBe(0);
  });

  test('deletes a folder after a confirmation', async () => {
    const { page } = owner;
    await makeFolder(page, site.url, { name: 'Not wanted', files: FILES });
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
    expect(await axeViolations(page)).toEqual([]);
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
    await owner.page.getByText('0 Bytes of 1GB').waitFor();
  });

  test('no browser reported an error', () => {
    expect(owner.problems()).toEqual([]);
    expect(friend.problems()).toEqual([]);
  });
});
