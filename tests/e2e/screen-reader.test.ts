import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { focused, type Hearing, listenTo } from '../support/assistive.ts';
import { newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { noisePng, randomBytesOf } from '../support/files.ts';
import type { Line } from '../support/line.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/**
 * A file's way for a person who uses a screen reader: the accessibility tree at each step, and the announcements.
 * The tests are one story and run in order.
 */

const FILM_BYTES = 30 * 1024 ** 2;
/** What passes of a file before its upload stands still, half-way. */
const HELD_BYTES = FILM_BYTES / 2;

const panel = (page: Page) => page.getByRole('region', { name: 'Upload', exact: true });
const card = (page: Page, name: string) => page.getByRole('gridcell').filter({ hasText: name });

/** The accessibility tree, without figures that differ from run to run. */
const treeOf = async (part: Locator) =>
  (await part.ariaSnapshot())
    .replaceAll(/\d+(\.\d+)? (KB|MB|GB)/g, '# $2')
    .replaceAll(/\d+%/g, '#%')
    .replaceAll(/about \d+ s left/g, 'about # s left');

describe('a person who uses a screen reader', () => {
  let dir: string;
  let line: Line;
  let site: Site;
  let browser: Browser;
  let owner: Visitor;
  let hearing: Hearing;

  test.beforeAll(async ({ behindLine }) => {
    dir = await mkdtemp(join(tmpdir(), 'satchel-heard-'));
    ({ line, site, browser } = behindLine);
    owner = await newVisitor(browser);
    // The network fails on purpose.
    owner.allow(/net::ERR_INTERNET_DISCONNECTED/);
    hearing = await listenTo(owner.page);
    await signInAs(owner.page, site.url, 'mika');
    await owner.page.goto(`${site.url}/upload`);
  });
  inOrder();
  afterAll(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  test('creates a folder and hears the zone with its limits', async () => {
    const { page } = owner;
    await page.getByRole('textbox', { name: 'Folder name' }).fill('Heard aloud');
    await page.getByRole('button', { name: /^Create folder$/i }).click();
    await page.getByRole('heading', { name: 'No files yet' }).waitFor();
    const zone = page.getByRole('button', { name: 'Drop files here or click to upload', exact: true });
    await expect
      .poll(() => zone.evaluate(descriptionOf))
      .toMatch(/^Support for multiple files up to 100MB each 1\.00 GB for your account, [\d.]+ [MG]B left$/);
    expect(await treeOf(panel(page))).toBe(EMPTY);
    // Screen readers read a new page's title and focus; no further announcement.
    expect(await hearing.heard()).toEqual([]);
  });

  test('chooses files and hears which were accepted, and at once which was not', async () => {
    const { page } = owner;
    const paths = ['boat.png', 'film.bin', 'backup.iso'].map((name) => join(dir, name));
    const [boat = '', film = '', backup = ''] = paths;
    await writeFile(boat, noisePng(64, 64));
    await writeFile(film, randomBytesOf(FILM_BYTES));
    await writeFile(backup, '');
    await truncate(backup, 101 * 1024 ** 2);
    await page.getByRole('button', { name: 'Drop files here' }).focus();
    await page.getByLabel('Choose files').setInputFiles(paths);
    await page.getByRole('button', { name: 'Upload 2 files' }).waitFor();
    await expect
      .poll(hearing.gathering())
      .toEqual([
        'assertive: 2 of 3 files added to the upload list; for the others: File size (101MB) exceeds maximum allowed size (100MB)',
      ]);
    expect(await treeOf(panel(page))).toBe(CHOSEN);
    // The zone was removed; the next control has the focus.
    await expect.poll(() => focused(page)).toBe('Upload 2 files');
  });

  test('uploads and hears quarters of the whole, and its end, but no step between', async () => {
    const { page } = owner;
    line.hold(HELD_BYTES);
    await page.keyboard.press('Enter');
    const list = panel(page).getByRole('list', { name: 'Files to upload' });
    const film = list.getByRole('listitem').filter({ hasText: 'film.bin' });
    const pause = film.getByRole('button', { name: 'Pause' });
    await pause.waitFor();
    expect(await pause.evaluate(descriptionOf)).toBe('film.bin');
    await panel(page).getByText('1 completed').waitFor();
    await film.getByText(/^Uploading/).waitFor();
    expect(await treeOf(film)).toBe(SENDING);
    // The pressed button keeps the focus.
    await expect.poll(() => focused(page)).toBe('Upload 1 file');
    line.hold(null);
    await panel(page).getByText('2 completed').waitFor();
    const heard = hearing.gathering();
    await expect.poll(heard).toContain('polite: 2 files uploaded');
    const all = await heard();
    // A disk that is slow for a while acknowledges two quarters at once: then only the later one is said.
    const quarters = [25, 50, 75].map((percent) => `polite: Upload ${percent}% done`);
    const saidQuarters = quarters.filter((words) => all.includes(words));
    expect(all).toEqual([...saidQuarters, 'polite: 2 files uploaded']);
    expect(saidQuarters).not.toEqual([]);
    // The pressed button is gone: what comes next has the focus.
    await expect.poll(() => focused(page)).toBe('Copy link');
  });

  test('pauses with the button that then resumes, and keeps the focus on it', async () => {
    const { page } = owner;
    await page.getByRole('button', { name: 'Clear All' }).click();
    await expect.poll(() => focused(page)).toMatch(/^Drop files here or click to upload/);
    line.hold(HELD_BYTES);
    // The same file again would be there already.
    const another = join(dir, 'another.bin');
    await writeFile(another, randomBytesOf(FILM_BYTES));
    await page.getByLabel('Choose files').setInputFiles(another);
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.getByText(/Paused at/).waitFor();
    await expect.poll(() => focused(page)).toBe('Resume');
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe('Cancel');
    await page.keyboard.press('Enter');
    // If a part of the file is uploaded already, the page asks first.
    const yes = page.getByRole('button', { name: 'Yes, Cancel' });
    const zone = page.getByRole('button', { name: 'Drop files here' });
    await yes.or(zone).waitFor();
    if (await yes.isVisible()) await yes.press('Enter');
    await zone.waitFor();
    await expect.poll(() => focused(page)).toMatch(/^Drop files here or click to upload/);
    line.hold(null);
    const [added, ...quarters] = await hearing.heard();
    expect(added).toBe('polite: 1 file added to the upload list');
    expect(quarters).toEqual(quarters.map(() => expect.stringMatching(/^polite: Upload \d+% done$/)));
  });

  test('hears that the network is lost, and that it is back', async () => {
    await owner.context.setOffline(true);
    await expect.poll(hearing.gathering()).toEqual([expect.stringMatching(/^polite: You are offline\./)]);
    const banner = owner.page.getByRole('complementary', { name: 'Connection' });
    expect(await treeOf(banner)).toContain('You’re offline. Uploads are paused and will resume by themselves.');
    await owner.context.setOffline(false);
    await expect.poll(hearing.gathering()).toEqual([expect.stringMatching(/^polite: Back online\./)]);
    await banner.waitFor({ state: 'detached' });
  });

  test('confirms its deletion, and hears that it is deleted', async () => {
    const { page } = owner;
    await card(page, 'boat.png').getByText('Cached').waitFor();
    await card(page, 'boat.png').getByRole('button', { name: 'boat.png', exact: true }).focus();
    expect(await hearing.heard()).toEqual([]);
    await page.keyboard.press('Delete');
    const question = page.getByRole('alertdialog');
    await question.waitFor();
    await expect.poll(() => focused(page)).toBe('Cancel');
    const tree = await treeOf(question);
    expect(tree).toContain('boat.png');
    await question.getByRole('button', { name: /^Yes, Delete/ }).press('Enter');
    await card(page, 'boat.png').waitFor({ state: 'detached' });
    await expect.poll(hearing.gathering()).toEqual([expect.stringMatching(/^polite: .*boat\.png.*deleted/)]);
    expect(owner.problems()).toEqual([]);
  });
});

const EMPTY = `
- region "Upload":
  - button "Drop files here or click to upload"
  - paragraph: Support for multiple files up to 100MB each
  - paragraph: # GB for your account, # GB left
  - paragraph:
    - button "Choose a folder"
`.trim();

const CHOSEN = `
- region "Upload":
  - region "Files that were not added":
    - paragraph: 1 file was not added
    - list:
      - listitem: "backup.iso: File size (101MB) exceeds maximum allowed size (100MB)"
    - button "Dismiss"
  - heading "2 files selected" [level=2]
  - list "By status":
    - listitem: 2 pending
  - button "Add More Files"
  - progressbar "Overall upload progress"
  - paragraph: #% of # MB
  - list "Files to upload":
    - listitem:
      - paragraph: boat.png
      - paragraph: # KB image/png Pending
      - button "Remove"
    - listitem:
      - paragraph: film.bin
      - paragraph: # MB application/octet-stream Pending
      - button "Remove"
  - text: Remove place and device from photos and videos
  - paragraph: Removes place, time, device and serial numbers from JPEG, PNG, WebP, HEIC, GIF and TIFF pictures and from MP4 and MOV videos, and the video from motion photos. What they show stays the same.
  - switch "Remove place and device from photos and videos" [checked]
  - button "Upload 2 files"
  - button "Clear All"
  - paragraph: Encrypted in this browser before upload
  - paragraph: Up to # MB a file · # GB for your account, # GB left
`.trim();

const SENDING = `
- listitem:
  - paragraph: film.bin
  - paragraph: # MB application/octet-stream Uploading #%
  - progressbar "film.bin progress"
  - button "Pause"
  - button "Cancel"
`.trim();

/** Runs in the page: the description, which is read after the name. */
function descriptionOf(element: Element): string {
  const ids = element.getAttribute('aria-describedby')?.split(/\s+/) ?? [];
  return ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
}
