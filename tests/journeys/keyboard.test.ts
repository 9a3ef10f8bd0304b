import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { focused, tabTo } from '../support/assistive.ts';
import { newVisitor, type Visitor } from '../support/browser.ts';
import { noisePng } from '../support/files.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** The main job without a mouse. */

let dir: string;
let site: Site;
let browser: Browser;
let visitor: Visitor;

test.beforeAll(async ({ place }) => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-keyboard-'));
  ({ site, browser } = place);
  visitor = await newVisitor(browser);
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function signInByKeyboard(): Promise<void> {
  const { page } = visitor;
  await page.goto(`${site.url}/`);
  await page.getByRole('link', { name: 'Sign In' }).waitFor();
  await tabTo(page, 'Skip to content');
  await tabTo(page, 'Sign In');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/auth$/);
  await tabTo(page, 'Continue with Discord');
  await page.keyboard.press('Enter');
  await page.waitForURL(/oauth2\/authorize/);
  await tabTo(page, /^Authorize$/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign Out' }).waitFor();
}

test('sign in, create, upload, share, view, download and delete by keyboard alone', async () => {
  const { page } = visitor;
  const picture = join(dir, 'keys-only.png');
  const bytes = noisePng(64, 64);
  await writeFile(picture, bytes);

  await signInByKeyboard();
  await page.getByRole('link', { name: 'Create a folder' }).first().waitFor();
  await tabTo(page, 'Create a folder');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/upload$/);
  await page.getByLabel(/^Folder name/).waitFor();
  await tabTo(page, /^Folder name/);
  await page.keyboard.type('Typed only');
  await tabTo(page, /^Create folder$/i);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/f\/[A-Za-z0-9]{16}/);

  // The form's zone says the same, and stays until the folder's page has loaded.
  await page.getByRole('button', { name: 'Hide Upload' }).waitFor();
  await page.getByRole('button', { name: /^Drop files here or click to upload/ }).waitFor();
  await tabTo(page, /^Drop files here or click to upload/);
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
  await chooser.setFiles(picture);
  await page.getByText('1 file selected').waitFor();
  await tabTo(page, 'Upload 1 file');
  await page.keyboard.press('Enter');
  await page.getByText('1 completed').waitFor();

  const card = page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: 'keys-only.png' });
  await card.getByText('Cached').waitFor();
  await tabTo(page, 'keys-only.png');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'keys-only.png' });
  await dialog.getByText('100%').waitFor();
  await page.keyboard.press('+');
  await dialog.getByText('150%').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('keys-only.png');
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('d')]);
  expect(Buffer.compare(await readFile(await download.path()), bytes)).toBe(0);

  await page.keyboard.press('s');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/#k=[A-Za-z0-9_-]{43}$/);
  const sheet = page.getByRole('dialog', { name: 'Share Typed only' });
  await sheet.waitFor();
  await tabTo(page, /^Include the key/);
  await page.keyboard.press('Space');
  await sheet.getByText('The key travels separately.').waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('keys-only.png');

  await tabTo(page, 'Folder', { key: 'Shift+Tab' });
  for (const tab of ['Info', 'Settings']) {
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: tab, selected: true }).waitFor();
  }
  await page.getByRole('heading', { name: 'Danger Zone' }).waitFor();
  await tabTo(page, 'Delete Folder');
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').waitFor();
  await tabTo(page, /DELETE/);
  await page.keyboard.type('DELETE');
  await tabTo(page, 'Yes, Delete Forever');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/profile$/);
  await page.getByText('No folders yet').waitFor();
  expect(visitor.problems()).toEqual([]);
});
