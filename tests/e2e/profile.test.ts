import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { card, newVisitor, signInAs, type Visitor, visit } from '../support/browser.ts';
import { randomBytesOf } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { createFolderAs } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/**
 * Export and deletion of the person's own data. One story, in order. What the page says and asks is held in
 * apps/web/src/pages/profile.test.tsx.
 */

const NOTES = 'travel-notes.txt';
const FILES = [
  { name: NOTES, mimeType: 'text/plain', buffer: Buffer.from('The ferry leaves at nine.\n') },
  { name: 'world-save.bin', mimeType: 'application/octet-stream', buffer: randomBytesOf(1024 ** 2) },
];

let site: Site;
let browser: Browser;

test.beforeAll(({ place }) => {
  ({ site, browser } = place);
});
inOrder();

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

describe('the profile', () => {
  let owner: Visitor;
  let link: string;

  beforeAll(async () => {
    owner = await newVisitor(browser);
    const ava = await signInAs(owner.page, site.url, 'ava');
    link = (await createFolderAs(ava, site, { name: 'Kept private', files: FILES })).link();
    // This device knows its key from now on.
    await owner.page.goto(link);
    await card(owner.page, NOTES).waitFor();
  });
  afterAll(() => owner.close());

  test('lists folders with live counts, and copies the full link', async () => {
    const { page } = owner;
    await visit(page, `${site.url}/profile`);
    const kept = page
      .getByRole('region', { name: 'My Folders (1)' })
      .getByRole('listitem')
      .filter({ hasText: 'Kept private' });
    await kept.getByText(/2 files · 1\.0\d MB stored/).waitFor();
    await kept.getByRole('button', { name: 'Copy link' }).click();
    await kept.getByRole('button', { name: '✓ Copied!' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  });

  test('exports everything as JSON', async () => {
    const { page } = owner;
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export my data' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^satchel-export-\d{4}-\d\d-\d\d\.json$/);
    const data = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(data.profile).toMatchObject({ discord_username: 'ava.sandbox', email: 'ava@sandbox.example' });
    expect(data.folders.map((folder: { name: string }) => folder.name)).toContain('Kept private');
    expect(data.folders.flatMap((folder: { files: unknown[] }) => folder.files)).toHaveLength(2);
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
    await secondTab.getByRole('heading', { name: 'Sign in to create a folder' }).waitFor();
    await secondTab.close();
    expect(await keysHere(page)).toBe(0);
    expect(await context.cookies()).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('the browser reported no error', () => {
    expect(owner.problems()).toEqual([]);
  });
});
