import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, vi } from 'vitest';
import { BARE_PATH, newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { randomBytesOf } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import type { Line } from '../support/line.ts';
import { createFolderAs, type Person } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** What a test of uploads has the page itself do: these functions run in the page. */

function dropMany(count: number): void {
  const dataTransfer = new DataTransfer();
  for (let place = 0; place < count; place++) {
    dataTransfer.items.add(
      new File([`text ${place}`], `${String(place).padStart(4, '0')}.txt`, { type: 'text/plain' }),
    );
  }
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}

function focusedRow(): string | null {
  return document.activeElement?.closest('li')?.getAttribute('aria-posinset') ?? null;
}

function runningAnimations(): string[] {
  const running = document.getAnimations().filter(({ playState }) => playState === 'running');
  return running.map((animation) =>
    animation instanceof CSSTransition ? animation.transitionProperty : (animation as CSSAnimation).animationName,
  );
}

/** Drops a file that has a handle: one of the page's own file system, since a test can't drag one from the desk. */
async function dropWithHandle({ name, megabytes }: { name: string; megabytes: number }): Promise<void> {
  const handle = await (await navigator.storage.getDirectory()).getFileHandle(name, { create: true });
  const writable = await handle.createWritable();
  await writable.write(new Uint8Array(megabytes * 2 ** 20));
  await writable.close();
  Object.defineProperty(DataTransferItem.prototype, 'getAsFileSystemHandle', { value: async () => handle });
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(await handle.getFile());
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}

/** The owner's actions in the upload zone, and its questions and texts. */
const MIB = 1024 ** 2;
const panel = (page: Page) => page.getByRole('region', { name: 'Upload', exact: true });
const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Files to upload' }).getByRole('listitem').filter({ hasText: name });
const unfinishedOf = (page: Page) => page.getByRole('region', { name: 'Unfinished uploads' });

describe('the upload zone', () => {
  let dir: string;
  let line: Line;
  let site: Site;
  let owner: Visitor;
  let person: Person;
  let film: string;
  let page: Page;

  test.beforeAll(async ({ behindLine }) => {
    dir = await mkdtemp(join(tmpdir(), 'satchel-zone-'));
    film = join(dir, 'film.bin');
    await writeFile(film, randomBytesOf(10 * MIB));
    ({ line, site } = behindLine);
    owner = await newVisitor(behindLine.browser);
    ({ page } = owner);
    owner.allow(/net::ERR_|Failed to load resource/);
    person = await signInAs(owner.page, site.url, 'mika');
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  /** An empty folder, with its upload zone. */
  async function showZone(): Promise<void> {
    const folder = await createFolderAs(person, site, { name: 'Zone' });
    await page.goto(folder.link().replace('#', '?upload=true#'));
    await page.getByText('Drop files here or click to upload').waitFor();
  }

  async function closeZone(): Promise<void> {
    line.hold(null);
    for (const open of owner.context.pages()) if (open !== owner.page) await open.close();
    ({ page } = owner);
    await owner.page.goto(`${site.url}${BARE_PATH}`);
    await owner.page.unrouteAll();
    await deleteFolders();
    expect(owner.problems()).toEqual([]);
  }

  /** Files of an earlier test would count against the account in the next one. */
  async function deleteFolders(): Promise<void> {
    const folders = (await (await person.call('GET', '/rest/v1/folders?owner=me')).json()) as { id: string }[];
    for (const { id } of folders) {
      expect((await person.rpc('delete_folder_complete', { folder_id: id })).status).toBe(204);
    }
  }

  const choose = (...paths: string[]) => page.getByLabel('Choose files').setInputFiles(paths);
  const upload = (text: string) => page.getByRole('button', { name: text, exact: true }).click();
  const stoodStill = () => vi.waitUntil(() => line.heldCount() === 1, WAIT_MS);
  /** Sends the first MiB of the film; then its upload stands still. */
  async function sendBeginning(): Promise<void> {
    line.hold(MIB);
    await choose(film);
    await upload('Upload 1 file');
    await row(page, 'film.bin').getByRole('button', { name: 'Pause' }).waitFor();
    await stoodStill();
  }

  describe('choosing, on one page', () => {
    beforeAll(showZone);
    afterEach(async () => {
      const clear = page.getByRole('button', { name: 'Clear All' });
      if ((await clear.count()) === 0) return;
      await clear.click();
      await page.getByText('Drop files here or click to upload').waitFor();
    });
    afterAll(closeZone);

    test('renders the visible rows of a long queue, with their positions', async () => {
      await page.evaluate(dropMany, 500);
      await page.getByText('500 files selected').waitFor();
      const rows = page.getByRole('list', { name: 'Files to upload' }).getByRole('listitem');
      expect(await rows.count()).toBeLessThan(60);
      expect(await rows.first().getAttribute('aria-setsize')).toBe('500');
      // Arrow keys lead through the list's rows, beyond the rows that were rendered at first.
      const last = Number(await rows.last().getAttribute('aria-posinset'));
      await page.locator(`[aria-posinset="${last - 2}"] button`).focus();
      for (let place = last - 1; place <= last + 5; place++) {
        // Rendering takes a frame, and keys may be faster.
        await page.locator(`[aria-posinset="${place}"]`).waitFor();
        await page.keyboard.press('ArrowDown');
        await expect.poll(() => page.evaluate(focusedRow)).toBe(String(place));
      }
      expect(await axeViolations(page)).toEqual([]);
    });
  });

  describe('while a file uploads, on one page', () => {
    beforeAll(async () => {
      await showZone();
      await sendBeginning();
    });
    afterAll(closeZone);

    test('animates nothing while a file uploads: the page would be painted sixty times a second', async () => {
      await expect.poll(() => page.evaluate(runningAnimations)).toEqual([]);
      const bar = row(page, 'film.bin').getByRole('progressbar');
      await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
      expect(await page.evaluate(runningAnimations)).toEqual([]);
    });

    test('confirms a sign-out, too, and signs out on yes', async () => {
      await page.route('**/auth/v1/logout', (route) => route.abort(), { times: 1 });
      const signOut = page.getByRole('button', { name: 'Sign Out' });
      await signOut.click();
      const question = page.getByRole('alertdialog', { name: 'Leave while files are uploading?' });
      await question.getByRole('button', { name: 'Stay' }).click();
      await question.waitFor({ state: 'detached' });
      await row(page, 'film.bin').getByRole('button', { name: 'Pause' }).waitFor();
      await signOut.click();
      const refused = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/logout'));
      await question.getByRole('button', { name: 'Leave' }).click();
      // The server was not reached: the person is still signed in, and the uploads continue.
      await refused;
      await row(page, 'film.bin').getByRole('button', { name: 'Pause' }).waitFor();
      await signOut.click();
      await question.getByRole('button', { name: 'Leave' }).click();
      // The question whether to forget keys may be over it by then.
      await page.getByRole('link', { name: 'Sign In', includeHidden: true }).first().waitFor();
      await panel(page).waitFor({ state: 'detached' });
      person = await signInAs(page, site.url, 'mika');
    });
  });

  describe('uploading', () => {
    beforeEach(showZone);
    afterEach(closeZone);

    test('continues by one click after a reload where the browser keeps handles of files', async () => {
      line.hold(3 * MIB);
      await page.evaluate(dropWithHandle, { name: 'film.bin', megabytes: 10 });
      await upload('Upload 1 file');
      await stoodStill();
      page.once('dialog', (dialog) => void dialog.accept());
      await page.reload();
      line.letGo();
      await unfinishedOf(page).getByText('Resume it, and it continues where it stopped.').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      line.forget();
      await unfinishedOf(page).getByRole('button', { name: 'Resume' }).click();
      await page.getByText('1 completed').waitFor();
      expect(line.sentBytes()).toBeLessThan(9 * MIB);
    });

    test('cancels unfinished uploads, and frees their reserved space', async () => {
      await sendBeginning();
      page.once('dialog', (dialog) => void dialog.accept());
      await page.reload();
      line.letGo();
      await unfinishedOf(page).getByText('film.bin').waitFor();
      await unfinishedOf(page).getByRole('button', { name: 'Discard', exact: true }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Yes, Cancel' }).click();
      await unfinishedOf(page).waitFor({ state: 'detached' });
      const reserved = async () => (await (await person.call('GET', '/rest/v1/profiles/me')).json()).reserved_bytes;
      await expect.poll(reserved).toBe(0);
    });
  });

  describe('in two tabs', () => {
    afterEach(closeZone);

    test('the second tab shows that the first one uploads, and takes over when the first is closed', async () => {
      page = await owner.context.newPage();
      page.on('filechooser', () => undefined);
      await showZone();
      await sendBeginning();
      const other = owner.page;
      await other.goto(page.url());
      await other.getByText('Another tab is uploading 1 file to this folder.').waitFor();
      await other.getByLabel('Choose files').setInputFiles(film);
      await other.getByRole('button', { name: 'Upload 1 file' }).click();
      await row(other, 'film.bin').getByText('Error: Another tab is uploading this file').waitFor();
      await page.close({ runBeforeUnload: false });
      line.letGo();
      await other.getByText(/Another tab is uploading 1 file/).waitFor({ state: 'detached' });
      await row(other, 'film.bin').getByRole('button', { name: 'Retry' }).click();
      await other.getByText('1 completed').waitFor();
      await expect.poll(() => other.getByRole('gridcell').filter({ hasText: 'film.bin' }).count()).toBe(1);
    });
  });
});
