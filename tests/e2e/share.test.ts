import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { chooseOpener, fullLinkOf, newVisitor, signInAs, type Visitor, visit } from '../support/browser.ts';
import { createFolderAs, type Person } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** What the links of a folder open for others, as they are copied and changed. What Share says is apps/web/src/pages/folder/share.test.tsx. */

const NOTE = {
  name: 'meeting-point.txt',
  mimeType: 'text/plain',
  buffer: Buffer.from('At the old bridge, nine o’clock.'),
};
const PASSPHRASE = 'four brass lanterns';
/** The copied link, with its key. */
const FULL_LINK = /^http:\/\/127\.0\.0\.1:\d+\/f\/[A-Za-z0-9]{16}#k=[A-Za-z0-9_-]{43}$/;

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
const opens = (link: string) => asGuest(link, (page) => page.getByText(NOTE.name).first().waitFor());
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

test('the Discord link opens the folder without a key while it is on, and leaves no dead link in the history', async () => {
  const { page } = owner;
  const link = await openOwn('For the server');
  await isOpen(page);
  const steps = () => page.evaluate(() => history.length);
  const before = await steps();
  const asked: string[] = [];
  const listen = (request: Request) => void asked.push(new URL(request.url()).pathname);
  page.on('request', listen);
  await share(page);
  await chooseOpener(sheetOf(page), 'discord');
  const on = questionOf(page, 'Turn the Discord link on?');
  await on.getByText('Our server can read these files while this is on.').waitFor();
  await on.getByRole('button', { name: 'Cancel' }).click();
  await on.waitFor({ state: 'detached' });
  await opensNothing(withoutKey(link));

  await chooseOpener(sheetOf(page), 'discord');
  await on.getByRole('button', { name: 'Turn On' }).click();
  await sheetOf(page).getByText('The Discord link is on.').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  await opens(withoutKey(link));

  await chooseOpener(sheetOf(page), 'private');
  const off = questionOf(page, 'Make the link private again?');
  await off.getByText(/may have kept the key/).waitFor();
  await off.getByRole('button', { name: 'Make Private' }).click();
  await sheetOf(page).getByText('This link contains the key.').waitFor();
  await expect.poll(() => fullLinkOf(page)).toMatch(FULL_LINK);
  const next = await fullLinkOf(page);
  expect(next).not.toBe(link);
  expect(new URL(page.url()).hash).toBe('');
  expect(await steps()).toBe(before);
  // By a change of the link, the page asks for no key.
  expect(asked.filter((path) => path.startsWith('/bot/'))).toEqual([]);
  page.off('request', listen);
  await page.keyboard.press('Escape');
  await isOpen(page);
  await opens(next);
  await opensNothing(withoutKey(link));
  await guest.page.getByText('This address has no key').waitFor();
  await opensNothing(link);
  await guest.page.getByText('This link does not open this folder').waitFor();
  await visit(page, link);
  await isOpen(page);
  await page.getByText('The files open anyway, because this device remembers the key.').waitFor();
});

test('a passphrase is set, changed and removed; each time a new link replaces the old one', async () => {
  const { page } = owner;
  const link = await openOwn('Under seal');
  await share(page);
  const sheet = sheetOf(page);
  await sheet.getByRole('button', { name: 'Set passphrase' }).click();
  await sheet.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await page.keyboard.press('Enter');
  await sheet.getByText('This link needs the passphrase, too.').waitFor();
  const sealed = await fullLinkOf(page);
  expect(sealed).not.toBe(link);
  await opensNothing(link);
  await asGuest(sealed, async (stranger) => {
    await stranger.getByText('This folder needs a passphrase').waitFor();
    await stranger.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await stranger.keyboard.press('Enter');
    await stranger.getByText(NOTE.name).first().waitFor();
  });

  await sheet.getByRole('button', { name: 'Change passphrase' }).click();
  await sheet.getByLabel('New passphrase').fill('five copper bells');
  await sheet.getByRole('button', { name: 'Change', exact: true }).click();
  await expect.poll(() => fullLinkOf(page)).not.toBe(sealed);

  await sheet.getByRole('button', { name: 'Remove passphrase' }).click();
  const question = questionOf(page, 'Remove the passphrase?');
  await question.getByRole('button', { name: 'Remove', exact: true }).click();
  await sheet.getByText('This link contains the key.').waitFor();
  await opens(await fullLinkOf(page));
  await opensNothing(sealed);
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
