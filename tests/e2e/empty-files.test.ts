import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { card, chooseOpener, makeFolder, newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { sha256, unzip } from '../support/files.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** A project arrives with its empty files: up as a tree, and down as a zip. */

const PROJECT: Readonly<Record<string, string>> = {
  'main.py': 'import tools\n',
  'tools/__init__.py': '',
  'tools/photo.jpg': '',
  'tools/words.py': 'WORDS = []\n',
};

let site: Site;
let owner: Visitor;
let dir: string;

test.beforeAll(async ({ place }) => {
  ({ site } = place);
  owner = await newVisitor(place.browser);
  await signInAs(owner.page, site.url, 'mika');
  dir = await mkdtemp(join(tmpdir(), 'satchel-project-'));
  for (const [path, text] of Object.entries(PROJECT)) {
    await mkdir(join(dir, 'project', path, '..'), { recursive: true });
    await writeFile(join(dir, 'project', path), text);
  }
});
afterAll(async () => {
  await Promise.all([owner?.close(), dir && rm(dir, { recursive: true, force: true })]);
});

async function savedBy(page: Page, button: Locator): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(await download.failure()).toBeNull();
  return readFile(await download.path());
}

const sums = (zip: Buffer) => Object.fromEntries(unzip(zip).map(({ name, bytes }) => [name, sha256(bytes)]));

async function upload(page: Page): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a folder' }).click(),
  ]);
  await chooser.setFiles(join(dir, 'project'));
  await page.getByRole('button', { name: 'Upload 4 files' }).click();
  await page.getByText('4 completed').waitFor();
}

test('an encrypted folder has them, says that they are empty, and packs them', async () => {
  const { page } = owner;
  await makeFolder(page, site.url, { name: 'Project' });
  await upload(page);
  await page.getByRole('button', { name: 'Folder project' }).click();
  await card(page, 'main.py').waitFor();
  await page.getByRole('button', { name: 'Folder tools' }).click();
  await card(page, 'words.py').waitFor();
  for (const name of ['__init__.py', 'photo.jpg']) {
    await card(page, name).getByText('0 Bytes').waitFor();
    await card(page, name).getByRole('button', { name, exact: true }).click();
    const viewer = page.getByRole('dialog', { name });
    await viewer.getByText('This file is empty.').waitFor();
    expect(await savedBy(page, viewer.getByRole('button', { name: 'Download' }))).toHaveLength(0);
    await page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'All files' }).click();
  const expected = Object.entries(PROJECT).map(([path, text]) => [`project/${path}`, sha256(Buffer.from(text))]);
  expect(sums(await savedBy(page, page.getByRole('button', { name: 'Download all' })))).toEqual(
    Object.fromEntries(expected),
  );
  expect(owner.problems()).toEqual([]);
});

test('a plain folder has them, too', async () => {
  const { page } = owner;
  await makeFolder(page, site.url, { name: 'Open project', fill: (form) => chooseOpener(form, 'plain') });
  await upload(page);
  const expected = Object.entries(PROJECT).map(([path, text]) => [path.replace('/', ' - '), sha256(Buffer.from(text))]);
  for (const [name] of expected) await card(page, name!).waitFor();
  await card(page, 'tools - __init__.py').getByText('0 Bytes').waitFor();
  expect(sums(await savedBy(page, page.getByRole('button', { name: 'Download all' })))).toEqual(
    Object.fromEntries(expected),
  );
  expect(owner.problems()).toEqual([]);
});
