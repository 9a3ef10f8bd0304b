import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { newVisitor } from '../support/browser.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** The installed app without a network: a page of the site's own, and not the browser's. */

let site: Site;
let browser: Browser;
test.beforeAll(({ place }) => {
  ({ site, browser } = place);
});

/** As a browser says it of a page in the window of an installed app. */
function installed(): void {
  const ask = globalThis.matchMedia.bind(globalThis);
  globalThis.matchMedia = (query) => ask(query.includes('(display-mode: minimal-ui)') ? 'all' : query);
}

/** Starts the app once with a network, and leaves it with the network away. */
async function startedApp(language = 'en') {
  const visitor = await newVisitor(browser);
  await visitor.context.addInitScript(installed);
  await visitor.context.addInitScript((chosen) => localStorage.setItem('language', chosen), language);
  const { page } = visitor;
  await page.goto(`${site.url}/?app`);
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate(() => caches.has('satchel-offline'))).toBe(true);
  await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state);
  await visitor.context.setOffline(true);
  return visitor;
}

const shown = (page: Page, title: string) => page.getByRole('heading', { name: title }).waitFor();

test('it starts with the offline page, says so in the language and theme of its person, and loads once that is over', async () => {
  const { page, context, close } = await startedApp('de');
  await page.evaluate(() => localStorage.setItem('theme', 'light'));
  await page.goto(`${site.url}/?app`);
  await shown(page, 'Du bist offline');
  expect(await page.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.lang])).toEqual([
    'light',
    'de',
  ]);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await shown(page, 'Du bist offline');
  await context.setOffline(false);
  await page.getByText('So geht es').first().waitFor();
  await close();
});

test('a folder’s page that is reloaded without a network keeps its address, with the key, and comes back by itself', async () => {
  const { page, context, close } = await startedApp();
  const address = `${site.url}/f/abcdefgh12345678#k=c2VjcmV0`;
  await page.goto(address);
  await shown(page, 'You are offline');
  expect(page.url()).toBe(address);
  await context.setOffline(false);
  await page
    .getByText(/not found/i)
    .first()
    .waitFor();
  await close();
});

test('a page of a site that is not installed asks no worker, so that its visitor waits for none', async () => {
  const { page, context, close } = await newVisitor(browser);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${site.url}/?app`);
  await page.keyboard.press('Tab');
  await page.getByRole('contentinfo').waitFor();
  expect(asked.filter((path) => path === '/sw.js')).toEqual([]);
  expect(context.serviceWorkers()).toEqual([]);
  await close();
});
