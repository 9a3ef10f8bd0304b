import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { launchBrowser, newVisitor, signInByHand, type Visitor } from '../support/browser.ts';
import { makeSamples } from '../support/samples.ts';
import { type Site, startSite } from '../support/site.ts';

/** Every page, as a visitor and as an owner, in both themes and at both widths: sound, quiet, and not too wide. */

let dir: string;
let site: Site;
let browser: Browser;
let owner: Visitor;
let link: string;
let expiredSlug: string;

async function makeFolder(page: Page): Promise<string> {
  const samples = await makeSamples(dir);
  await page.goto(`${site.url}/upload`);
  await page.getByLabel('Folder name').fill('Shown everywhere');
  await page.getByRole('button', { name: 'Create folder' }).click();
  await page.waitForURL(/\/f\/[A-Za-z0-9]{16}/);
  await page.getByLabel('Choose files').setInputFiles([samples.text.path, samples.picture.path, samples.video.path]);
  await page.getByRole('button', { name: 'Upload 3 files' }).click();
  await page.getByText('3 completed').waitFor({ timeout: 60_000 });
  return page.url().replace(/\?[^#]*/, '');
}

/** A folder that lives for two seconds: it is over before the first page is looked at. */
const makeShortLived = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const response = await fetch('/rest/v1/rpc/create_folder_with_temp_key', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ folder_name: 'Short-lived', expires_in_hours: 2 / 3600 }),
    });
    return (await response.json()).folder.slug;
  });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-pages-'));
  site = await startSite();
  browser = await launchBrowser();
  owner = await newVisitor(browser);
  await signInByHand(owner.page, site.url, 'Ava');
  expiredSlug = await makeShortLived(owner.page);
  link = await makeFolder(owner.page);
});
afterAll(async () => {
  expect(owner.problems()).toEqual([]);
  await browser.close();
  await site.stop();
  await rm(dir, { recursive: true, force: true });
});

interface Shown {
  readonly name: string;
  readonly path: () => string;
  readonly text: string | RegExp;
  /** Chromium reports these answers in its console; they are what the page is about. */
  readonly expected?: RegExp;
}

const folderPath = () => link.slice(site.url.length);
const withTab = (tab: string) => folderPath().replace('#', `?tab=${tab}#`);

const FOR_ALL: readonly Shown[] = [
  { name: 'landing', path: () => '/', text: 'How It Works' },
  { name: 'folder', path: folderPath, text: 'Cached' },
  { name: 'folder without its key', path: () => folderPath().replace(/#.*/, ''), text: 'Shown everywhere' },
  { name: 'info', path: () => withTab('info'), text: /analytics|Storage Overview/ },
  { name: 'settings', path: () => withTab('settings'), text: /Authentication Required|Danger Zone/ },
  { name: 'not found', path: () => '/f/AAAAAAAAAAAAAAAA', text: 'Folder Not Found', expected: /404/ },
  { name: 'expired', path: () => `/f/${expiredSlug}`, text: 'Folder Expired' },
  { name: 'no slug', path: () => '/f', text: /No folder/ },
  { name: 'sign-in', path: () => '/auth', text: /Sign in to Satchel|Already Signed In/ },
  {
    name: 'failed callback',
    path: () => '/auth/callback#error=access_denied&error_description=No',
    text: 'Authentication Error',
  },
  { name: 'create', path: () => '/upload', text: /Authentication Required|Create a folder/ },
  { name: 'profile', path: () => '/profile', text: /Authentication Required|My Folders/ },
];

const LOOKS = [
  { theme: 'dark', width: 1440 },
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 390 },
  { theme: 'light', width: 390 },
] as const;

async function faults(page: Page): Promise<string[]> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  return [...(await axeViolations(page)), ...(overflow > 0 ? [`${overflow} px too wide`] : [])];
}

async function look(visitor: Visitor, pages: readonly Shown[]): Promise<string[]> {
  const found: string[] = [];
  const { page } = visitor;
  for (const { name, path, text, expected } of pages) {
    if (expected) visitor.allow(expected);
    // Leaving first makes a change of the fragment alone a visit, too.
    await page.goto('about:blank');
    await page.goto(`${site.url}${path()}`);
    await page.getByText(text).filter({ visible: true }).first().waitFor({ timeout: 30_000 });
    for (const fault of await faults(page)) found.push(`${name}: ${fault}`);
  }
  return found;
}

test('the check finds a fault that is there', async () => {
  const visitor = await newVisitor(browser);
  await visitor.page.setContent('<main><img src="data:,"><div style="width: 5000px">wide</div></main>');
  const found = await faults(visitor.page);
  expect(found.some((fault) => fault.startsWith('image-alt'))).toBe(true);
  expect(found.some((fault) => fault.endsWith('px too wide'))).toBe(true);
  await visitor.close();
});

describe.each(LOOKS)('every page in $theme at $width px', ({ theme, width }) => {
  test('is sound for a visitor', async () => {
    const visitor = await newVisitor(browser, { theme, width });
    expect(await look(visitor, FOR_ALL)).toEqual([]);
    expect(visitor.problems()).toEqual([]);
    await visitor.close();
  });

  test('is sound for the owner', async () => {
    await owner.page.setViewportSize({ width, height: 900 });
    await owner.page.evaluate((value) => localStorage.setItem('theme', value), theme);
    expect(await look(owner, FOR_ALL)).toEqual([]);
  });

  test('has a sound viewer', async () => {
    const visitor = await newVisitor(browser, { theme, width });
    const { page } = visitor;
    await page.goto(link);
    for (const name of ['canary-name-noise.png', 'canary-name-clip.webm', 'canary-name-travel-notes.txt']) {
      const card = page.getByRole('gridcell').filter({ hasText: name });
      await card.getByText('Cached').waitFor({ timeout: 60_000 });
      await card.getByRole('button', { name, exact: true }).click();
      const dialog = page.getByRole('dialog', { name });
      await dialog.getByRole('button', { name: 'Close' }).waitFor();
      expect(await faults(page), name).toEqual([]);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    expect(visitor.problems()).toEqual([]);
    await visitor.close();
  });
});
