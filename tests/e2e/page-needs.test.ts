import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { newVisitor, type Visitor } from '../support/browser.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** A browser in which the page's scripts don't run gets a page that says what to do. */

let site: Site;
let browser: Browser;
test.beforeAll(({ place }) => {
  ({ site, browser } = place);
});

const SHELL = /\/assets\/shell-[\w-]+\.js$/;
const FAILED = 'Satchel could not be loaded';
const OLD = 'This browser is too old for Satchel';

/** The page must show and not be empty: no CSP violation among what the console says. */
async function inVisit(act: (visitor: Visitor) => Promise<void>): Promise<void> {
  const visitor = await newVisitor(browser);
  await visitor.context.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener('securitypolicyviolation', ({ violatedDirective }) =>
      globalThis.violations?.push(violatedDirective),
    );
  });
  visitor.allow(/Failed to load resource|uncaught: SyntaxError/);
  await act(visitor);
  expect(await visitor.page.evaluate(() => globalThis.violations)).toEqual([]);
  expect(visitor.problems()).toEqual([]);
  await visitor.close();
}

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** What keeps a script of the page from running: the network or an extension, a node that lacks it, a browser that can't read it. */
const KEPT_AWAY = [
  ['does not arrive', { abort: 'failed' }],
  ['is blocked by an extension', { abort: 'blockedbyclient' }],
  ['is not there', { status: 404, body: 'Not Found' }],
  ['can’t be read by the browser', { status: 200, contentType: 'text/javascript', body: 'const a = ;' }],
  ['throws', { status: 200, contentType: 'text/javascript', body: 'null.a;' }],
] as const;

describe('the page says what to do where its script', () => {
  test.each(KEPT_AWAY)('%s, and loads once it comes', (_how, answer) =>
    inVisit(async ({ page, allow }) => {
      // A script with other bytes than the page names the hash of is not run.
      allow(/uncaught: TypeError|valid digest in the 'integrity'/);
      await page.route(SHELL, (route) => ('abort' in answer ? route.abort(answer.abort) : route.fulfill(answer)));
      await page.goto(`${site.url}/f/AAAAAAAAAAAAAAAA#k=stays`);
      await title(page, FAILED).waitFor();
      const { host } = new URL(site.url);
      expect(await page.getByRole('alert').textContent()).toContain(`may block scripts of ${host}`);
      await page.unroute(SHELL);
      await page.getByRole('button', { name: 'Try Again' }).click();
      await title(page, 'Folder Not Found').waitFor();
      expect(page.url()).toBe(`${site.url}/f/AAAAAAAAAAAAAAAA#k=stays`);
    }),
  );
});

test.each([
  ['de-AT', 'Satchel ließ sich nicht laden', 'Erneut versuchen'],
  ['fr', 'Satchel n’a pas pu être chargé', 'Réessayer'],
  ['es-MX', 'No se ha podido cargar Satchel', 'Reintentar'],
  ['ja', FAILED, 'Try Again'],
])('in the language %s it says so, too', (locale, name, again) =>
  inVisit(async ({ page }) => {
    await page.addInitScript(
      (languages) => Object.defineProperty(navigator, 'languages', { get: () => languages }),
      [locale],
    );
    await page.route(/\/assets\//, (route) => route.abort());
    await page.goto(site.url);
    await title(page, name).waitFor();
    await page.getByRole('button', { name: again }).waitFor();
    expect(await page.locator('main').getAttribute('lang')).toBe(locale === 'ja' ? 'en' : locale.slice(0, 2));
  }),
);

test('where the settings of the site don’t come, the page says so', () =>
  inVisit(async ({ page }) => {
    await page.route('**/settings.json', (route) => route.abort());
    await page.goto(site.url);
    await title(page, FAILED).waitFor();
  }));

/** Each takes one thing away before the page has any of its scripts. */
const MISSING: readonly (readonly [string, () => void])[] = [
  ['scripts as modules', () => Reflect.deleteProperty(HTMLScriptElement.prototype, 'noModule')],
  ['Promise.withResolvers', () => Reflect.deleteProperty(Promise, 'withResolvers')],
  ['AbortSignal.any', () => Reflect.deleteProperty(AbortSignal, 'any')],
  ['WebCrypto', () => Reflect.deleteProperty(Crypto.prototype, 'subtle')],
];

test.each(MISSING)('a browser without %s is told to be updated, and none of the page runs', (_what, takeAway) =>
  inVisit(async ({ page, allow }) => {
    // Scripts before the page's own begin without it, too.
    allow(/uncaught/);
    await page.addInitScript(takeAway);
    await page.goto(`${site.url}/upload`);
    await title(page, OLD).waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/Chrome or Edge \d+, Firefox \d+, Safari \d+/);
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('heading').allTextContents()).toEqual([OLD]);
  }),
);

test('without JavaScript the page says in four languages that it needs it', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(site.url);
  const texts = await page
    .locator('noscript p')
    .evaluateAll((all) => all.map((text) => [text.getAttribute('lang') ?? '', text.textContent]));
  expect(texts.map(([lang]) => lang)).toEqual(['', 'de', 'fr', 'es']);
  for (const [, text] of texts) expect(text).toContain('JavaScript');
  await context.close();
});
