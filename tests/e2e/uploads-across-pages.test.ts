import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import type { Line } from '../support/line.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Uploads continue when their folder's page is left for another page of the site; a dock links back to them. */

const MIB = 1024 ** 2;
/** What passes of a file before its upload stands still, half-way. */
const HELD_BYTES = MIB;

const dockOf = (page: Page) => page.getByRole('region', { name: 'Uploads', exact: true });

describe('uploads after leaving their page', () => {
  let dir: string;
  let line: Line;
  let site: Site;
  let owner: Visitor;
  let page: Page;
  const film = randomBytesOf(8 * MIB);
  const song = randomBytesOf(3 * MIB);

  const path = (name: string) => join(dir, name);
  test.beforeAll(async ({ behindLine }) => {
    dir = await mkdtemp(join(tmpdir(), 'satchel-across-'));
    await writeFile(path('film.bin'), film);
    await writeFile(path('song.bin'), song);
    ({ line, site } = behindLine);
    owner = await newVisitor(behindLine.browser);
    ({ page } = owner);
    page.on('filechooser', () => undefined);
    // A page sends as many large files at a time as there are processors.
    await page.addInitScript(() => Object.defineProperty(navigator, 'hardwareConcurrency', { value: 2 }));
    await signInAs(page, site.url, 'mika');
    await page.goto(site.url);
  });
  afterEach(() => {
    line.hold(null);
    expect(owner.problems()).toEqual([]);
  });
  afterAll(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  async function toProfile(): Promise<void> {
    await page.locator('header a[href="/profile"]').click();
    await page.waitForURL('**/profile');
  }

  async function startHeld(name: string, file: string): Promise<void> {
    // Through links of the site: any other navigation would end the page's uploads.
    await toProfile();
    await page.getByRole('link', { name: /^(New folder|Create First Folder)$/ }).click();
    await page.getByRole('textbox', { name: 'Folder name' }).fill(name);
    await page.getByRole('button', { name: /^Create folder$/i }).click();
    await page.getByRole('heading', { name }).waitFor();
    await page.getByText('Drop files here or click to upload').waitFor();
    line.hold(HELD_BYTES);
    await page.getByLabel('Choose files').setInputFiles(path(file));
    await page.getByRole('button', { name: 'Upload 1 file', exact: true }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
  }

  /** The file as opened by the folder's page. */
  async function savedHash(name: string): Promise<string> {
    const cell = page.getByRole('gridcell').filter({ hasText: name });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      cell.getByRole('button', { name: 'Download' }).click(),
    ]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    return sha256(Buffer.concat(chunks));
  }

  test('continue, show in the dock on every page, and complete', async () => {
    await startHeld('Left behind', 'film.bin');
    const dock = dockOf(page);
    expect(await dock.count()).toBe(0);
    await page.getByRole('tab', { name: 'Info' }).click();
    await dock.getByRole('link', { name: 'Left behind' }).waitFor();
    await page.getByRole('link', { name: 'Satchel' }).click();
    await page.getByText('How It Works').first().waitFor();
    await dock.getByText(/^0 of 1 file · \d+%$/).waitFor();
    await dock.getByRole('progressbar', { name: 'Upload progress of Left behind' }).waitFor();
    await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' }));
    const [words, cover] = await Promise.all([page.locator('footer p').boundingBox(), dock.boundingBox()]);
    expect(words!.y + words!.height).toBeLessThan(cover!.y);
    await toProfile();
    await dock.getByRole('link', { name: 'Left behind' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Left behind' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await dock.waitFor({ state: 'detached' });
    line.hold(null);
    await page.getByText('1 completed').waitFor();
    expect(await savedHash('film.bin')).toBe(sha256(film));
  });
});
