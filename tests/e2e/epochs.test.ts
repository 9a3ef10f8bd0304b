import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { chooseOpener, makeNewLink, newVisitor, signInAs, type Visitor, visit } from '../support/browser.ts';
import { createFolderAs, type OwnedFolder, type Person } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Keys change with the link: which device and tab has which key, and which files it opens (docs/container.md §6). */

const textFile = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`This is ${name}.`) });
const EARLY = textFile('early.txt');
const LATE = textFile('late.txt');

let site: Site;
let browser: Browser;
let person: Person;
let owner: Visitor;
/** A person without an account: no visit leaves anything for the next one. */
let guest: Visitor;
let page: Page;
let folder: OwnedFolder;
let link: string;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  [owner, guest] = await Promise.all([newVisitor(browser), newVisitor(browser)]);
  page = owner.page;
  person = await signInAs(page, site.url, 'mika');
  guest.allow(/status of 404/);
});
beforeEach(async () => {
  folder = await createFolderAs(person, site, { name: 'Two chapters', files: [EARLY] });
  link = folder.link();
});
afterAll(async () => {
  for (const visitor of [owner, guest]) expect(visitor.problems()).toEqual([]);
});

const withoutKey = (address: string) => address.replace(/[?#].*/, '');
const question = (of: Page) => of.getByLabel('Question before uploading');
const shows = (of: Page, { name }: { name: string }) => of.getByText(name).first().waitFor();

async function openZone(of: Page): Promise<void> {
  const choose = of.getByLabel('Choose files');
  if ((await choose.count()) === 0) await of.getByRole('button', { name: 'Upload File' }).click();
  await choose.first().waitFor({ state: 'attached' });
}

async function choose(of: Page, file: typeof EARLY): Promise<void> {
  await openZone(of);
  await of.getByLabel('Choose files').setInputFiles([file]);
  await of.getByRole('button', { name: 'Upload 1 file' }).click();
}

async function upload(of: Page, file: typeof EARLY): Promise<void> {
  await choose(of, file);
  await of.getByText('1 completed').waitFor();
}

/** A device that has not seen the folder. */
async function withDevice(persona: 'mika' | 'jonas', look: (device: Page) => Promise<void>): Promise<void> {
  const device = await newVisitor(browser);
  await signInAs(device.page, site.url, persona);
  await look(device.page);
  expect(device.problems()).toEqual([]);
  await device.close();
}

async function showGuest(address: string): Promise<void> {
  await visit(guest.page, address);
  for (const file of [EARLY, LATE]) await shows(guest.page, file);
}

describe('a new link', () => {
  test('opens all files; the old one opens none, nor does the page of a person who had the folder open', async () => {
    await withDevice('jonas', async (reader) => {
      await reader.goto(link);
      await shows(reader, EARLY);
      await visit(page, link);
      const next = await makeNewLink(page);
      expect(next).not.toBe(link);
      // The owner's own page takes the new labels at once.
      expect(await page.getByText('Not from this folder').count()).toBe(0);
      await shows(page, EARLY);
      await upload(page, LATE);
      for (const address of [null, withoutKey(link), link]) {
        if (address !== null) await visit(reader, address);
        await reader.getByText('2 files do not open with this link. The link was changed since').first().waitFor();
        expect(await reader.getByText(/(early|late)\.txt/).count()).toBe(0);
      }
      await visit(guest.page, link);
      await guest.page.getByText('This link does not open this folder').waitFor();
      expect(await guest.page.getByText(/(early|late)\.txt/).count()).toBe(0);
      await visit(reader, next);
      for (const file of [EARLY, LATE]) await shows(reader, file);
    });
  });

  test('takes along a small file that another tab was just sending: it is sealed again under the newer key', async () => {
    await visit(page, link);
    const tab = await owner.context.newPage();
    const changed = Promise.withResolvers<void>();
    await tab.route('**/storage/v1/upload/resumable', async (route) => {
      await changed.promise;
      await route.continue();
    });
    owner.allow(/status of 409/);
    await tab.goto(withoutKey(link));
    const isSent = tab.waitForRequest('**/storage/v1/upload/resumable');
    await choose(tab, LATE);
    await isSent;
    const next = await makeNewLink(page);
    const isRefused = tab.waitForResponse((answer) => answer.status() === 409);
    changed.resolve();
    await isRefused;
    await tab.getByText('1 completed').waitFor();
    await tab.close();
    await showGuest(next);
    expect(await guest.page.getByText('Not from this folder').count()).toBe(0);
  });

  test('that was interrupted is made by the owner’s next page; until then the old one opens everything', async () => {
    await visit(page, link);
    const lost = '**/rpc/generate_temp_encryption_key';
    owner.allow(/ERR_CONNECTION_FAILED/);
    await page.route(lost, (route) => route.abort('connectionfailed'));
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: /^Share / });
    await sheet.getByRole('button', { name: 'Make a new link' }).click();
    const asked = page.getByRole('alertdialog', { name: 'Make a new link?' });
    await asked.getByRole('button', { name: 'Make a new link' }).click();
    await asked.getByRole('alert').waitFor();
    await visit(guest.page, link);
    await shows(guest.page, EARLY);
    await page.unroute(lost);
    await page.reload();
    await page.getByText('There is a new link.').first().waitFor();
    await shows(page, EARLY);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await sheet.getByText('This link contains the key.').waitFor();
    await sheet.getByRole('button', { name: 'Copy', exact: true }).click();
    const next = await page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press('Escape');
    await visit(guest.page, link);
    await guest.page.getByText('This link does not open this folder').waitFor();
    await visit(guest.page, next);
    await shows(guest.page, EARLY);
  });

  test('is used at once by other tabs of the device for uploads', async () => {
    await visit(page, link);
    const tab = await owner.context.newPage();
    await tab.goto(link);
    await openZone(tab);
    const next = await makeNewLink(page);
    await upload(tab, LATE);
    await tab.close();
    await showGuest(next);
  });

  test('must be opened on the owner’s other devices before they upload; chosen files wait for it', async () => {
    await withDevice('mika', async (device) => {
      await device.goto(link);
      await shows(device, EARLY);
      await openZone(device);
      const next = await folder.replaceLink();
      // This page was open before the change, and got no notice of it.
      await choose(device, LATE);
      await device.getByText('Open the new link on this device to upload').waitFor();
      expect(await device.getByText('1 completed').count()).toBe(0);
      await device.evaluate((hash) => {
        location.hash = hash;
      }, new URL(next).hash);
      await device.getByText('1 completed').waitFor();
      await showGuest(next);
    });
  });
});

