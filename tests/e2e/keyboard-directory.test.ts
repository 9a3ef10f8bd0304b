import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { focused, tabTo } from '../support/assistive.ts';
import { newVisitor, signInAs, test } from '../support/browser.ts';
import { twelveFiles, unzip } from '../support/files.ts';

/** A directory of many kinds of files, from the owner's disk to a friend's, without a mouse. */

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

let dir: string;
afterAll(() => rm(dir, { recursive: true, force: true }));

test('a directory is uploaded, handed on, walked through and saved whole by keyboard alone', async ({
  place: { site, browser },
}) => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-trip-'));
  const owner = await newVisitor(browser);
  const { page } = owner;
  await signInAs(page, site.url, 'mika');
  await page.goto(`${site.url}/upload`);
  await page.getByText('Drop files here or click to upload').waitFor();
  const files = await twelveFiles(page);
  expect(files.size).toBe(12);
  const trip = join(dir, 'Trip');
  await mkdir(trip);
  for (const [name, bytes] of files) await writeFile(join(trip, name), bytes);

  await tabTo(page, 'Choose a folder');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
  await chooser.setFiles(trip);
  await page.getByText('12 files selected').waitFor();
  await tabTo(page, /^Folder name/);
  await page.keyboard.type('By keys');
  await tabTo(page, /^Anyone with my full link/);
  await page.keyboard.press('ArrowDown');
  await page.getByRole('radio', { name: /^People in a Discord channel or chat/, checked: true }).waitFor();
  await page.keyboard.press('ArrowUp');
  await page.getByRole('radio', { name: /^Anyone with my full link/, checked: true }).waitFor();
  await tabTo(page, /^Create folder$/i);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '12 files are in' }).waitFor();
  await tabTo(page, 'Copy link');
  await page.keyboard.press('Enter');
  await expect.poll(() => copied(page)).toMatch(/#k=[\w-]{43}$/);

  const friend = await newVisitor(browser);
  await friend.page.goto(await copied(page));
  await friend.page.getByRole('button', { name: 'Folder Trip' }).waitFor();
  await tabTo(friend.page, 'Folder Trip');
  await friend.page.keyboard.press('Enter');
  await expect.poll(() => focused(friend.page)).toSatisfy((name: string) => files.has(name));
  // A card takes no press while its file is opened, which may begin at any moment.
  const viewer = friend.page.getByRole('dialog');
  await expect
    .poll(
      async () => {
        if ((await viewer.count()) === 0) await friend.page.keyboard.press('Enter');
        return viewer.count();
      },
      { interval: 500 },
    )
    .toBe(1);
  const walked = new Set<string>();
  for (let number = 1; number <= files.size; number += 1) {
    const dialog = friend.page.getByRole('dialog').filter({ hasText: `${number} / 12` });
    walked.add((await dialog.getByRole('heading').first().textContent()) ?? '');
    await friend.page.keyboard.press('ArrowRight');
  }
  expect([...walked].sort()).toEqual([...files.keys()].sort());
  await friend.page.keyboard.press('Escape');
  await friend.page.getByRole('dialog').waitFor({ state: 'detached' });
  await tabTo(friend.page, /^Download all/, { key: 'Shift+Tab' });
  const [download] = await Promise.all([friend.page.waitForEvent('download'), friend.page.keyboard.press('Enter')]);
  const members = unzip(await readFile(await download.path()));
  // All of the folder, wherever in it the person is: the directory keeps its name.
  expect(members.map(({ name }) => name).sort()).toEqual([...files.keys()].map((name) => `Trip/${name}`).sort());
  expect([...owner.problems(), ...friend.problems()]).toEqual([]);
  await friend.close();
  await owner.close();
});
