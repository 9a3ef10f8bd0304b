import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { newVisitor, test, type Visitor } from '../support/browser.ts';
import { noisePng, worldFiles } from '../support/files.ts';
import { listInstead, longListing } from '../support/listings.ts';
import { createFolderAs, createPlainFolder, signIn } from '../support/people.ts';
import type { Site } from '../support/site.ts';

/** Cards and viewer of an encrypted folder, for a visitor with the link. */

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>globalThis.hacked = 1</script></svg>';
const HTML = '<script>parent.hacked = 1</script><h1>Not a page</h1>';

let site: Site;
let browser: Browser;
let friend: Visitor;
let link: string;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  const files = [
    ...(await worldFiles()).filter(({ name }) => /webm|pdf|notes|wav/.test(name)),
    { name: 'b-picture.png', mimeType: 'image/png', buffer: noisePng(400, 300) },
    { name: 'a-picture.png', mimeType: 'image/png', buffer: noisePng(300, 400) },
    { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(SVG) },
    { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(HTML) },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Title\n<b onclick="x">letters</b>\n') },
  ];
  link = (await createFolderAs(await signIn(site, 'mika'), site, { name: 'Everything', files })).link();
  friend = await newVisitor(browser);
  await friend.page.goto(link);
});

const cell = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: name });

async function view(page: Page, name: string): Promise<Locator> {
  await cell(page, name).getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog', { name });
  await dialog.waitFor();
  return dialog;
}

async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const focusedName = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

test('a video shows a frame, and its duration once it was looked at', async () => {
  const { page } = friend;
  const card = cell(page, 'raid-highlights.webm');
  const frame = card.locator('img').first();
  await expect.poll(() => frame.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(480);
  const dialog = await view(page, 'raid-highlights.webm');
  await dialog.getByText('480 × 270').waitFor();
  expect(await dialog.locator('video').getAttribute('poster')).toMatch(/^blob:/);
  await close(page);
  await card.getByText('0:06', { exact: true }).waitFor();
  await card.getByText('Length 0:06').waitFor({ state: 'attached' });
});

test('a text shows literally, with any content', async () => {
  const { page } = friend;
  const dialog = await view(page, 'notes.md');
  await dialog.getByRole('region', { name: 'Text of notes.md' }).getByText('<b onclick="x">letters</b>').waitFor();
  await close(page);
});

test('a sound plays, a PDF shows its page, an HTML file shows name, size and type', async () => {
  const { page } = friend;
  const sound = await view(page, 'horn.wav');
  await expect.poll(() => sound.locator('audio').evaluate((audio) => (audio as HTMLAudioElement).duration)).toBe(1);
  await close(page);
  const pdf = await view(page, 'handbook.pdf');
  await pdf.getByRole('region', { name: 'Page 1 of 1' }).getByRole('img', { name: 'A picture without text' }).waitFor();
  await close(page);
  const html = await view(page, 'page.html');
  await html.getByText('text/html').waitFor();
  expect(await html.locator('iframe, embed, object').count()).toBe(0);
  await close(page);
  const drawing = await view(page, 'drawing.svg');
  await drawing.getByRole('img', { name: 'drawing.svg' }).waitFor();
  await close(page);
  expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
});

test('the arrows move through the gallery in the order of the grid, and the focus returns to the card', async () => {
  const { page } = friend;
  await page.getByLabel('Sort by').selectOption('Name');
  await view(page, 'a-picture.png');
  // The page behind the viewer does not move.
  expect(await page.evaluate(() => getComputedStyle(document.body).overflow)).toBe('hidden');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('dialog', { name: 'b-picture.png' }).waitFor();
  await close(page);
  await expect.poll(() => focusedName(page)).toBe('b-picture.png');
});

test('Download in the viewer saves the file and closes it', async () => {
  const { page } = friend;
  const dialog = await view(page, 'b-picture.png');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(await download.failure()).toBeNull();
  await dialog.waitFor({ state: 'detached' });
});

test('Shift and the arrows extend the selection, Ctrl A selects all, Escape clears', async () => {
  const { page } = friend;
  await cell(page, 'a-picture.png').getByRole('button', { name: 'a-picture.png', exact: true }).focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('Shift+ArrowLeft');
  await page.getByText('2 selected').waitFor();
  expect(await page.getByRole('gridcell', { selected: true }).count()).toBe(2);
  await page.keyboard.press('Control+a');
  await page.getByText('9 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('group', { name: 'Show' }).waitFor();
  await expect.poll(() => page.getByRole('status').allTextContents()).toContain('Nothing selected');
});

test('the list says which files are open', async () => {
  const { page } = friend;
  await page.getByRole('button', { name: 'List', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: 'a-picture.png' });
  await row.getByText('Cached').waitFor({ state: 'attached' });
  await row.locator('[title="Cached"] svg').waitFor();
  await page.getByRole('button', { name: 'List', exact: true }).click();
  await cell(page, 'a-picture.png').locator('img').first().waitFor();
});

test('of 2,000 files only those near the view are in the DOM, and the keys reach the last', async () => {
  const person = await signIn(site, 'jonas');
  const folder = await createPlainFolder(person, 'Many');
  const visitor = await newVisitor(browser);
  const { page } = visitor;
  await listInstead(page, longListing(2000));
  await page.goto(`${site.url}/f/${folder.slug}`);
  const grid = page.getByRole('grid', { name: 'Files' });
  await grid.waitFor();
  await page.getByRole('button', { name: 'All 2,000' }).waitFor();
  expect(await grid.getAttribute('aria-rowcount')).toBe('500');
  await cell(page, 'file-0001.txt').getByRole('button', { name: 'file-0001.txt', exact: true }).focus();
  await page.keyboard.press('Control+End');
  await expect.poll(() => focusedName(page)).toBe('file-2000.txt');
  expect(await grid.getByRole('gridcell').count()).toBeLessThan(70);
  await page.getByLabel('Sort by').selectOption('Size');
  await page.keyboard.press('Control+Home');
  await cell(page, 'file-2000.txt').waitFor();

  await page.getByRole('button', { name: 'List', exact: true }).click();
  await page.getByRole('columnheader', { name: 'Size' }).waitFor();
  expect(await grid.getAttribute('aria-rowcount')).toBe('2001');
  await grid.getByRole('button', { name: 'file-2000.txt', exact: true }).focus();
  await page.keyboard.press('Control+End');
  await expect.poll(() => focusedName(page)).toBe('file-0001.txt');
  expect(await grid.getByRole('row').count()).toBeLessThan(70);
  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Search files' }).fill('file-1999');
  await page.getByText('1 found').waitFor();
  expect(await grid.getByRole('row').count()).toBe(2);
  expect(visitor.problems()).toEqual([]);
});

test('the browser reported no error', () => {
  expect(friend.problems()).toEqual([]);
});
