import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import { findPersona } from '@satchel/discord-sandbox/personas/personas';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { card, inOrder, newVisitor, signInAs, test, type Visitor, visit } from '../support/browser.ts';
import { randomBytesOf } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { createRecorder } from '../support/leaks.ts';
import { createFolderAs } from '../support/people.ts';
import type { Site } from '../support/site.ts';

/** What is counted of a folder, and who sees it (DESIGN R7). One story, in order. */

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

const recent = (page: Page) => page.getByRole('region', { name: 'Recent Activity' });

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

  test('a folder without visits says so', async () => {
    const { page } = owner;
    await visit(page, infoOf(link));
    await page.getByText('No visits yet').waitFor();
    expect(await figures(page)).toEqual(['0', '0', '0']);
    await page.getByText('No signed-in visitor has come yet.').waitFor();
    await page.getByRole('meter', { name: 'Storage used' }).waitFor();
  });

  test('the owner’s own visits and downloads don’t count', async () => {
    const { page } = owner;
    await visit(page, link);
    await card(page, NOTES).waitFor();
    await downloadText(page);
    await visit(page, infoOf(link));
    await page.getByText('No visits yet').waitFor();
    expect(await figures(page)).toEqual(['0', '0', '0']);
  });

  test('the owner sees the figures rise while the tab is open: a visitor without an account, then one with', async () => {
    await visit(stranger.page, link);
    await card(stranger.page, NOTES).waitFor();
    await expect.poll(() => nextFigures(owner.page), { interval: 250 }).toEqual(['1', '0', '1']);
    await downloadText(stranger.page);
    await expect.poll(() => nextFigures(owner.page), { interval: 250 }).toEqual(['1', '1', '1']);
    await visit(viewer.page, link);
    await card(viewer.page, NOTES).waitFor();
    await downloadText(viewer.page);
    await expect.poll(() => nextFigures(owner.page), { interval: 250 }).toEqual(['2', '2', '2']);
  });

  test('a reload is no new visit', async () => {
    await visit(viewer.page, link);
    await card(viewer.page, NOTES).waitFor();
    await visit(owner.page, infoOf(link));
    await recent(owner.page).getByText('1 download').waitFor();
    expect(await figures(owner.page)).toEqual(['2', '2', '2']);
  });

  test('the owner sees the visitors, without e-mail addresses', async () => {
    const { page } = owner;
    const row = recent(page).getByRole('listitem');
    await expect.poll(() => row.count()).toBe(1);
    expect(await row.textContent()).toMatch(/Jonas.*jonas\.sandbox.*1 download/);
    expect(await row.locator('img').count()).toBe(1);
    expect(await page.locator('main').textContent()).not.toContain('@sandbox.example');
    expect(await axeViolations(page)).toEqual([]);
  });

  test('arrow keys read the chart, and one click shows its figures as a table', async () => {
    const { page } = owner;
    const chart = page.getByRole('slider', { name: /Activity over time/ });
    await chart.focus();
    const read: string[] = [];
    // The hour may change during the story: the visits are then in two hours.
    for (const key of ['Home', 'ArrowRight']) {
      await page.keyboard.press(key);
      const text = (await chart.getAttribute('aria-valuetext')) ?? '';
      if (!read.includes(text)) read.push(text);
    }
    const sum = (pattern: RegExp) => read.reduce((total, text) => total + Number(pattern.exec(text)?.[1] ?? 0), 0);
    expect(sum(/(\d+) views?,/)).toBe(2);
    expect(sum(/(\d+) downloads?$/)).toBe(2);
    await page.getByRole('button', { name: 'Show table' }).click();
    const rows = page.getByRole('region', { name: 'Activity table' }).getByRole('row');
    const cells = await rows.locator('td').allTextContents();
    expect(cells.reduce((total, text) => total + Number(text), 0)).toBe(4);
    await page.getByRole('button', { name: 'Show chart' }).click();
    await chart.waitFor();
  });

  test('a viewer sees the totals and themselves', async () => {
    const { page } = viewer;
    await visit(page, infoOf(link));
    await recent(page).getByText('You', { exact: true }).waitFor();
    expect(await figures(page)).toEqual(['2', '2', '2']);
    expect(await recent(page).getByRole('listitem').count()).toBe(1);
    expect(await recent(page).textContent()).toContain('Jonas');
    expect(await recent(page).textContent()).not.toContain('Mika');
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

  test('a visitor without an account is asked to sign up', async () => {
    await visit(stranger.page, infoOf(link));
    await stranger.page.getByText('Sign up to see detailed analytics').waitFor();
    expect(await stranger.page.getByText('Total Views').count()).toBe(0);
  });

  test('figures that fail to load say so, and load again on request', async () => {
    const { page } = viewer;
    viewer.allow(/500/);
    await page.route('**/get_folder_analytics', (route) => route.fulfill({ status: 500, body: '{}' }));
    await visit(page, infoOf(link));
    await page.getByText('The folder’s activity could not be loaded.').waitFor();
    await page.unroute('**/get_folder_analytics');
    await page.getByRole('alert').getByRole('button', { name: 'Try Again' }).click();
    await recent(page).getByText('You', { exact: true }).waitFor();
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
