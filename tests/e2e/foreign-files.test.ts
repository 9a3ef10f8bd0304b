import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { beforeEach, describe, expect } from 'vitest';
import { newVisitor, signInAs, test, type Visitor, visit } from '../support/browser.ts';
import { unzip } from '../support/files.ts';
import { changeListing, injectedEntry, type ListedEntry, swapLabels } from '../support/listings.ts';
import { createFolderAs } from '../support/people.ts';
import type { Site } from '../support/site.ts';

/** Entries in an encrypted folder's list that its keys don't authenticate (CONTAINER §6), as people see them. */

const NAMES = ['first.txt', 'second.txt', 'third.txt'] as const;
const INJECTED = 'invoice_1763750000000_abcdefgh.html';
const UNLABELLED = 'q8Zr2mVb4Kp0Ws9x_1763750000000_abcdefgh.enc';
const UNKNOWN = 'Unknown file';

let site: Site;
let browser: Browser;
let owner: Visitor;
let friend: Visitor;
let link: string;
let asked: string[];

const textOf = (name: string) => `${name}: ${'x'.repeat(200)}`;
const textFile = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(textOf(name)) });
const grid = (page: Page) => page.getByRole('grid', { name: 'Files' });
const cells = (page: Page) => grid(page).getByRole('gridcell');
const cell = (page: Page, name: string) => cells(page).filter({ hasText: name });
const notice = (page: Page) => page.getByRole('complementary', { name: 'Not from this folder' });
/** Two entries with each other's labels, an entry that was never sealed, and one without a label. */
const spoil = (entries: readonly ListedEntry[]) => [
  ...swapLabels(entries),
  injectedEntry(INJECTED),
  injectedEntry(UNLABELLED),
];

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  owner = await newVisitor(browser);
  friend = await newVisitor(browser);
  const person = await signInAs(owner.page, site.url, 'mika');
  link = (await createFolderAs(person, site, { name: 'Given back', files: NAMES.map(textFile) })).link();
  friend.page.on('request', (request) => asked.push(request.url()));
});
beforeEach(() => {
  asked = [];
});

async function upload(page: Page, name: string): Promise<void> {
  await page.getByLabel('Choose files').setInputFiles([textFile(name)]);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await cell(page, name).waitFor();
}

/** A fresh visit, with no file opened. */
async function visitFolder({ page }: Visitor, address = link): Promise<void> {
  await visit(page, address);
  await cells(page).first().waitFor();
}

describe('for a visitor with the link', () => {
  test('entries that the keys don’t authenticate have no name, picture or action, and the folder counts them', async () => {
    const { page } = friend;
    const undo = await changeListing(page, spoil);
    await visitFolder(friend);
    await cell(page, 'third.txt').getByText('Cached').waitFor();
    expect(await cells(page).count()).toBe(5);
    expect(await cell(page, UNKNOWN).getByText('Not from this folder').count()).toBe(4);
    await notice(page).getByText('4 files do not open with this link.').waitFor();
    for (const foreign of await cell(page, UNKNOWN).all()) {
      expect(await foreign.getByRole('button').count()).toBe(1);
      expect(await foreign.getByRole('checkbox').count()).toBe(0);
      await foreign.getByRole('button', { name: UNKNOWN }).click({ force: true });
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(asked.filter((url) => url.includes('/object/public/'))).toHaveLength(1);
    expect(await page.content()).not.toContain('invoice');
    await page.keyboard.press('Control+A');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Escape');
    undo();
  });

  test('“Download all” leaves them out and says so', async () => {
    const { page } = friend;
    const undo = await changeListing(page, spoil);
    await visitFolder(friend);
    await cell(page, 'third.txt').getByText('Cached').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all' }).click(),
    ]);
    expect(await download.failure()).toBeNull();
    const members = unzip(await readFile(await download.path()));
    expect(members.map(({ name, bytes }) => [name, String(bytes)])).toEqual([['third.txt', textOf('third.txt')]]);
    await page.getByText('Given back.zip is saved, without 4 files that are not from this folder').waitFor();
    undo();
  });

  test('a file swapped for another of the folder does not show under its name', async () => {
    const { page } = friend;
    let others = '';
    const undo = await changeListing(page, (entries) => {
      others = entries.at(1)?.name ?? '';
      return entries;
    });
    await page.route(/object\/public\//, async (route) => {
      const address = route
        .request()
        .url()
        .replace(/[^/]+$/, encodeURIComponent(others));
      await route.fulfill({ response: await route.fetch({ url: address }) });
    });
    await visitFolder(friend);
    await cell(page, 'second.txt').getByText('Cached').waitFor();
    for (const name of ['first.txt', 'third.txt']) await cell(page, name).getByText('Not from this folder').waitFor();
    await notice(page).getByText('2 files do not open with this link.').waitFor();
    await page.unroute(/object\/public\//);
    undo();
    await visitFolder(friend);
    for (const name of NAMES) await cell(page, name).getByText('Cached').waitFor();
    expect(await notice(page).count()).toBe(0);
  });

  test('without a key nothing is authenticated, and an unsealed file is still foreign', async () => {
    const { page } = friend;
    const undo = await changeListing(page, (entries) => [...entries, injectedEntry(INJECTED)]);
    await visitFolder(friend, link.replace(/#.*/, ''));
    await notice(page).getByText('1 file does not open with this link.').waitFor();
    expect(await cells(page).getByText('No Key', { exact: true }).count()).toBe(3);
    undo();
    expect(friend.problems()).toEqual([]);
  });
});

describe('the owner', () => {
  test('sees nothing of a file that was opened once the list has something else in its place', async () => {
    const { page } = owner;
    await visitFolder(owner);
    for (const name of NAMES) await cell(page, name).getByText('Cached').waitFor();
    const undo = await changeListing(page, (entries) =>
      entries.length > NAMES.length ? swapLabels(entries) : entries,
    );
    await page
      .getByRole('button', { name: /^Upload/ })
      .first()
      .click();
    await upload(page, 'fourth.txt');
    await notice(page).getByText('2 files do not open with this link.').waitFor();
    await cell(page, 'fourth.txt').getByText('Cached').waitFor();
    for (const name of NAMES.slice(0, 2)) expect(await cell(page, name).count()).toBe(0);
    expect(await cell(page, UNKNOWN).locator('img, video').count()).toBe(0);
    undo();
  });

  test('selects and deletes foreign files', async () => {
    const { page } = owner;
    let foreign: ListedEntry | undefined;
    const undo = await changeListing(page, (entries) => {
      foreign ??= swapLabels(entries)[0];
      return entries.map((entry) => (foreign?.id === entry.id ? foreign : entry));
    });
    await visitFolder(owner);
    // A note above the cards, and pictures on them, would move the box away under the pointer.
    await notice(page).waitFor();
    await expect.poll(() => cells(page).getByText('Cached').count()).toBe(3);
    await cell(page, UNKNOWN).getByRole('checkbox').check({ force: true });
    const bar = page.getByRole('group', { name: 'Selection' });
    await bar.getByText('1 selected').waitFor();
    expect(await bar.getByRole('button', { name: 'Download' }).count()).toBe(0);
    await bar.getByRole('button', { name: 'Delete' }).click();
    const answer = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Yes, Delete File' }).click();
    await expect.poll(() => cell(page, UNKNOWN).count()).toBe(0);
    // The card disappears before the server answers.
    expect((await answer).ok()).toBe(true);
    undo();
    await visitFolder(owner);
    await cell(page, 'second.txt').waitFor();
    expect(await cells(page).count()).toBe(3);
    expect(owner.problems()).toEqual([]);
  });
});
