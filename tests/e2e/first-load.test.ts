import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor, type VisitorOptions } from '../support/browser.ts';
import { createFolderAs } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Bytes of a page before any interaction, as they come over the line to a real browser. */

const KB = 1024;
const BUDGET = { landing: 115 * KB, folder: 155 * KB };
/** From the page's own address to the first name, fonts and icons included. */
const REQUESTS_MAX = 12;
const LAYOUT_SHIFT_MAX = 0.02;

let site: Site;
let browser: Browser;
let owner: Visitor;
let plainLink: string;
let sealedLink: string;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  owner = await newVisitor(browser);
  const mika = await signInAs(owner.page, site.url, 'mika');
  const files = [{ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Nine o’clock.') }];
  plainLink = (await createFolderAs(mika, site, { name: 'Open letters', files, mode: 'plain' })).link();
  sealedLink = (await createFolderAs(mika, site, { name: 'Sealed letters', files })).link();
});

/** A folder's page follows its changes by a request that does not end, with which a page never comes to rest. */
async function withoutChanges(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setBlockedURLs', { urls: [`*${CHANGES_PATH}`] });
}

async function firstVisit(options: VisitorOptions = {}): Promise<Visitor> {
  const visitor = await newVisitor(browser, options);
  await withoutChanges(visitor.page);
  return visitor;
}

interface Script {
  readonly path: string;
  readonly wireBytes: number;
}

/** The scripts of a first visit in a fresh profile, as large as they were sent. */
async function scriptsOf(page: Page, url: string, ready: (page: Page) => Promise<void>): Promise<Script[]> {
  const scripts: Promise<Script>[] = [];
  page.on('response', (response) => {
    if (!/javascript/.test(response.headers()['content-type'] ?? '') || response.request().serviceWorker()) return;
    const { pathname: path } = new URL(response.url());
    scripts.push(
      response
        .request()
        .sizes()
        .then(({ responseBodySize }) => ({ path, wireBytes: responseBodySize })),
    );
  });
  await page.goto(url);
  await ready(page);
  await page.waitForLoadState('networkidle');
  return Promise.all(scripts);
}

const list = (scripts: readonly Script[]) =>
  scripts.map(({ path, wireBytes }) => `${(wireBytes / KB).toFixed(1)} KB ${path}`).join('\n');
/** The file's name without its hash; the hash may contain any characters. */
const nameOf = ({ path }: Script) => path.replace(/-[\w-]{8}(?=\.js$)/, '');
const total = (scripts: readonly Script[]) => scripts.reduce((sum, { wireBytes }) => sum + wireBytes, 0);

/** Parts that must load on request only. */
const LATER = /worker|tus|viewer|share|zip|chart|info-tab|settings|passphrase|argon|qr|zoom|locales?\/de|\/de-/i;

const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((entries) => {
          for (const entry of entries.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
            if (!entry.hadRecentInput) sum += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
        // The observer reports earlier entries in its own task, and a frame's entries once that is over.
        requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => resolve(sum))));
      }),
  );

