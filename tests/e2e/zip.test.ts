import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { newVisitor, type Visitor } from '../support/browser.ts';
import { noisePng, randomBytesOf, sha256, unzip } from '../support/files.ts';
import type { Line } from '../support/line.ts';
import { createFolderAs, type FolderContent, signIn } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Zips of files that were selected, cancelled and damaged. One story, in order; the first zip is tests/journeys/main-job. */

const MIB = 1024 ** 2;
/** More than a page opens unasked: only the zip opens it. */
const LARGE_BYTES = 27 * MIB + 17;

interface Made extends FolderContent {
  readonly sha256: string;
}

let line: Line;
let site: Site;
let friend: Visitor;
let files: { notes: Made; otherNotes: Made; picture: Made; large: Made };
let link: string;

const make = (name: string, mimeType: string, buffer: Buffer): Made => ({
  name,
  mimeType,
  buffer,
  sha256: sha256(buffer),
});

const grid = (page: Page) => page.getByRole('grid', { name: 'Files' });
const cell = (page: Page, name: string) => grid(page).getByRole('gridcell').filter({ hasText: name });
const dock = (page: Page) => page.getByRole('region', { name: 'Download as zip' });

/** Starts a download and reads the saved file. */
async function saved(page: Page, start: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), start()]);
  expect(await download.failure()).toBeNull();
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

const sums = (zip: Buffer): Record<string, string> =>
  Object.fromEntries(unzip(zip).map(({ name, bytes }) => [name, sha256(bytes)]));

test.beforeAll(async ({ behindLine }) => {
  files = {
    notes: make('notes.txt', 'text/plain', Buffer.from('first notes\n')),
    otherNotes: make('notes.txt', 'text/plain', Buffer.from('other notes, and more of them\n')),
    picture: make('Größe – 1.png', 'image/png', noisePng(300, 200)),
    large: make('large.bin', 'application/octet-stream', randomBytesOf(LARGE_BYTES)),
  };
  ({ line, site } = behindLine);
  friend = await newVisitor(behindLine.browser);
  const four = Object.values(files);
  link = (await createFolderAs(await signIn(site, 'mika'), site, { name: 'Packed: in / one?', files: four })).link();
});
inOrder();

describe('an encrypted folder', () => {
  test('a selection is saved as a zip of the selected files', async () => {
    const { page } = friend;
    await page.goto(link);
    await cell(page, files.large.name).waitFor();
    await page.getByRole('checkbox', { name: `Select ${files.picture.name}` }).check({ force: true });
    await cell(page, files.large.name).getByRole('button', { name: files.large.name }).focus();
    await page.keyboard.press(' ');
    await page.getByText('2 selected').waitFor();
    const bar = page.getByRole('group', { name: 'Selection' });
    const zip = await saved(page, () => bar.getByRole('button', { name: 'Download' }).click());
    expect(sums(zip.bytes)).toEqual({
      [files.picture.name]: files.picture.sha256,
      [files.large.name]: files.large.sha256,
    });
    await page.keyboard.press('Escape');
    await bar.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('group', { name: 'Show' }).waitFor();
  });

  test('cancelled midway, it leaves no complete-looking file', async () => {
    const { page } = friend;
    line.holdAnswers(4 * MIB);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all' }).click(),
    ]);
    await dock(page)
      .getByText(/[1-9][\d.]* MB saved/)
      .waitFor();
    await dock(page).getByRole('button', { name: 'Cancel' }).click();
    await dock(page).waitFor({ state: 'detached' });
    line.holdAnswers(null);
    expect(await download.failure()).not.toBeNull();
    await expect(download.path()).rejects.toThrow();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Download all/);
  });

  test('a file that fails to open ends the zip, with its name in the error', async () => {
    const { page } = friend;
    await damageStored(join(site.dataDir, 'blobs'), LARGE_BYTES);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all' }).click(),
    ]);
    const alert = dock(page).getByRole('alert');
    await alert.getByText('Packed_ in _ one_.zip was not saved').waitFor();
    const text = await alert.textContent();
    expect(text).toContain('HMAC verification failed for chunk');
    expect(text).toContain(files.large.name);
    expect(await download.failure()).not.toBeNull();
    await alert.getByRole('button', { name: 'Close' }).click();
    await dock(page).waitFor({ state: 'detached' });
  });
});

/** Changes a byte in the middle of each stored file that is so large. */
async function damageStored(folder: string, atLeastBytes: number): Promise<void> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of found) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    if (bytes.length < atLeastBytes) continue;
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    await writeFile(path, bytes);
  }
}

test('the browser reported no error', () => {
  expect(friend.problems()).toEqual([]);
});
