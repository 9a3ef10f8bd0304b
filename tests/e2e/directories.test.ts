import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { tabTo } from '../support/assistive.ts';
import { fullLinkOf, makeFolder, newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { unzip } from '../support/files.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** A tree of directories, from the owner's disk to a visitor's. The tests are one story and run in order. */

/** 100 files with the plan and an empty one: more rows and cards than are rendered at a time. */
const DAYS = 4;
const PHOTOS = 98;
const EMPTY = 'day 3/__init__.py';

let site: Site;
let owner: Visitor;
let friend: Visitor;
let dir: string;
let tree: string;
let link: string;

const paths = [...Array.from({ length: PHOTOS }, (_, at) => `day ${1 + (at % DAYS)}/photo ${1 + at}.txt`), EMPTY];
const contentOf = (path: string) => (path === EMPTY ? '' : `content of ${path}`);
const panel = (page: Page) => page.getByRole('region', { name: 'Upload', exact: true });
const card = (page: Page, name: string) => page.getByRole('gridcell').filter({ hasText: name });

/** As from the system's file manager, over the middle of the page. */
async function dropOn(page: Page, path: string): Promise<void> {
  const pointer = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await pointer.send('Input.dispatchDragEvent', { type, x: 700, y: 450, data });
  }
  await pointer.detach();
}

async function saved(page: Page, start: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent('download'), start()]);
  expect(await download.failure()).toBeNull();
  const files = unzip(await readFile(await download.path()));
  return { name: download.suggestedFilename(), files: new Map(files.map(({ name, bytes }) => [name, String(bytes)])) };
}

test.beforeAll(async ({ place }) => {
  const { browser } = place;
  ({ site } = place);
  [owner, friend] = await Promise.all([newVisitor(browser), newVisitor(browser)]);
  await signInAs(owner.page, site.url, 'mika');
  dir = await mkdtemp(join(tmpdir(), 'satchel-tree-'));
  tree = join(dir, 'Trip');
  for (const path of ['plan.txt', ...paths]) {
    await mkdir(join(tree, path, '..'), { recursive: true });
    await writeFile(join(tree, path), contentOf(path));
  }
});
inOrder();
afterAll(async () => {
  await Promise.all([owner?.close(), friend?.close(), dir && rm(dir, { recursive: true, force: true })]);
});

test('a dropped tree of 100 files is uploaded with its paths, which the server can’t read', async () => {
  const { page } = owner;
  await makeFolder(page, site.url, { name: 'Trees' });
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())}`));
  await dropOn(page, tree);
  await page.getByRole('button', { name: 'Upload 100 files' }).click();
  await page.getByText('100 completed').waitFor();
  await page.getByRole('button', { name: 'Folder Trip' }).click();
  await card(page, 'plan.txt').waitFor();
  await page.getByRole('button', { name: 'Folder day 2' }).click();
  await card(page, 'photo 2.txt').waitFor();
  // Not the bare words "day" and "Trip": hundreds of sealed labels in Base64 spell three or four letters now and then.
  expect(sent.filter((text) => /photo|plan\.txt|Trip(?:\/|%2F)|day(?: |%20|\+)\d/.test(text))).toEqual([]);
  link = await fullLinkOf(page);
});

test('the same tree again is there already; a changed file is kept beside, or replaces', async () => {
  const { page } = owner;
  await page.getByRole('button', { name: 'All files' }).click();
  await page.getByRole('button', { name: 'Clear All' }).click();
  await writeFile(join(tree, 'plan.txt'), 'another plan');
  await tabTo(page, 'Choose a folder');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
  await chooser.setFiles(tree);
  await page.getByText('99 files are already there, with the same content: ').waitFor();
  const question = page.getByRole('region', { name: 'Files of the same name' });
  await question.getByText('Trip/plan.txt').waitFor();
  await question.getByRole('button', { name: 'Keep both' }).click();
  await panel(page).getByText('plan (2).txt').waitFor();
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await page.getByText('1 completed').waitFor();
  await page.getByRole('button', { name: 'Clear All' }).click();
  await page.getByRole('button', { name: 'Folder Trip' }).click();
  await card(page, 'plan (2).txt').waitFor();
  // What is chosen in a directory goes there.
  await page.getByLabel('Choose files').setInputFiles(join(tree, 'plan.txt'));
  await question.getByRole('button', { name: 'Replace' }).click();
  // The file that is replaced goes after the other has come; a zip that is begun before would break off there.
  const isReplaced = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await page.getByText('1 completed').waitFor();
  expect((await isReplaced).ok()).toBe(true);
});

test('a visitor walks it by keyboard, and saves it with its paths, whole or by directory', async () => {
  const { page } = friend;
  await page.goto(link);
  await page.getByRole('button', { name: 'Folder Trip' }).focus();
  const all = await saved(page, () => page.getByRole('button', { name: 'Download all' }).click());
  expect([all.name, all.files.size]).toEqual(['Trees.zip', 101]);
  expect(all.files.get('Trip/plan.txt')).toBe('another plan');
  expect(all.files.get('Trip/plan (2).txt')).toBe('another plan');
  for (const path of paths) expect(all.files.get(`Trip/${path}`)).toBe(contentOf(path));
  await page.getByRole('region', { name: 'Download as zip' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Folder Trip' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('[aria-label="Folder day 1"]:focus').waitFor();
  await page.keyboard.press('ArrowRight');
  const day = await saved(page, () => page.keyboard.press('d'));
  expect(day.name).toBe('day 2.zip');
  expect([...day.files.keys()].sort()).toEqual(
    paths.flatMap((path) => (path.startsWith('day 2/') ? [path.slice('day 2/'.length)] : [])).sort(),
  );
  await page.getByRole('region', { name: 'Download as zip' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.locator('[aria-label^="photo "]:focus').waitFor();
  await page.goBack();
  await page.locator('[aria-label="Folder day 2"]:focus').waitFor();
  await page.getByRole('button', { name: 'Folder day 3' }).click();
  await card(page, '__init__.py').getByText('0 Bytes').waitFor();
  await card(page, '__init__.py').getByRole('button', { name: '__init__.py', exact: true }).click();
  await page.getByRole('dialog', { name: '__init__.py' }).getByText('This file is empty.').waitFor();
});
