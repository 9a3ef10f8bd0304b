import type { Browser } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor, visit } from '../support/browser.ts';
import { createFolderAs } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** What a person came for is on the first screen of a phone. */

const SCREEN = { width: 390, height: 844 };
const photo = (at: number) => ({ name: `photo ${at + 1}.txt`, mimeType: 'text/plain', buffer: Buffer.from(`${at}`) });
const PHOTOS = Array.from({ length: 60 }, (_, at) => photo(at));

let site: Site;
let browser: Browser;
let owner: Visitor;
let guest: Visitor;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  [owner, guest] = [await newVisitor(browser, SCREEN), await newVisitor(browser, SCREEN)];
});
afterAll(async () => {
  expect([...owner.problems(), ...guest.problems()]).toEqual([]);
});

test('Create Folder is at hand, however many files were chosen; the list is folded until all are asked for', async () => {
  const { page } = owner;
  await signInAs(page, site.url, 'mika');
  await visit(page, `${site.url}/upload`);
  await page.locator('input[type=file]').first().setInputFiles(PHOTOS);
  await page.getByText('60 files selected').waitFor();
  const button = page.getByRole('button', { name: 'Create Folder' });
  const bottom = async () => {
    const box = await button.boundingBox();
    return box ? box.y + box.height : Number.POSITIVE_INFINITY;
  };
  expect(await page.evaluate(() => scrollY)).toBe(0);
  expect(await bottom()).toBeLessThanOrEqual(SCREEN.height);
  const rows = page.getByRole('list', { name: 'Files to upload' }).getByRole('listitem');
  expect(await rows.count()).toBe(3);
  await page.getByRole('button', { name: 'Show all 60 files' }).click();
  await expect.poll(() => rows.count()).toBeGreaterThan(3);
  expect(await bottom()).toBeLessThanOrEqual(SCREEN.height);
});

test('a visitor’s first file is above the fold', async () => {
  const mika = await signInAs(owner.page, site.url, 'mika');
  const link = (await createFolderAs(mika, site, { name: 'Bridge walk', files: PHOTOS.slice(0, 3) })).link();
  const { page } = guest;
  await visit(page, link);
  const first = page.getByRole('gridcell').first();
  await first.getByText('photo 1.txt').waitFor();
  const box = await first.boundingBox();
  expect(box && box.y + box.height).toBeLessThanOrEqual(SCREEN.height);
});
