import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser/browser.ts';
import { test } from '../support/browser/shared.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import type { Person } from '../support/people/client.ts';
import { createFolderAs } from '../support/people/made-folders.ts';
import { type Site, startSite } from '../support/site/site.ts';

/** The limits of an account, as its owner sees them. One story, in order. */

const fileNamed = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`this is ${name}`) });
const names = (page: Page) =>
  page.getByRole('list', { name: 'Files to upload' }).getByRole('listitem').locator('p:first-child').allTextContents();

describe('at the caps', () => {
  let site: Site;
  let browser: Browser;
  let mika: Person;
  let owner: Visitor;
  let page: Page;

  test.beforeAll(async ({ chromium }) => {
    site = await startSite({ env: { MAX_FOLDER_FILES: '3', MAX_OPEN_FOLDERS: '2' } });
    browser = chromium;
    owner = await newVisitor(browser);
    owner.allow(/Failed to load resource: the server responded with a status of 4(09|13)/);
    page = owner.page;
    mika = await signInAs(page, site.url, 'mika');
  });
  afterAll(async () => {
    await site?.stop();
  });

  const refused = () => page.getByRole('region', { name: 'Files that were not added' });

  test('files beyond a folder’s limit are refused with the reason before they start, by the queue and by the stored files', async () => {
    const small = await createFolderAs(mika, site, { name: 'Small', files: [fileNamed('first.txt')] });
    await page.goto(small.link());
    await page.getByRole('gridcell').filter({ hasText: 'first.txt' }).waitFor();
    await page.getByRole('button', { name: 'Upload File' }).click();
    const many = Array.from({ length: 150 }, (_, index) => fileNamed(`part ${index + 1}.txt`));
    await page.getByLabel('Choose files').setInputFiles(many);
    await refused().getByText('148 files were not added').waitFor();
    await refused().getByText('part 3.txt: A folder holds at most 3 files').waitFor();
    await refused().getByText('and 128 more').waitFor();
    expect(await names(page)).toEqual(['part 1.txt', 'part 2.txt']);
    expect(await axeViolations(page)).toEqual([]);
    await refused().getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Upload 2 files' }).click();
    await page.getByText('2 completed').waitFor();
    // The list may be read between the ends of the two uploads.
    for (const name of ['part 1.txt', 'part 2.txt']) {
      await page.getByRole('gridcell').filter({ hasText: name }).waitFor();
    }
    await page.getByLabel('Choose files').setInputFiles(fileNamed('fourth.txt'));
    await refused().getByText('fourth.txt: A folder holds at most 3 files').waitFor();
  });

  test('when another tab was faster, the server refuses the file with the same reason', async () => {
    const link = (await createFolderAs(mika, site, { name: 'Shared place' })).link();
    await page.goto(link);
    await page.getByLabel('Choose files').setInputFiles(['a', 'b', 'c'].map((name) => fileNamed(`${name}.txt`)));
    const other = await owner.context.newPage();
    await other.goto(link);
    await other.getByLabel('Choose files').setInputFiles(fileNamed('quicker.txt'));
    await other.getByRole('button', { name: 'Upload 1 file' }).click();
    await other.getByText('1 completed').waitFor();
    await other.close();
    await page.getByRole('button', { name: 'Upload 3 files' }).click();
    await page.getByText('2 completed').waitFor();
    const rows = page.getByRole('list', { name: 'Files to upload' }).getByRole('listitem');
    await rows.getByText('Error: A folder holds at most 3 files').waitFor();
  });

  test('at the folder limit, the form shows the reason, keeps its values, and links to the profile', async () => {
    await page.goto(`${site.url}/upload`);
    await page.getByRole('textbox', { name: 'Folder name' }).fill('One too many');
    await page.getByRole('button', { name: /^Create folder$/i }).click();
    await page
      .locator('form')
      .getByText('You have 2 folders, which is as many as an account may have. Delete one, or wait until one expires')
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const opening = owner.context.waitForEvent('page');
    await page.getByRole('link', { name: 'My folders (new tab)' }).click();
    const profile = await opening;
    await profile.getByRole('heading', { name: 'My Folders (2)' }).waitFor();
    await profile.getByRole('listitem').filter({ hasText: 'Small' }).getByRole('button', { name: 'Delete' }).click();
    await profile.getByRole('alertdialog').getByRole('button', { name: 'Yes, Delete Forever' }).click();
    await profile.getByRole('heading', { name: 'My Folders (1)' }).waitFor();
    await profile.close();
    await page.getByRole('button', { name: /^Create folder$/i }).click();
    await page.getByRole('heading', { name: 'One too many' }).waitFor();
    expect(owner.problems()).toEqual([]);
  });
});
