import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { newVisitor, signInAs, test, type Visitor } from '../support/browser.ts';
import { leaveProfiles } from '../support/profiles.ts';
import type { Site } from '../support/site.ts';

/** Visitors who take one profile after the other know nothing of one another. */

let site: Site;
let browser: Browser;
test.beforeAll(({ place }) => {
  ({ site, browser } = place);
});

/** Every place where a page of the site can leave something. */
const traces = ({ page, context }: Visitor) =>
  page
    .evaluate(async () => {
      const files: string[] = [];
      for await (const file of (await navigator.storage.getDirectory()).keys()) files.push(file);
      return {
        local: { ...localStorage },
        session: { ...sessionStorage },
        name: window.name,
        databases: (await indexedDB.databases()).map(({ name }) => name),
        caches: await caches.keys(),
        files,
        workers: (await navigator.serviceWorker.getRegistrations()).length,
        steps: history.length,
        isOnline: navigator.onLine,
        size: [innerWidth, innerHeight],
      };
    })
    .then(async (found) => ({ ...found, cookies: await context.cookies() }));

const NO_TRACES = {
  local: {},
  session: {},
  name: '',
  databases: [],
  caches: [],
  files: [],
  workers: 0,
  steps: 1,
  cookies: [],
  isOnline: true,
  size: [1440, 900],
};

/** Leaves something in every such place. */
async function leaveTraces({ page, context }: Visitor): Promise<void> {
  await signInAs(page, site.url, 'mika');
  // This page starts the service worker.
  await page.goto(`${site.url}/upload?shared=unread`);
  await page.evaluate(async () => {
    localStorage.setItem('left', 'here');
    sessionStorage.setItem('left', 'here');
    window.name = 'left';
    indexedDB.open('left');
    await (await caches.open('left')).put('/left', new Response('here'));
    const file = await (await navigator.storage.getDirectory()).getFileHandle('left', { create: true });
    const stream = await file.createWritable();
    await stream.write('here');
    await stream.close();
    await navigator.serviceWorker.ready;
    history.pushState(null, '', '/auth');
  });
  await page.setViewportSize({ width: 390, height: 600 });
  await context.route('**/auth/v1/session', (route) => route.abort());
  await page.route('**/rest/**', () => undefined);
  await page.goto(`${site.url}/profile`);
  await (await context.newPage()).goto(site.url);
  await context.setOffline(true);
}

test('a visitor finds no trace of the one before', async () => {
  const first = await newVisitor(browser);
  await leaveTraces(first);
  await first.context.setOffline(false);
  const left = await traces(first);
  expect(left).toMatchObject({ local: { left: 'here' }, session: { left: 'here' }, workers: 1 });
  expect(left.databases).toContain('left');
  for (const [place, nothing] of Object.entries(NO_TRACES)) {
    if (place !== 'isOnline' && place !== 'name') expect(left[place as keyof typeof left], place).not.toEqual(nothing);
  }
  await first.context.setOffline(true);
  await first.close();

  const next = await newVisitor(browser);
  expect(next.context).toBe(first.context);
  expect(next.context.pages()).toEqual([next.page]);
  expect(await traces(next)).toEqual(NO_TRACES);
  await next.page.goto(site.url);
  await next.page.getByRole('link', { name: 'Sign In' }).first().waitFor();
  expect(next.problems()).toEqual([]);
  await next.close();
});

test('the next visitor’s page and requests are not told to those who listened to the one before', async () => {
  const first = await newVisitor(browser);
  await first.page.goto(site.url);
  const told: string[] = [];
  first.page.on('framenavigated', () => told.push('page'));
  first.context.once('close', () => told.push('close'));
  first.context.on('request', () => told.push('context'));
  await first.close();

  told.length = 0;
  const next = await newVisitor(browser);
  expect(next.context).toBe(first.context);
  await next.page.goto(site.url);
  expect(told).toEqual([]);
  await next.close();
});

test('a visitor who was not closed leaves the profile to the next test file', async () => {
  const first = await newVisitor(browser);
  await first.page.goto(site.url);
  await leaveProfiles(browser);
  const next = await newVisitor(browser);
  expect(next.context).toBe(first.context);
  await next.page.evaluate(() => console.error('of the next visitor'));
  await expect.poll(() => next.problems()).toEqual([expect.stringContaining('of the next visitor')]);
  expect(first.problems()).toEqual([]);
  await next.close();
});

test('scripts and functions for pages, and what a DevTools session has set, end with their visitor', async () => {
  const found = ({ page }: Visitor) =>
    page.evaluate(() => [Object.keys(globalThis).filter((name) => name.startsWith('left')), navigator.maxTouchPoints]);
  const first = await newVisitor(browser);
  await first.page.goto(site.url);
  const [, touchPoints] = await found(first);
  await first.page.addInitScript('globalThis.leftByPage = true');
  await first.context.addInitScript('globalThis.leftByContext = true');
  await first.page.exposeFunction('leftFunctionOfPage', () => true);
  await first.context.exposeFunction('leftFunctionOfContext', () => true);
  const session = await first.context.newCDPSession(first.page);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 });
  await first.page.reload();
  const left = ['leftByContext', 'leftByPage', 'leftFunctionOfContext', 'leftFunctionOfPage'];
  const [names, points] = await found(first);
  expect([(names as string[]).toSorted(), points]).toEqual([left, 5]);
  await first.close();
  const next = await newVisitor(browser);
  expect(next.context).toBe(first.context);
  await next.page.goto(site.url);
  expect(await found(next)).toEqual([[], touchPoints]);
  await next.close();
});

test('the next visitor finds nothing of either of two sites', async () => {
  const sites = [site.url, `${site.sandboxUrl}/chat?as=mika`];
  const lengths = ({ page }: Visitor) => page.evaluate(() => [localStorage.length, sessionStorage.length]);
  const first = await newVisitor(browser);
  const before: unknown[] = [];
  for (const url of sites) {
    await first.page.goto(url);
    before.push(await lengths(first));
    await first.page.evaluate(() => {
      localStorage.setItem('left', 'here');
      sessionStorage.setItem('left', 'here');
    });
  }
  await first.close();
  const next = await newVisitor(browser);
  expect(next.context).toBe(first.context);
  for (const [at, url] of sites.entries()) {
    await next.page.goto(url);
    expect(await lengths(next)).toEqual(before[at]);
  }
  await next.close();
});

describe('a profile has no second visitor', () => {
  test('whose clock was changed', async () => {
    const first = await newVisitor(browser);
    await first.page.goto(site.url);
    await first.page.clock.install();
    await first.close();
    const next = await newVisitor(browser);
    expect(next.context).not.toBe(first.context);
    await next.close();
  });

  test('where the visit is to be the first', async () => {
    const first = await newVisitor(browser);
    await first.page.goto(site.url);
    await first.close();
    const next = await newVisitor(browser, { isFirst: true });
    expect(next.context).not.toBe(first.context);
    await next.close();
  });
});
