import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { newVisitor, signInAs, test, type Visitor } from '../support/browser.ts';
import { type CreatedFolder, createFolderAs, type Person } from '../support/people.ts';
import type { Site } from '../support/site.ts';

/** Every state of /f/{slug} with its text (SPEC §2, §4), and each role with its actions. */

const NOTE = { name: 'ferry.txt', mimeType: 'text/plain', buffer: Buffer.from('The ferry leaves at nine.') };

let site: Site;
let browser: Browser;
let mika: Person;
let owner: Visitor;
let link: string;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  owner = await newVisitor(browser);
  mika = await signInAs(owner.page, site.url, 'mika');
  const wish = { name: 'Saturday raid', description: 'Clips and maps from the summit.', files: [NOTE] };
  link = (await createFolderAs(mika, site, wish)).link();
});
afterAll(async () => {
  expect(owner.problems()).toEqual([]);
});

const shown = (page: Page, text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor();
const slugOf = (address: string) => new URL(address).pathname.split('/').at(-1) ?? '';
const DATA = '**/rpc/get_folder_complete_data';

/** Creates a folder by these fields alone. */
async function createBare(input: object): Promise<CreatedFolder & { readonly expires_at: string }> {
  const answer = await mika.rpc('create_folder_with_temp_key', input);
  return ((await answer.json()) as { folder: CreatedFolder & { expires_at: string } }).folder;
}

/** Opens an address in a fresh profile, and closes it. */
async function asVisitor(steps: (page: Page, visitor: Visitor) => Promise<void>): Promise<void> {
  const visitor = await newVisitor(browser);
  await steps(visitor.page, visitor);
  expect(visitor.problems()).toEqual([]);
  await visitor.close();
}

/** Holds requests to a route until the gate is opened. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, wait: (route: Route) => promise.then(() => route.continue()) };
}

describe('pages in place of a folder', () => {
  test('while it loads', () =>
    asVisitor(async (page) => {
      const data = gate();
      await page.route(DATA, data.wait);
      await page.goto(link);
      await shown(page, 'Loading folder...');
      await shown(page, 'Fetching consolidated data via RPC...');
      data.open();
      await page.getByRole('heading', { name: 'Saturday raid' }).waitFor();
    }));

  test('when it failed to load, with another try', () =>
    asVisitor(async (page, visitor) => {
      visitor.allow(/500|Failed to load resource/);
      const refuse = (route: Route) => route.fulfill({ status: 500, body: '{}' });
      await page.route(DATA, refuse);
      await page.route('**/rest/v1/folders/*', refuse);
      await page.goto(link);
      await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
      await shown(page, 'Unable to load folder data. Please try again.');
      await page.getByRole('link', { name: 'Go Home' }).waitFor();
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try Again' }).click();
      await page.getByRole('heading', { name: 'Saturday raid' }).waitFor();
    }));

  test('when it has expired, with the date', async () => {
    const folder = await createBare({ folder_name: 'Short-lived', expires_in_hours: 1 / 3600 });
    const read = async () => (await mika.rpc('get_folder_complete_data', { input_folder_slug: folder.slug })).json();
    await expect.poll(read).not.toHaveProperty('folder_id');
    await asVisitor(async (page) => {
      await page.goto(`${site.url}/f/${folder.slug}`);
      await page.getByRole('heading', { name: 'Folder Expired' }).waitFor();
      const date = await page.evaluate(
        (moment) =>
          new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment)),
        folder.expires_at,
      );
      await shown(page, `This folder expired on ${date}.`);
      await page.getByRole('link', { name: 'Go Home' }).waitFor();
    });
  });

  test.each(['/f/AAAAAAAAAAAAAAAA', '/AAAAAAAAAAAAAAAA'])('when there is none at %s', (path) =>
    asVisitor(async (page, visitor) => {
      visitor.allow(/404/);
      await page.goto(`${site.url}${path}`);
      await page.getByRole('heading', { name: 'Folder Not Found' }).waitFor();
      await shown(page, 'The folder at /AAAAAAAAAAAAAAAA doesn’t exist or has been removed.');
      for (const reason of [
        'It was deleted by its owner',
        'It has expired',
        'The URL was typed incorrectly',
        'You have no permission to access it',
      ])
        await shown(page, reason);
      await page.getByRole('main').getByRole('link', { name: 'Sign In' }).waitFor();
      await page.getByRole('link', { name: '← Home' }).waitFor();
      await page.getByRole('link', { name: 'Go Home' }).click();
      await page.waitForURL(`${site.url}/`);
    }),
  );

  test('when the address has no slug', () =>
    asVisitor(async (page) => {
      await page.goto(`${site.url}/f`);
      await page.getByRole('heading', { name: 'No folder selected' }).waitFor();
      await page.getByRole('link', { name: 'Go Home' }).waitFor();
    }));
});

/** Every role that the page has shown since it started, in order. */
const watchRoles = (page: Page) =>
  page.addInitScript(() => {
    const roles: string[] = [];
    Object.assign(globalThis, { roles });
    const look = () => {
      for (const badge of document.querySelectorAll('main h1 + div > span')) {
        const role = badge.textContent ?? '';
        if (roles.at(-1) !== role) roles.push(role);
      }
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
  });
const rolesOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { roles: string[] }).roles);

