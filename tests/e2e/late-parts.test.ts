import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { createFolderAs } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Parts loaded on request may fail to load: a new release replaced them, or the network is bad. */

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

test('a part that fails to load leaves the page as it is, with an error, and loads once it is available again', async () => {
  const mika = await signInAs(page, site.url, 'mika');
  await page.clock.install();
  await page.goto((await createFolderAs(mika, site, { name: 'Open letters' })).link());
  let asked = 0;
  // All of them, as after an upgrade: also the code of the toasts. A second request has a query.
  await page.route('**/assets/*.js*', (route) => {
    asked += 1;
    return route.fulfill({ status: 404 });
  });
  await page.getByRole('button', { name: 'Share' }).first().click();
  /** The page asks again every five seconds, which pass at once. */
  const afterAWhile = async <T>(look: () => T | Promise<T>): Promise<T> => {
    await page.clock.fastForward(5000);
    return look();
  };
  await expect.poll(() => afterAWhile(() => asked)).toBeGreaterThan(1);
  await page
    .getByRole('alert')
    .filter({ hasText: 'A part of this page could not be loaded. Reload the page.' })
    .waitFor();
  await page.getByRole('heading', { name: 'Open letters' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.unrouteAll();
  const dialog = page.getByRole('dialog', { name: 'Share Open letters' });
  await expect.poll(() => afterAWhile(() => dialog.count())).toBe(1);
});

test('a message that can’t be loaded offline shows once the network is back', async () => {
  // A browser that another test has seen in German would have the texts.
  await visitor.close();
  visitor = await newVisitor(browser);
  visitor.allow(/Failed to load resource/);
  const { page } = visitor;
  await page.goto(site.url);
  await page.getByRole('button', { name: 'Theme and language' }).click();
  await page.getByRole('radio', { name: 'Deutsch' }).waitFor();
  await visitor.context.setOffline(true);
  await page.getByRole('radio', { name: 'Deutsch' }).click();
  await page.getByText('You’re offline.').waitFor();
  await page.getByText('How It Works').first().waitFor();
  await visitor.context.setOffline(false);
  await page.getByText('The texts could not be loaded. Check your connection.').waitFor();
  await page.getByText('How It Works').first().waitFor();
});

test('without its first texts the site shows an error, and loads on another try', async () => {
  // The English ones come with the code.
  await page.addInitScript(() => localStorage.setItem('language', 'de'));
  await page.route('**/assets/texts-de-*.js', (route) => route.abort());
  await page.goto(site.url);
  await page.getByRole('heading', { name: 'Satchel ließ sich nicht laden' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await page.getByRole('link', { name: 'Anmelden' }).waitFor();
});

test('the foot of a page comes by scrolling and by focus alone, as screen readers move', async () => {
  const foot = page.getByRole('contentinfo').getByRole('link', { name: 'Privacy' });
  await page.goto(site.url);
  await page.getByText('How It Works').first().waitFor();
  await page.evaluate(() => scrollTo(0, 400));
  await foot.waitFor();
  await page.goto(`${site.url}/auth`);
  const signIn = page.getByRole('button', { name: 'Continue with Discord' });
  await signIn.waitFor();
  expect(await foot.count()).toBe(0);
  await signIn.focus();
  await foot.waitFor();
});
