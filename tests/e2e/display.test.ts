import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { tabTo } from '../support/assistive.ts';
import { BARE_PATH, newVisitor, type Visitor } from '../support/browser.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** A visitor's choices of theme and language, on every page and every device. */

let site: Site;
let browser: Browser;
let visitor: Visitor;
let page: Page;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  visitor = await newVisitor(browser, { width: 390 });
  page = visitor.page;
  await page.goto(`${site.url}${BARE_PATH}`);
});
/** As a person who was never here: what a page of the site has stored is gone. */
beforeEach(async () => {
  for (const other of visitor.context.pages()) if (other !== page) await other.close();
  await page.goto(`${site.url}${BARE_PATH}`);
  await page.evaluate(() => localStorage.clear());
  await page.setViewportSize({ width: 390, height: 900 });
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: null, forcedColors: null });
  await page.goto(site.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
});
afterEach(() => {
  expect(visitor.problems()).toEqual([]);
});

const options = () => page.getByRole('button', { name: 'Theme and language' });
const look = () => page.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.lang]);

describe('the theme', () => {
  test('follows the device until the person chooses one, also after a reload', async () => {
    await expect.poll(look).toEqual(['dark', 'en']);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(look).toEqual(['light', 'en']);
    await page.reload();
    expect((await look())[0]).toBe('light');
    await options().click();
    expect(await page.getByRole('radio', { name: 'As my device' }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'Dark' }).check();
    await page.reload();
    expect((await look())[0]).toBe('dark');
  });

  test('is the same in the other tabs', async () => {
    const other = await visitor.context.newPage();
    await other.goto(`${site.url}/auth`);
    await options().click();
    await page.getByRole('radio', { name: 'Light' }).check();
    await expect.poll(() => other.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
  });
});

describe('the language', () => {
  test('changes by keyboard alone, is kept, and keeps the focus', async () => {
    await tabTo(page, /Theme and language/);
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: 'English' }).waitFor();
    await tabTo(page, 'English');
    await page.keyboard.press('ArrowDown');
    await expect.poll(look).toEqual(['dark', 'de']);
    expect(await page.getByRole('radio', { name: 'Deutsch' }).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('popovertarget'))).toBeTruthy();
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await look()).toEqual(['dark', 'de']);
  });
});

test('nothing is wider than the window, from 320 px to 1920 px', async () => {
  for (const path of ['/', '/auth', '/auth/callback#error=access_denied']) {
    await page.goto('about:blank');
    await page.goto(site.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const width of [320, 390, 640, 768, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(over, `${path} at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
});

test('with reduced motion, the landing page’s sealed files open at once', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const longestMs = await page.evaluate(() =>
    Math.max(0, ...document.getAnimations().map(({ effect }) => Number(effect?.getComputedTiming().endTime ?? 0))),
  );
  expect(longestMs).toBeLessThanOrEqual(1);
});

test('in forced colours a choice is visible', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  const outlineOf = (name: string) =>
    page.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).outlineStyle);
  expect(await outlineOf('/upload')).toBe('solid');
  expect(await outlineOf('/list')).toBe('none');
});