test('a session that loads late flashes no wrong role', async () => {
  const page = await owner.context.newPage();
  await watchRoles(page);
  const session = gate();
  await page.route('**/auth/v1/session', session.wait);
  const answered = page.waitForResponse(DATA);
  await page.goto(link);
  await (await answered).finished();
  await shown(page, 'Loading folder...');
  expect(await page.getByRole('button', { name: 'Copy Link' }).count()).toBe(0);
  expect(await page.getByText('Signing up is free').count()).toBe(0);
  session.open();
  await page.getByRole('button', { name: 'Upload File' }).waitFor();
  expect(await rolesOf(page)).toEqual(['Owner']);
  await page.close();
});

test('the owner sees the owner’s actions', async () => {
  const { page } = owner;
  await page.goto(link);
  await page.getByRole('heading', { name: 'Saturday raid' }).waitFor();
  await shown(page, 'Owner');
  await shown(page, 'Clips and maps from the summit.');
  const upload = page.getByRole('button', { name: 'Upload File' });
  await upload.click();
  await page.getByRole('button', { name: 'Hide Upload' }).click();
  await upload.waitFor();
  for (const name of ['Share', 'Delete']) await page.getByRole('button', { name, exact: true }).waitFor();
  for (const name of ['Folder', 'Info', 'Settings']) await page.getByRole('tab', { name }).waitFor();
  expect(await page.getByText('Signing up is free').count()).toBe(0);
});

test('a viewer sees a viewer’s actions', () =>
  asVisitor(async (page) => {
    await signInAs(page, site.url, 'jonas');
    await page.goto(link);
    await page.getByRole('button', { name: 'Share Folder' }).waitFor();
    await shown(page, 'Viewer');
    for (const name of ['Upload File', 'Delete', 'Copy Link'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings Access Restricted' }).waitFor();
    await shown(page, 'Only the folder owner can access settings.');
  }));

test('a visitor sees everyone’s actions, and a sign-in link', () =>
  asVisitor(async (page) => {
    await page.goto(link);
    await page.getByRole('button', { name: 'Copy Link' }).waitFor();
    await shown(page, 'Public');
    await shown(page, 'Signing up is free and lets you share up to 1GB of files.');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Authentication Required' }).waitFor();
    await shown(page, 'Please sign in to access folder settings.');
    await page.getByRole('tabpanel').getByRole('link', { name: 'Sign In' }).waitFor();
  }));

/** The sidebar's facts, as `name: value`. */
const factsOf = (page: Page) =>
  page
    .getByRole('complementary', { name: 'Folder details' })
    .filter({ visible: true })
    .locator('dl > div')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent).join(': ')));

describe('the facts at the side', () => {
  test('show owner, dates, size and count', () =>
    asVisitor(async (page) => {
      await page.goto(link);
      await page.getByText(NOTE.name).first().waitFor();
      const today = await page.evaluate(() => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format());
      expect(await factsOf(page)).toEqual([
        'Owner: Mika',
        `Created: ${today}`,
        'Size: 0.00 MB',
        'Files: 1 total',
        'Encrypted: 1',
      ]);
    }));

  test('of an empty folder have no empty rows', async () => {
    const empty = await createFolderAs(mika, site, { name: 'Empty shelf' });
    await asVisitor(async (page) => {
      await page.goto(empty.link());
      await shown(page, 'No files shared yet');
      await shown(page, 'Check back later for shared files');
      expect((await factsOf(page)).map((fact) => fact.split(':')[0])).toEqual(['Owner', 'Created']);
    });
  });

  test('count down by the second, and end in Folder Expired', () =>
    asVisitor(async (page) => {
      await page.clock.install();
      await page.goto(link);
      const countdown = page.getByText(/^(\d+h )?(\d\dm )?\d\ds$/).filter({ visible: true });
      const first = await countdown.first().textContent();
      expect(first).toMatch(/^23h \d\dm \d\ds$/);
      await page.clock.runFor(1000);
      await expect.poll(() => countdown.first().textContent()).not.toBe(first);
      await page.clock.fastForward('24:00:00');
      await page.getByRole('heading', { name: 'Folder Expired' }).waitFor();
    }));

  test('fold into one row on a phone', async () => {
    const phone = await newVisitor(browser, { width: 390, height: 844 });
    await phone.page.goto(link);
    const row = phone.page.getByRole('complementary', { name: 'Folder details' }).filter({ visible: true });
    await row.locator('summary').first().getByText('1 total').waitFor();
    expect(await row.getByText('Owner').isVisible()).toBe(false);
    await row.locator('summary').first().click();
    await row.getByText('Owner').waitFor();
    expect(phone.problems()).toEqual([]);
    await phone.close();
  });
});

test('the title of the page is the folder’s name, and its slug where it has none', async () => {
  const { page } = owner;
  await page.goto(link);
  await expect.poll(() => page.title()).toBe('Saturday raid · Satchel');
  const folder = await createBare({});
  await page.goto(`${site.url}/f/${folder.slug}`);
  await page.getByRole('heading', { name: folder.slug }).waitFor();
  await expect.poll(() => page.title()).toBe(`${folder.slug} · Satchel`);
  expect(slugOf(page.url())).toBe(folder.slug);
});
