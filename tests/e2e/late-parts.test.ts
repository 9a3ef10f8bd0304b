import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';
import { makeFolder } from '../support/world.ts';

/** What is loaded on request may not come: a newer version of the site has replaced it, or the line is bad. */

let site: Site;
let browser: Browser;
let visitor: Visitor;
let page: Page;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
});
beforeEach(async () => {
  visitor = await newVisitor(browser);
  page = visitor.page;
  visitor.allow(/Failed to load resource/);
});
afterEach(async () => {
  expect(visitor.problems()).toEqual([]);
  await visitor.close();
});

test('a part that is gone leaves the page as it is, which says so, and comes once it is there again', async () => {
  await signInAs(page, site.url, 'mika');
  await makeFolder(page, site.url, { name: 'Open letters' });
  await page.route('**/assets/share-sheet-*.js', (route) => route.fulfill({ status: 404 }));
  await page.getByRole('button', { name: 'Share' }).first().click();
  await page.getByText('A part of this page could not be loaded.').first().waitFor();
  await page.getByRole('heading', { name: 'Open letters' }).waitFor();
  await page.unrouteAll();
  await page.getByRole('dialog', { name: 'Share Open letters' }).waitFor({ timeout: 20_000 });
});

test('a first message that can’t be loaded without a network is shown once there is one', async () => {
  await page.goto(site.url);
  await page.getByRole('button', { name: 'Theme and language' }).click();
  await page.getByRole('radio', { name: 'Deutsch' }).waitFor();
  await visitor.context.setOffline(true);
  await page.getByRole('radio', { name: 'Deutsch' }).click();
  await page.getByText('You’re offline.').waitFor();
  await page.getByText('How It Works').first().waitFor();
  await visitor.context.setOffline(false);
  await page.getByText('The texts could not be loaded. Check your connection.').waitFor({ timeout: 20_000 });
  await page.getByText('How It Works').first().waitFor();
});

test('without its first texts the site says so in plain words, and comes with another try', async () => {
  const html = await (await fetch(site.url)).text();
  // The shell itself has the same name as its texts; the page asks for it by name.
  await page.route('**/assets/shell-*.js', (route) =>
    html.includes(new URL(route.request().url()).pathname) ? route.continue() : route.abort(),
  );
  await page.goto(site.url);
  await page.getByRole('heading', { name: 'Satchel could not be loaded' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try Again' }).click();
  await page.getByText('How It Works').first().waitFor();
});
