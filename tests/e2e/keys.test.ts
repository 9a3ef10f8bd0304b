import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { makeFolder, newVisitor, signInAs, type Visitor, visit } from '../support/browser.ts';
import { createRecorder, findInStore } from '../support/leaks.ts';
import { createFolderAs, type FolderWish, type Person } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** How a folder's key reaches the right people in a real browser, and which parts of it never leave that browser. */

const NOTE = { name: 'landing-place.txt', mimeType: 'text/plain', buffer: Buffer.from('Behind the third lighthouse.') };
const PASSPHRASE = 'grüne Wolke über Bamberg';
const FULL_LINK = /\/f\/[A-Za-z0-9]{16}#k=[A-Za-z0-9_-]{43}$/;

let site: Site;
let browser: Browser;
let mika: Person;
let owner: Visitor;
/** A person without an account: no visit leaves anything for the next one. */
let guest: Visitor;
const recorder = createRecorder();

async function newRecorded(): Promise<Visitor> {
  const visitor = await newVisitor(browser);
  await recorder.watch(visitor.context);
  return visitor;
}

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  [owner, guest] = [await newRecorded(), await newRecorded()];
  guest.allow(/status of 403/);
  mika = await signInAs(owner.page, site.url, 'mika');
});
afterAll(async () => {
  expect([...owner.problems(), ...guest.problems()]).toEqual([]);
});

const withoutKey = (link: string) => link.replace(/#.*/, '');
const isOpen = (page: Page) => page.getByRole('gridcell').filter({ hasText: NOTE.name }).getByText('Cached').waitFor();
const isLocked = async (page: Page) => {
  await page.getByText('No Key', { exact: true }).first().waitFor();
  expect(await page.getByText(NOTE.name).count()).toBe(0);
};
const prompt = (page: Page) => page.getByRole('region', { name: 'This folder needs a passphrase' });
const tryPassphrase = async (page: Page, passphrase: string) => {
  await prompt(page).getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await page.keyboard.press('Enter');
};
const refusal = (page: Page, text: string) => prompt(page).getByText(text).waitFor();

const withPassphrase = async (form: Page) => {
  await form.getByRole('switch', { name: 'Ask for a passphrase' }).check();
  await form.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await form.getByLabel('Passphrase again').fill(PASSPHRASE);
};

async function asStranger(link: string, look: (page: Page) => Promise<void>): Promise<void> {
  await visit(guest.page, link);
  await look(guest.page);
}

/** A folder of Mika’s with a note. */
const folderWith = async (wish: FolderWish): Promise<string> =>
  (await createFolderAs(mika, site, { files: [NOTE], ...wish })).link();

describe('a private link with a passphrase', () => {
  let link: string;
  beforeAll(async () => {
    link = await makeFolder(owner.page, site.url, { name: 'Under seal', files: [NOTE], fill: withPassphrase });
  });

  test('opens on the owner’s device without a prompt, with and without the fragment', async () => {
    const { page } = owner;
    expect(link).toMatch(FULL_LINK);
    for (const address of [link, withoutKey(link)]) {
      await visit(page, address);
      await isOpen(page);
      expect(await prompt(page).count()).toBe(0);
    }
  });

  test('asks a visitor: a wrong one is refused with the tries left, the right one opens', async () => {
    await asStranger(link, async (page) => {
      await prompt(page).waitFor();
      await isLocked(page);
      await tryPassphrase(page, 'blaue Wolke');
      await refusal(page, 'Wrong passphrase. 4 tries left this hour');
      const field = prompt(page).getByLabel('Passphrase', { exact: true });
      expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
      // Another keyboard composes the same letters differently.
      await tryPassphrase(page, PASSPHRASE.normalize('NFD'));
      await isOpen(page);
      expect(await prompt(page).count()).toBe(0);
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    });
  });

  test('tells the server neither its secret nor its passphrase', async () => {
    const secret = link.split('#k=')[1] ?? '';
    expect(secret).toHaveLength(43);
    // The recorder finds what is there: the proofs, and their folder.
    const slug = new URL(link).pathname.split('/').at(-1) ?? '';
    const proofs = recorder.sent.filter(
      ({ path, text }) => path.startsWith(`/bot/${slug}/`) && text.includes('{"proof":"'),
    );
    expect(proofs).toHaveLength(2);
    const canaries = {
      'link secret': secret,
      'link secret in hex': Buffer.from(secret, 'base64url').toString('hex'),
      'link secret as bytes': Buffer.from(secret, 'base64url').toString('latin1'),
      passphrase: PASSPHRASE,
      'passphrase as bytes': Buffer.from(PASSPHRASE).toString('latin1'),
      'passphrase, escaped': encodeURIComponent(PASSPHRASE),
      'part of the passphrase': 'Bamberg',
    };
    for (const [name, canary] of Object.entries(canaries)) {
      const found = recorder.sent.filter(({ text }) => text.includes(canary));
      expect(found, name).toEqual([]);
    }
    const kept = { 'link secret': secret, 'link secret as bytes': Buffer.from(secret, 'base64url'), part: 'Bamberg' };
    expect(await findInStore(site, kept)).toEqual([]);
  });
});

/** Drops a text onto a page, as from another window. */
const dropText = (page: Page, text: string) =>
  page.evaluate(async (dropped) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData('text/plain', dropped);
    const over = (type: string) =>
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    over('dragenter');
    // As for every drag there are more of these until the drop; the code that takes it loads with the first.
    await new Promise<void>((resolve) => {
      const again = setInterval(() => {
        if (over('dragover')) return;
        clearInterval(again);
        resolve();
      });
    });
    over('drop');
  }, text);

test('a visitor without the key pastes the link, and drops one onto another page', async () => {
  const link = await folderWith({ name: 'By paste' });
  await asStranger(withoutKey(link), async (page) => {
    await isLocked(page);
    await page.getByLabel('Link or key').fill(`It is ${link}`);
    await page.keyboard.press('Enter');
    await isOpen(page);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    await page.goto(site.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await dropText(page, 'only words');
    await page.getByText('There is no link to a folder in what you dropped.').first().waitFor();
    await dropText(page, link);
    await isOpen(page);
    expect(page.url()).toBe(link);
  });
});

test('a link that was changed on its way opens, and the page says so where the server was sent the key', async () => {
  const link = await folderWith({ name: 'Forwarded' });
  const visitor = await newVisitor(browser);
  const { page } = visitor;
  const told = page.getByText('its key was sent to the server, too');
  await page.goto(`${link}&fbclid=IwAR0`);
  await isOpen(page);
  expect(await told.count()).toBe(0);
  await page.goto(link.replace('#k=', '%23k%3D'));
  await told.waitFor();
  await isOpen(page);
  expect(page.url()).toBe(link);
  expect(visitor.problems()).toEqual([]);
  await visitor.close();
});
