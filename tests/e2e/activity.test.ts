import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import { findPersona } from '@satchel/discord-sandbox/personas/personas';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { card, newVisitor, signInAs, type Visitor, visit } from '../support/browser.ts';
import { randomBytesOf } from '../support/files.ts';
import { createRecorder } from '../support/leaks.ts';
import { createFolderAs } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Visits and downloads are counted as they happen, and tell nobody who the owner is. One story, in order. */

const MIKAS_DISCORD_ID = findPersona('mika')!.user.id;
/** The Info tab asks again after this time. */
const REFRESH_MS = 10_000;
const NOTES = 'travel-notes.txt';
const FILES = [
  { name: NOTES, mimeType: 'text/plain', buffer: Buffer.from('The ferry leaves at nine.\n') },
  { name: 'world-save.bin', mimeType: 'application/octet-stream', buffer: randomBytesOf(1024 ** 2) },
];

let site: Site;
let browser: Browser;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
});
inOrder();

const infoOf = (link: string) => link.replace('#', '?tab=info#');

async function downloadText(page: Page): Promise<void> {
  const button = card(page, NOTES).getByRole('button', { name: 'Download' });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(await download.failure()).toBeNull();
}

/** Views, downloads and visitors on the Info tab. */
async function figures(page: Page): Promise<string[]> {
  const numbers = page.getByRole('region', { name: 'Folder Statistics' }).locator('dd');
  return (await numbers.allTextContents()).slice(0, 3);
}

/** The figures of a page that stays open, once its clock has come to the time of its next question. */
async function nextFigures(page: Page): Promise<string[]> {
  await page.clock.fastForward(REFRESH_MS);
  return figures(page);
}

describe('activity', () => {
  let owner: Visitor;
  let viewer: Visitor;
  let stranger: Visitor;
  let link: string;
  /** Requests and answers of the other people's browsers. */
  const traffic = createRecorder();

  beforeAll(async () => {
    [owner, viewer, stranger] = await Promise.all([newVisitor(browser), newVisitor(browser), newVisitor(browser)]);
    const person = await signInAs(owner.page, site.url, 'mika');
    await signInAs(viewer.page, site.url, 'jonas');
    link = (await createFolderAs(person, site, { name: 'Counted', files: FILES })).link();
    await owner.page.clock.install();
    // Start recording here: the sandbox's own sign-in page shows all of its people.
    for (const { context } of [viewer, stranger]) await traffic.watch(context);
  });
  afterAll(() => Promise.all([owner.close(), viewer.close(), stranger.close()]));

  test('the owner sees the figures rise while the tab is open: a visitor without an account, then one with', async () => {
    // Her own visits and downloads don't count.
    await visit(owner.page, link);
    await card(owner.page, NOTES).waitFor();
    await downloadText(owner.page);
    await visit(owner.page, infoOf(link));
    await expect.poll(() => figures(owner.page)).toEqual(['0', '0', '0']);
    await visit(stranger.page, link);
    await card(stranger.page, NOTES).waitFor();
    await expect.poll(() => nextFigures(owner.page), { interval: 250 }).toEqual(['1', '0', '1']);
    await downloadText(stranger.page);
    await expect.poll(() => nextFigures(owner.page), { interval: 250 }).toEqual(['1', '1', '1']);
    await visit(viewer.page, link);
    await card(viewer.page, NOTES).waitFor();
    await downloadText(viewer.page);
    await expect.poll(() => nextFigures(owner.page), { interval: 250 }).toEqual(['2', '2', '2']);
    await owner.page.getByRole('region', { name: 'Recent Activity' }).getByText('Jonas').first().waitFor();
    expect(await owner.page.locator('main').textContent()).not.toContain('@sandbox.example');
  });

  test('a zip of several files is one download', async () => {
    const { page } = stranger;
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all' }).click(),
    ]);
    expect(await download.failure()).toBeNull();
    await expect.poll(() => nextFigures(owner.page), { interval: 250 }).toEqual(['2', '3', '2']);
  });

  test('the owner’s picture is seen by others, whose browsers never meet the owner’s Discord id, nor Discord', async () => {
    for (const { page } of [viewer, stranger]) {
      await visit(page, link);
      const picture = page.locator('main img[src*="/people/"]').first();
      await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    }
    const all = [...traffic.sent, ...(await traffic.received())];
    expect(all.filter(({ path }) => path.includes('/people/')).length).toBeGreaterThan(1);
    expect(all.some(({ path, text }) => path === CHANGES_PATH && text.includes('data: {'))).toBe(true);
    for (const { text } of all) {
      expect(text).not.toContain(MIKAS_DISCORD_ID);
      expect(text.startsWith(site.sandboxUrl)).toBe(false);
    }
  });

  test('no browser reported an error', () => {
    for (const person of [owner, viewer, stranger]) expect(person.problems()).toEqual([]);
  });
});
