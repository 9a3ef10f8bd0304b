import type { Browser, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor, visit } from '../support/browser.ts';
import { createFolderAs, type Person } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** How a link is copied without a clipboard, and what it opens once it is revoked. What Share says is apps/web/src/pages/folder/share.test.tsx. */

const NOTE = {
  name: 'meeting-point.txt',
  mimeType: 'text/plain',
  buffer: Buffer.from('At the old bridge, nine o’clock.'),
};

let site: Site;
let browser: Browser;
let mika: Person;
let owner: Visitor;
/** A person without an account: no visit leaves anything for the next one. */
let guest: Visitor;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  [owner, guest] = [await newVisitor(browser), await newVisitor(browser)];
  guest.allow(/status of 404/);
  mika = await signInAs(owner.page, site.url, 'mika');
});
afterAll(async () => {
  expect([...owner.problems(), ...guest.problems()]).toEqual([]);
});

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const sheetOf = (page: Page) => page.getByRole('dialog', { name: /^Share / });
const questionOf = (page: Page, title: string) => page.getByRole('alertdialog', { name: title });
const withoutKey = (link: string) => link.replace(/#.*/, '');
const share = (page: Page) => page.getByRole('button', { name: 'Share', exact: true }).click();

/** A folder of Mika’s with a note; the address of its link is open in her page. */
async function openOwn(name: string): Promise<string> {
  const link = (await createFolderAs(mika, site, { name, files: [NOTE] })).link();
  await owner.page.goto(link);
  return link;
}

async function asGuest(link: string, look: (page: Page) => Promise<void>): Promise<void> {
  await visit(guest.page, link);
  await guest.page.getByRole('button', { name: 'Copy Link' }).waitFor();
  await look(guest.page);
}

const isOpen = (page: Page) => page.getByRole('gridcell').filter({ hasText: NOTE.name }).getByText('Cached').waitFor();
const opensNothing = (link: string) =>
  asGuest(link, async (page) => {
    await page.getByText('No Key', { exact: true }).first().waitFor();
    expect(await page.getByText(NOTE.name).count()).toBe(0);
  });

test('without the clipboard, copying goes through a field; where that fails, the link can be selected', async () => {
  const link = (await createFolderAs(mika, site, { name: 'Bridge walk', files: [NOTE] })).link();
  await asGuest(link, async (page) => {
    await page.evaluate(() => navigator.clipboard.writeText('nothing'));
    await page.evaluate(() => {
      Object.assign(navigator.clipboard, {
        writeText: () => Promise.reject(new DOMException('no', 'NotAllowedError')),
      });
    });
    const copy = page.getByRole('button', { name: /^(Copy Link|✓ Copied!)$/ });
    await copy.click();
    await expect.poll(() => clipboard(page)).toBe(link);
    await page.evaluate(() => Object.assign(document, { execCommand: () => false }));
    await copy.click();
    await page.getByText('The browser did not let us copy. Select the link and copy it by hand.').first().waitFor();
    await sheetOf(page).getByText(new URL(link).hash).click();
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(link);
  });
});

test('revoking needs a confirmation, which states what can’t be undone, and ends the link for later visitors', async () => {
  const { page } = owner;
  const link = await openOwn('Withdrawn');
  await share(page);
  await sheetOf(page).getByRole('button', { name: 'Revoke Link' }).click();
  const question = questionOf(page, 'Revoke the link?');
  await question.getByText('everyone who opened the folder may have kept the key').waitFor();
  await question.getByRole('button', { name: 'Yes, Revoke Link' }).click();
  await sheetOf(page).getByText('It still shows the folder, but people who come now can’t open its files.').waitFor();
  await sheetOf(page).getByRole('link', { name: 'make a new folder' }).waitFor();
  expect(await sheetOf(page).getByRole('radio').count()).toBe(0);
  await page.keyboard.press('Escape');
  await opensNothing(link);
  await guest.page.getByText('The link of this folder was revoked').waitFor();
  // The owner still reads, and uploads nothing more.
  await visit(page, withoutKey(link));
  await isOpen(page);
  await page.getByRole('button', { name: 'Upload File' }).click();
  await page.getByText('This folder takes no further uploads.', { exact: false }).waitFor();
});
