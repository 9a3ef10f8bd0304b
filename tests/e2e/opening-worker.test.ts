import { readFile } from 'node:fs/promises';
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { asNewerBuild, BARE_PATH, newerWorkers, newVisitor, type Visitor, visit } from '../support/browser.ts';
import { randomBytesOf, sha256, unzip } from '../support/files.ts';
import { type Line, startSiteBehindLine } from '../support/line.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Downloads whose opening worker, page or tab ends in the middle. Each test opens the folder again. */

const MIB = 1024 ** 2;
/** More than a page opens unasked. */
const SIZE_BYTES = 28 * MIB;
/** What a connection passes before a download stands still, half-way. */
const HELD_BYTES = 2 * MIB;

let line: Line;
let site: Site;
let browser: Browser;
let friend: Visitor;
let link: string;
let page: Page;
const noise = randomBytesOf(SIZE_BYTES);
const NOTES = 'a file beside the large one';

test.beforeAll(async ({ chromium }) => {
  ({ line, site } = await startSiteBehindLine());
  browser = chromium;
  const files = [
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from(NOTES) },
    { name: 'noise.bin', mimeType: 'application/octet-stream', buffer: noise },
  ];
  link = (await createFolderAs(await signIn(site, 'mika'), site, { name: 'Opened elsewhere', files })).link();
  friend = await newVisitor(browser);
});
beforeEach(async () => {
  ({ page } = friend);
  await show(page);
});
afterEach(async () => {
  line.holdAnswers(null);
  for (const open of friend.context.pages()) if (open !== friend.page) await open.close();
  expect(friend.problems()).toEqual([]);
});
afterAll(async () => {
  await site?.stop();
  await line?.close();
});

const fileButton = (of: Page) =>
  of.getByRole('gridcell').filter({ hasText: 'noise.bin' }).getByRole('button', { name: 'Download' });
const zipButton = (of: Page) => of.getByRole('button', { name: 'Download all' });

/** Opens the folder again. */
async function show(of: Page): Promise<void> {
  await visit(of, link);
  await fileButton(of).waitFor();
}

const openingWorkers = (of: Page) => of.workers().filter((worker) => worker.url().includes('opening-worker'));

/** Starts a download, and waits until it stands still with some of it come through the opening worker. */
async function downloadHalf(from: Page, button = fileButton(from)): Promise<Download> {
  const before = line.heldCount();
  line.holdAnswers(HELD_BYTES);
  const [download] = await Promise.all([from.waitForEvent('download'), button.click()]);
  await expect.poll(() => line.heldCount()).toBeGreaterThan(before);
  expect(openingWorkers(from)).toHaveLength(1);
  return download;
}

async function savedBytes(download: Download): Promise<Buffer> {
  expect(await download.failure()).toBeNull();
  return readFile(await download.path());
}

/** Ends the opening worker, as a crash does. */
const endWorker = (of: Page) =>
  openingWorkers(of)[0]
    ?.evaluate(() => globalThis.close())
    .catch(() => undefined);

test('a file is whole though its opening worker ends in the middle', async () => {
  const download = await downloadHalf(page);
  await endWorker(page);
  await expect.poll(() => openingWorkers(page).length).toBe(0);
  line.holdAnswers(null);
  expect(sha256(await savedBytes(download))).toBe(sha256(noise));
});

test('a file is whole though its page is left in the middle, or its tab closed while two tabs save the same file', async () => {
  const other = await friend.context.newPage();
  await show(other);
  const download = await downloadHalf(page);
  const second = await downloadHalf(other);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.goto(`${site.url}${BARE_PATH}`);
  expect(openingWorkers(page)).toEqual([]);
  expect(openingWorkers(other)).toHaveLength(1);
  await other.close({ runBeforeUnload: false });
  line.holdAnswers(null);
  expect(sha256(await savedBytes(download))).toBe(sha256(noise));
  expect(sha256(await savedBytes(second))).toBe(sha256(noise));
});

test('a zip is whole though a page of a newer build is opened in the middle, whose service worker waits for its end', async () => {
  const download = await downloadHalf(page, zipButton(page));
  const newer = await friend.context.newPage();
  await asNewerBuild(newer);
  await show(newer);
  await expect.poll(() => newerWorkers(newer)).toEqual([false, true]);
  line.holdAnswers(null);
  const packed = unzip(await savedBytes(download)).find(({ name }) => name === 'noise.bin');
  expect(packed && sha256(packed.bytes)).toBe(sha256(noise));
  await page.getByText(/\.zip is saved/).waitFor();
  // The next page to load asks the newer one to begin; what was handed out may end a moment after the zip is saved.
  const afterAnotherLoad = async () => {
    await show(newer);
    return newerWorkers(newer);
  };
  await expect.poll(afterAnotherLoad, { interval: 1000 }).toEqual([true, null]);
  // The other way round, the pages of the tests below would still be taken over from as they begin.
  await newer.close();
  const backInThisBuild = async () => {
    await show(page);
    return newerWorkers(page);
  };
  await expect.poll(backInThisBuild, { interval: 1000 }).toEqual([false, null]);
});