describe('the JavaScript of a first visit', () => {
  test('to the landing page is at most 115 KB, and nothing jumps', async () => {
    const { page, close } = await firstVisit();
    const scripts = await scriptsOf(page, site.url, (shown) => shown.getByText('How It Works').first().waitFor());
    expect(total(scripts), list(scripts)).toBeLessThanOrEqual(BUDGET.landing);
    expect(await shiftOf(page)).toBeLessThanOrEqual(LAYOUT_SHIFT_MAX);
    await close();
  });

  test.each([
    ['a plain folder', () => plainLink, 'note.txt'],
    ['an encrypted folder without its key', () => sealedLink.replace(/#.*/, ''), 'Sealed letters'],
  ])('to %s is at most 155 KB, without what opens and shows files', async (_name, link, text) => {
    const { page, close } = await firstVisit();
    const scripts = await scriptsOf(page, link(), (shown) => shown.getByText(text).first().waitFor());
    expect(total(scripts), list(scripts)).toBeLessThanOrEqual(BUDGET.folder);
    expect(scripts.map(nameOf).filter((name) => LATER.test(name))).toEqual([]);
    await close();
  });

  test('to one’s own folder is at most 155 KB, too', async () => {
    const context = await browser.newContext({ storageState: await owner.context.storageState() });
    const page = await context.newPage();
    await withoutChanges(page);
    const scripts = await scriptsOf(page, plainLink, (shown) => shown.getByText('note.txt').first().waitFor());
    expect(total(scripts), list(scripts)).toBeLessThanOrEqual(BUDGET.folder);
    await context.close();
  });
});

interface Arrived {
  readonly path: string;
  readonly wireBytes: number;
  readonly askedMs: number;
  readonly endedMs: number;
}

/** Opens a page in a first visit, and notes when it shows the name of a file. */
async function openUntilName(page: Page, url: string, name: string): Promise<void> {
  await page.addInitScript((fileName) => {
    const look = () => {
      if (!document.querySelector(`[role=gridcell] [aria-label="${fileName}"]`)) return;
      observer.disconnect();
      performance.mark('name');
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  }, name);
  await page.goto(url);
  await page.getByText(name).first().waitFor();
}

/** All that has been asked for before the name of the file was there, in the order of asking. */
const askedBeforeName = (page: Page): Promise<Arrived[]> =>
  page.evaluate(() => {
    const [mark] = performance.getEntriesByName('name');
    const asked = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ] as PerformanceResourceTiming[];
    return asked
      .filter(({ startTime }) => startTime < (mark?.startTime ?? Number.POSITIVE_INFINITY))
      .map(({ name, encodedBodySize, startTime, responseEnd }) => ({
        path: new URL(name).pathname,
        wireBytes: encodedBodySize,
        askedMs: startTime,
        endedMs: responseEnd,
      }));
  });

test('a visitor of an encrypted folder sees its first name after at most 12 requests and 155 KB of scripts, and nothing jumps', async () => {
  const { page, close } = await firstVisit();
  await openUntilName(page, sealedLink, 'note.txt');
  await page.waitForLoadState('networkidle');
  const asked = await askedBeforeName(page);
  const told = asked.map(({ path, wireBytes }) => `${(wireBytes / KB).toFixed(1)} KB ${path}`).join('\n');
  expect(asked.length, told).toBeLessThanOrEqual(REQUESTS_MAX);
  const scriptBytes = asked.reduce((sum, { path, wireBytes }) => sum + (path.endsWith('.js') ? wireBytes : 0), 0);
  expect(scriptBytes, told).toBeLessThanOrEqual(BUDGET.folder);
  await page.getByText('Cached').filter({ visible: true }).first().waitFor();
  await page.waitForLoadState('networkidle');
  expect(await shiftOf(page)).toBeLessThanOrEqual(LAYOUT_SHIFT_MAX);
  await close();
});

test('over a slow line no font is on its way while scripts and list are, and nothing jumps once the fonts are there', async () => {
  const { page, context, close } = await firstVisit();
  const devtools = await context.newCDPSession(page);
  const line = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
  await devtools.send('Network.emulateNetworkConditions', line);
  await openUntilName(page, sealedLink, 'note.txt');
  // Nothing is opened unasked: Chromium says of this line that it is slow.
  const fonts = () =>
    page.evaluate(() =>
      performance.getEntriesByType('resource').flatMap(({ name, startTime }) => (/woff2$/.test(name) ? startTime : [])),
    );
  await expect.poll(async () => (await fonts()).length).toBeGreaterThanOrEqual(2);
  await expect.poll(() => page.evaluate(() => document.fonts.status)).toBe('loaded');
  const readyMs = await page.evaluate(
    () => (performance.getEntriesByType('navigation') as PerformanceNavigationTiming[])[0]?.domContentLoadedEventStart,
  );
  const asked = await askedBeforeName(page);
  const scripts = asked.filter(({ path, askedMs }) => path.endsWith('.js') && askedMs < (readyMs ?? 0));
  expect(scripts.length).toBeGreaterThan(2);
  const list = asked.filter(({ path }) => path.includes('/object/list/'));
  expect(list).toHaveLength(1);
  const neededMs = [...scripts, ...list].map(({ endedMs }) => endedMs);
  expect(Math.min(...(await fonts()))).toBeGreaterThanOrEqual(Math.max(...neededMs));
  expect(await shiftOf(page)).toBeLessThanOrEqual(LAYOUT_SHIFT_MAX);
  await close();
});

/** The landing page and an encrypted folder at 1440 px are measured above. */
describe('nothing jumps while', () => {
  test.each([
    [390, 'the landing page', () => site.url, 'How It Works'],
    [1440, 'a plain folder', () => plainLink, 'note.txt'],
    [390, 'an encrypted folder', () => sealedLink, 'Cached'],
    [390, 'the sign-in page', () => `${site.url}/auth`, 'Continue with Discord'],
    [1440, 'a folder that is not there', () => `${site.url}/f/AAAAAAAAAAAAAAAA`, 'Folder Not Found'],
  ])('at %i px %s loads', async (width, _name, url, text) => {
    const { page, close } = await firstVisit({ width });
    await page.goto(url());
    await page.getByText(text).filter({ visible: true }).first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await shiftOf(page)).toBeLessThanOrEqual(LAYOUT_SHIFT_MAX);
    await close();
  });
});

test.each([390, 1440])('nothing jumps on the landing page at %i px where its fonts come late', async (width) => {
  const { page, context, close } = await firstVisit({ width });
  const shown = Promise.withResolvers<void>();
  await context.route(/woff2$/, async (route) => {
    await shown.promise;
    await route.continue();
  });
  await page.goto(site.url, { waitUntil: 'commit' });
  await page.getByText('How It Works').filter({ visible: true }).first().waitFor();
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
  shown.resolve();
  await expect.poll(() => page.evaluate(() => document.fonts.check('650 16px "Bricolage Grotesque 650"'))).toBe(true);
  await page.waitForLoadState('networkidle');
  expect(await shiftOf(page)).toBeLessThanOrEqual(LAYOUT_SHIFT_MAX);
  await close();
});