describe('a Discord link that the owner turned on, on one device', () => {
  async function turnOn(): Promise<void> {
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await chooseOpener(page, 'discord');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Turn On' }).click();
    await page.getByText('The Discord link is on.').first().waitFor();
    await page.keyboard.press('Escape');
  }

  test('needs a confirmation on another device with the key, and is accepted there once the owner agrees', async () => {
    await withDevice('mika', async (device) => {
      await device.goto(link);
      await shows(device, EARLY);
      await folder.openToDiscord();
      await visit(device, withoutKey(link));
      await choose(device, LATE);
      await question(device).getByText('The server says that this folder is a Discord link now.').waitFor();
      await question(device).getByText('The files that you have chosen wait for your answer.').waitFor();
      expect(await device.getByText('1 completed').count()).toBe(0);
      await question(device).getByRole('button', { name: 'I switched it' }).click();
      await device.getByText('1 completed').waitFor();
      await visit(device, withoutKey(link));
      await openZone(device);
      expect(await question(device).count()).toBe(0);
    });
    await showGuest(withoutKey(link));
  });

  test('opens everything by the short link, also files from before and after new private links', async () => {
    const next = await folder.replaceLink();
    await folder.add(LATE);
    await visit(page, next);
    await turnOn();
    await showGuest(withoutKey(link));
    await visit(guest.page, link);
    await guest.page.getByText('The server says that this folder is a Discord link now').waitFor();
    expect(await guest.page.getByText(EARLY.name).count()).toBe(0);
    await guest.page.getByRole('link', { name: 'Open with our server’s key' }).click();
    for (const file of [EARLY, LATE]) await shows(guest.page, file);
  });
});
