import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor, withoutSocket } from '../support/browser.ts';
import { randomBytesOf } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { createFolderAs } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** The profile's list of unfinished uploads, including those whose record the browser has lost. */

const MIB = 1024 ** 2;

/** Starts an upload without a record, as after a browser's storage was cleared. Runs in the page. */
async function beginAndForget({ slug, name, length, sent }: Record<string, string | number>): Promise<void> {
  const { session } = await (await fetch('/auth/v1/session')).json();
  const folder = await (await fetch(`/rest/v1/folders/${slug}`)).json();
  const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${session.access_token}` };
  const metadata = { bucketName: 'unlocked-folders', objectName: `${folder.bucket_storage_path}/${name}` };
  const made = await fetch('/storage/v1/upload/resumable', {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(length),
      'upload-metadata': Object.entries(metadata)
        .map(([key, value]) => `${key} ${btoa(value)}`)
        .join(','),
    },
  });
  await fetch(made.headers.get('location') ?? '', {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(Number(sent)),
  });
}

async function reservedBytes(): Promise<number> {
  return ((await (await fetch('/rest/v1/profiles/me')).json()) as { reserved_bytes: number }).reserved_bytes;
}

describe('unfinished uploads on the profile', () => {
  inOrder();
  let site: Site;
  let browser: Browser;
  let owner: Visitor;
  let page: Page;
  let link: string;
  let dir: string;
  let film: string;

  test.beforeAll(async ({ place }) => {
    ({ site, browser } = place);
    dir = await mkdtemp(join(tmpdir(), 'satchel-unfinished-'));
    film = join(dir, 'film.bin');
    await writeFile(film, randomBytesOf(8 * MIB));
    owner = await newVisitor(browser);
    // One list request fails on purpose, and closing tabs cuts uploads.
    owner.allow(/Failed to load resource|net::ERR_/);
    page = owner.page;
    const mika = await signInAs(page, site.url, 'mika');
    link = (await createFolderAs(mika, site, { name: 'Holiday' })).link();
  });

  afterAll(() => rm(dir, { recursive: true, force: true }));

  const section = () => page.getByRole('region', { name: 'Unfinished uploads' });
  const row = (text: string) => section().getByRole('listitem').filter({ hasText: text });
  const lose = (name: string, length: number, sent: number) =>
    page.evaluate(beginAndForget, { slug: new URL(link).pathname.split('/').at(-1) ?? '', name, length, sent });
  const goToProfile = async () => {
    await page.goto(`${site.url}/profile`);
    await page.getByRole('heading', { name: 'My Folders (1)' }).waitFor();
    await page.getByRole('region', { name: 'Where you’re signed in' }).waitFor();
  };

  test('have no section when there are none', async () => {
    await goToProfile();
    expect(await section().count()).toBe(0);
  });

  test('show folder, size and time; a list that fails shows an error and loads again', async () => {
    await lose('one_1700000000000_abcdefgh.bin.enc', 10 * MIB, 4 * MIB);
    await lose('two_1700000000000_abcdefgh.bin.enc', 3 * MIB, 0);
    await lose('three_1700000000000_abcdefgh.bin.enc', 2 * MIB, MIB);
    await page.route('**/rest/v1/uploads?owner=me', (route) => route.abort());
    await goToProfile();
    await section().getByRole('alert').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.unroute('**/rest/v1/uploads?owner=me');
    await section().getByRole('button', { name: 'Try Again' }).click();
    await row('4.00 MB of 10.00 MB stored, started').waitFor();
    await row('0 Bytes of 3.00 MB stored, started').waitFor();
    expect(await section().getByRole('listitem').count()).toBe(3);
    // File names are sealed, and the list doesn't show them.
    expect(await section().textContent()).not.toContain('abcdefgh');
    await row('10.00 MB').getByRole('link', { name: 'Holiday' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  test('are cancelled by keyboard after a confirmation, and free their space', async () => {
    const cancel = row('of 10.00 MB').getByRole('button', { name: 'Cancel' });
    // Screen readers read the upload's description with the button.
    expect(
      await cancel.evaluate(
        (button) => document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent,
      ),
    ).toMatch(/^To Holiday4\.00 MB of 10\.00 MB stored, started/);
    await cancel.focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Cancel this upload?' });
    await question.getByText(/frees 10\.00 MB of your storage/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep');
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => cancel.evaluate((button) => button === document.activeElement)).toBe(true);

    // The server can't be reached: the dialog shows the error and offers another try.
    await page.route('**/storage/v1/upload/resumable/*', (route) => route.abort());
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Yes, Cancel' }).click();
    await question.getByRole('alert').getByText('1 upload could not be cancelled. Try again.').waitFor();
    await page.unroute('**/storage/v1/upload/resumable/*');
    await question.getByRole('button', { name: 'Yes, Cancel' }).click();
    await row('of 10.00 MB').waitFor({ state: 'detached' });
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Unfinished uploads');
    expect(await section().getByRole('listitem').count()).toBe(2);
    expect(await page.evaluate(reservedBytes)).toBe(5 * MIB);
  });

  test('one that runs in another tab says so, and is cancelled there', async () => {
    await withoutSocket(owner.context);
    const other = await owner.context.newPage();
    await other.goto(link);
    // Start and never finish: closing the tab releases the body that the route holds, which is not the whole file.
    await owner.context.route(/upload\/resumable\//, (route) =>
      route.request().method() === 'PATCH' ? undefined : route.fallback(),
    );
    // By its path: Playwright takes some 15 s of a slow machine to hand 8 MiB to a page.
    await other.getByLabel('Choose files').setInputFiles(film);
    await other.getByRole('button', { name: 'Upload 1 file' }).click();
    await expect.poll(() => page.evaluate(reservedBytes)).toBeGreaterThan(5 * MIB);
    await goToProfile();
    const running = row('Uploading now');
    await running.waitFor();
    expect(await running.getByRole('button').count()).toBe(0);
    await other.close({ runBeforeUnload: false });
    // No tab uploads it any more: the next load of the list shows that.
    await expect
      .poll(async () => {
        await goToProfile();
        await section().getByRole('listitem').first().waitFor();
        return section().getByRole('button', { name: 'Cancel', exact: true }).count();
      })
      .toBe(3);
    // Only the one that this browser began goes on here: its folder's page asks for the file.
    await section().getByRole('link', { name: 'Resume' }).click();
    await page.getByRole('region', { name: 'Unfinished uploads' }).getByText('1 upload was not finished').waitFor();
    await goToProfile();
  });

  test('all of them are cancelled at once, and the section disappears', async () => {
    await section().getByRole('button', { name: 'Cancel all' }).click();
    const question = page.getByRole('alertdialog', { name: 'Cancel 3 uploads?' });
    await question.getByRole('button', { name: 'Yes, Cancel' }).click();
    await section().waitFor({ state: 'detached' });
    await question.waitFor({ state: 'detached' });
    expect(await page.evaluate(reservedBytes)).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    expect(owner.problems()).toEqual([]);
  });
});
