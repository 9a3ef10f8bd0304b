import { readFile, writeFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { card, newVisitor, type Visitor } from '../support/browser.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import { createFolderAs, type OwnedFolder, signIn } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Saving where there is no service worker (docs/browsers.md has the table). */

/** More than a page opens unasked, and so large that the page offers to compare it. */
const FILM = {
  name: 'film.bin',
  mimeType: 'application/octet-stream',
  buffer: randomBytesOf(26 * 1024 ** 2 + 7),
};
const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('The tide has turned.') };

let site: Site;
let browser: Browser;
let folder: OwnedFolder;
test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  folder = await createFolderAs(await signIn(site, 'mika'), site, { name: 'Driftwood', files: [FILM, NOTE] });
});

const withoutWorkers = () => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');

/** A person picks a place: the file lies in the browser's own file system, for no test can answer the system's dialog. */
function pickInOwnFileSystem(): void {
  const pick = async ({ suggestedName }: { suggestedName: string }) =>
    (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
  Object.defineProperty(globalThis, 'showSaveFilePicker', { value: pick });
}

const filesThere = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const names: string[] = [];
    const directory = await navigator.storage.getDirectory();
    for await (const name of (directory as unknown as { keys: () => AsyncIterable<string> }).keys()) names.push(name);
    return names;
  });

const hashOf = (page: Page, name: string): Promise<string> =>
  page.evaluate(async (fileName) => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle(fileName);
    const hash = await crypto.subtle.digest('SHA-256', await (await handle.getFile()).arrayBuffer());
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }, name);

async function inVisit(prepare: readonly (() => void)[], act: (visitor: Visitor) => Promise<void>): Promise<void> {
  const visitor = await newVisitor(browser);
  for (const one of prepare) await visitor.context.addInitScript(one);
  await visitor.page.goto(folder.link());
  await card(visitor.page, FILM.name).waitFor();
  await act(visitor);
  expect(visitor.problems()).toEqual([]);
  await visitor.close();
}

const download = (page: Page, name: string) => card(page, name).getByRole('button', { name: 'Download' });
const dock = (page: Page) => page.getByRole('region', { name: 'Is the download whole?' });

/** Where the saved file is. */
async function saved(page: Page, start: () => Promise<void>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), start()]);
  return file.path();
}

test('a file that the browser may not have written is compared with the folder, byte for byte', () =>
  inVisit([withoutWorkers], async ({ page }) => {
    const path = await saved(page, () => download(page, FILM.name).click());
    const bytes = await readFile(path);
    expect(sha256(bytes)).toBe(sha256(FILM.buffer));
    await dock(page).getByText('Your browser has the whole file, but doesn’t tell this page').waitFor();
    const choose = (chosen: string) => dock(page).getByLabel('Saved file').setInputFiles(chosen);
    const other = `${path}-other`;
    await writeFile(other, bytes.subarray(0, 1_000_000));
    await choose(other);
    await dock(page).getByText('That file has 1,000,000 bytes instead of 27,262,983').waitFor();
    bytes.writeUInt8(bytes.readUInt8(20_000_000) ^ 1, 20_000_000);
    await writeFile(other, bytes);
    await choose(other);
    await dock(page).getByText('That file is as large, but not the same').waitFor();
    await choose(path);
    await dock(page).getByText('The saved file is whole').waitFor();
    await dock(page).getByRole('button', { name: 'Close' }).click();
    await dock(page).waitFor({ state: 'detached' });
  }));

test('where a place can be picked, a file and a zip are written there, and are known to be saved', () =>
  inVisit([withoutWorkers, pickInOwnFileSystem], async ({ page }) => {
    await download(page, FILM.name).click();
    await expect.poll(() => hashOf(page, FILM.name)).toBe(sha256(FILM.buffer));
    await page.getByRole('button', { name: 'Download all' }).click();
    await page.getByText('Driftwood.zip is saved').waitFor();
    expect(await filesThere(page)).toEqual(expect.arrayContaining([FILM.name, 'Driftwood.zip']));
    expect(await dock(page).count()).toBe(0);
  }));

test('inside an app’s view, the page says before a click that files may not be saved, and copies the link for the browser', async () => {
  const context = await browser.newContext({
    userAgent:
      'Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile',
    viewport: { width: 390, height: 844 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  await page.goto(folder.link());
  const notice = page.getByRole('complementary', { name: 'Download' });
  await notice.getByText('To download, open the link in your own browser').waitFor();
  await notice.getByRole('button', { name: 'Copy link' }).click();
  await notice.getByText('✓ Copied!').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(folder.link());
  await context.close();
});
