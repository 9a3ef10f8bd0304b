import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { type Hearing, listenTo } from '../support/assistive.ts';
import { newVisitor, signInAs } from '../support/browser.ts';
import { twelveFiles, unzip } from '../support/files.ts';
import { test } from '../support/shared.ts';

/**
 * The whole job by the accessibility tree alone: what is used is found in the tree by its role and name, and what happens
 * is heard or read there. What each step says is upload-news.test.ts and say-upload-news.test.ts.
 */

type Role = 'button' | 'radio' | 'textbox' | 'tab';

const treeOf = (page: Page) => page.locator('body').ariaSnapshot();

/** Controls and pictures that a screen reader would call by their role only. */
const namelessIn = (tree: string) =>
  tree
    .split('\n')
    .filter((line) => /^\s*- (button|link|radio|checkbox|switch|textbox|tab|img|dialog)( \[|:|$)/.test(line));

/** Presses a key on what the tree has under this role and name. */
async function use(page: Page, role: Role, name: string, key = 'Enter'): Promise<void> {
  await expect.poll(() => treeOf(page)).toContain(`- ${role} "${name}`);
  expect(namelessIn(await treeOf(page))).toEqual([]);
  await page.getByRole(role, { name }).first().press(key);
}

const hears = (hearing: Hearing, words: string | RegExp) =>
  expect.poll(hearing.gathering()).toContainEqual(typeof words === 'string' ? words : expect.stringMatching(words));

let dir: string;
afterAll(() => rm(dir, { recursive: true, force: true }));

test('a directory is uploaded, handed on, walked through and saved whole by what a screen reader tells', async ({
  place: { site, browser },
}) => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-told-'));
  const owner = await newVisitor(browser);
  const { page } = owner;
  const hearing = await listenTo(page);
  await signInAs(page, site.url, 'mika');
  await page.goto(`${site.url}/upload`);
  const files = await twelveFiles(page);
  const trip = join(dir, 'Trip');
  await mkdir(trip);
  for (const [name, bytes] of files) await writeFile(join(trip, name), bytes);

  await expect.poll(() => treeOf(page)).toContain('- heading "Create a folder" [level=1]');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), use(page, 'button', 'Choose a folder')]);
  await chooser.setFiles(trip);
  await hears(hearing, 'polite: 12 files added to the upload list');
  await page.getByRole('textbox', { name: 'Folder name' }).fill('By ear');
  await expect
    .poll(() => treeOf(page))
    .toMatch(/- group "Who can open it\?":\n.*\n\s+- radio "Anyone with my full link.*\[checked\]/);
  await use(page, 'radio', 'People in a Discord channel or chat', 'Space');
  await expect.poll(() => treeOf(page)).toMatch(/- radio "People in a Discord channel or chat.*\[checked\]/);
  await use(page, 'radio', 'Anyone with my full link', 'Space');
  await use(page, 'button', 'Create Folder');
  await hears(hearing, 'polite: 12 files uploaded');
  // The folder's page is a new one: the focus is at its beginning, and the link comes before the files.
  await expect
    .poll(() => treeOf(page))
    .toMatch(/- heading "12 files are in"[\s\S]*- button "Copy link"[\s\S]*- grid "Files"/);
  await use(page, 'button', 'Copy link');
  await hears(hearing, /^polite: .*copied/i);
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/#k=[\w-]{43}$/);

  const friend = await newVisitor(browser);
  const told = await listenTo(friend.page);
  await friend.page.goto(link);
  await expect.poll(() => treeOf(friend.page)).toContain('- heading "By ear" [level=1]');
  expect(await treeOf(friend.page)).toMatch(/- paragraph: From .+ left/);
  await use(friend.page, 'button', 'Folder Trip');
  const cells = friend.page.getByRole('grid', { name: 'Files' }).getByRole('gridcell');
  await expect.poll(() => cells.count()).toBe(files.size);
  const first = (await cells.first().getByRole('button').first().getAttribute('aria-label')) ?? '';
  // Its card says API while it is being opened, too.
  const opened = cells.first().getByText('Cached', { exact: true });
  await opened.or(cells.first().locator('img')).first().waitFor({ state: 'attached' });
  await expect.poll(() => cells.first().getByRole('button', { name: 'Download' }).isEnabled()).toBe(true);
  await use(friend.page, 'button', first);
  const walked = new Set<string>();
  for (let number = 1; number <= files.size; number += 1) {
    const dialog = friend.page.getByRole('dialog').filter({ hasText: `${number} / 12` });
    const name = (await dialog.getByRole('heading').first().textContent()) ?? '';
    walked.add(name);
    const tree = await dialog.ariaSnapshot();
    expect(tree).toContain(`- dialog "${name}"`);
    expect(namelessIn(tree)).toEqual([]);
    if (number > 1) await hears(told, `polite: ${name}, ${number} of 12`);
    await use(friend.page, 'button', 'Next file');
  }
  expect([...walked].sort()).toEqual([...files.keys()].sort());
  await use(friend.page, 'button', 'Close');
  await friend.page.getByRole('dialog').waitFor({ state: 'detached' });
  const [download] = await Promise.all([
    friend.page.waitForEvent('download'),
    use(friend.page, 'button', 'Download all'),
  ]);
  const members = unzip(await readFile(await download.path()));
  expect(members.map(({ name }) => name).sort()).toEqual([...files.keys()].map((name) => `Trip/${name}`).sort());
  await hears(told, /^polite: .*(saved|zip|downloaded)/i);
  expect([...owner.problems(), ...friend.problems()]).toEqual([]);
  await friend.close();
  await owner.close();
});
