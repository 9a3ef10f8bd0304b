import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { card, newVisitor, signInAs, signInByHand, type Visitor, visit } from '../support/browser.ts';
import { createFolderAs } from '../support/people.ts';
import { test } from '../support/shared.ts';
import { type Site, startSite } from '../support/site.ts';

/** From a report to a deleted folder: what people and operators see, and what only operators can do. */

const OPERATOR_DISCORD_ID = '9047382950617284611';
const OWNER = { name: 'Mika', discordId: '9001934617452871681' };
const PICTURE = 'aurora.webp';
const NOTE = 'The second picture is mine.';
const REASON = 'Pictures of another person';

let site: Site;
let browser: Browser;
let owner: Visitor;
let operator: Visitor;
let link: string;

test.beforeAll(async ({ chromium }) => {
  browser = chromium;
  site = await startSite({ env: { OPERATOR_DISCORD_IDS: OPERATOR_DISCORD_ID } });
  [owner, operator] = [await newVisitor(browser), await newVisitor(browser)];
  const mika = await signInAs(owner.page, site.url, 'mika');
  await signInAs(operator.page, site.url, 'ava');
  const buffer = await readFile(join(import.meta.dirname, '../../apps/web/public/media', PICTURE));
  const files = [{ name: PICTURE, mimeType: 'image/webp', buffer }];
  link = (await createFolderAs(mika, site, { name: 'Northern lights', files })).link();
});
afterAll(async () => {
  await site.stop();
});

const keyOf = (url: string) => /#([0-9a-f]{128})$/.exec(url)?.[1];

/** Reports the visible folder with its key, signed out and by keyboard alone. */
async function report(page: Page): Promise<void> {
  const button = page.getByRole('complementary', { name: 'Folder details' }).getByRole('button', { name: 'Report' });
  await button.focus();
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Report this folder' });
  await form.getByRole('button', { name: 'Send Report' }).click();
  await form.getByText('Say what is wrong with the folder.').waitFor();
  await form.getByRole('radio', { name: /^It holds my work/ }).check();
  await form.getByLabel(/^What should the operator know/).fill(NOTE);
  const include = form.getByRole('switch', { name: /^Include the key/ });
  expect(await include.isChecked()).toBe(false);
  await include.check();
  const message = 'Too many requests. Try again in 7 seconds';
  const error = { code: 'request.too_many', params: { retry_after_seconds: 7 }, message };
  await page.route('**/abuse/v1/reports', (route) => route.fulfill({ status: 429, json: { error } }));
  await form.getByRole('button', { name: 'Send Report' }).click();
  await form.getByRole('alert').filter({ hasText: message }).waitFor();
  await page.unroute('**/abuse/v1/reports');
  await page.context().setOffline(true);
  await form.getByRole('button', { name: 'Send Report' }).click();
  await form.getByText('You’re offline, so your report was not sent').waitFor();
  await page.context().setOffline(false);
  await form.getByRole('button', { name: 'Send Report' }).click();
  await page.getByRole('dialog', { name: 'Thank you for the report' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
}

test('only the operator opens a reported folder, and takes it down', async () => {
  const { page } = operator;
  await page.goto(`${site.url}/profile`);
  await page.getByRole('link', { name: 'Operator' }).click();
  await page.getByRole('heading', { name: 'No open reports' }).waitFor();
  // After a failed request the section must not claim that there is no key, or a second key would be created.
  await page.route('**/abuse/v1/operator_keys', (route) => route.fulfill({ status: 503 }));
  operator.allow(/status of 503/);
  await page.getByRole('tab', { name: 'Your key' }).click();
  await page.getByText('An unexpected error occurred').first().waitFor();
  expect(await page.getByText('This browser has no key').count()).toBe(0);
  await page.unroute('**/abuse/v1/operator_keys');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByRole('heading', { name: 'This browser has a key' }).waitFor();

  const visitor = await newVisitor(browser);
  visitor.allow(/status of 429|ERR_INTERNET_DISCONNECTED/);
  const sent = visitor.page.waitForRequest((request) => request.url().endsWith('/abuse/v1/reports'));
  await visitor.page.goto(link);
  await card(visitor.page, PICTURE).getByText('Cached').waitFor();
  await report(visitor.page);

  await page.getByRole('tab', { name: 'Reports' }).click();
  const reported = page.getByRole('listitem', { name: 'Northern lights' });
  await reported.getByText(NOTE).waitFor();
  const opening = page.context().waitForEvent('page');
  await reported.getByRole('button', { name: 'Open with the reporter’s key' }).click();
  const opened = await opening;
  await card(opened, PICTURE).getByText('Cached').waitFor();
  const picture = card(opened, PICTURE).locator('img[src^="blob:"]');
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  const key = keyOf(opened.url());
  expect(key).toBeDefined();
  // The operator can read what the server could not.
  expect((await sent).postData()).toContain(NOTE);
  expect((await sent).postData()).not.toContain(key);
  await opened.close();

  await reported.getByRole('button', { name: 'Take down' }).click();
  const question = page.getByRole('alertdialog', { name: 'Take this folder down?' });
  expect(await question.getByRole('button', { name: 'Yes, Take Down' }).isDisabled()).toBe(true);
  await question.getByLabel('Reason').fill(REASON);
  await question.getByRole('button', { name: 'Yes, Take Down' }).click();
  await page.getByRole('heading', { name: 'No open reports' }).waitFor();
  await page.getByRole('button', { name: 'Closed' }).click();
  await reported.or(page.getByRole('listitem')).filter({ hasText: NOTE }).getByText('Taken down').waitFor();
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByText('Took a folder down').waitFor();

  // First on the page that the visitor still has open, then for everyone who comes.
  for (const someone of [visitor, owner]) someone.allow(/status of 410/);
  await visitor.page.getByRole('heading', { name: 'This folder was taken down' }).waitFor();
  await visitor.page.getByText(REASON).waitFor();
  for (const someone of [visitor, owner]) {
    await visit(someone.page, link);
    await someone.page.getByRole('heading', { name: 'This folder was taken down' }).waitFor();
    await someone.page.getByText(REASON).waitFor();
  }
  expect([...visitor.problems(), ...operator.problems()]).toEqual([]);
  await visitor.close();
});

test('a banned person is signed out, reads the reason, and signs in again after the ban is lifted', async () => {
  const { page } = operator;
  await page.goto(`${site.url}/operator?tab=bans`);
  await page.getByLabel('Discord user ID').fill(OWNER.discordId);
  await page.getByLabel('Reason').fill(REASON);
  await page.getByRole('button', { name: 'Ban', exact: true }).click();
  const row = page.getByRole('listitem').filter({ hasText: OWNER.discordId });
  await row.getByText(REASON).waitFor();
  await owner.page.goto(`${site.url}/auth`);
  await owner.page.getByRole('button', { name: 'Continue with Discord' }).click();
  await owner.page.getByRole('radio', { name: new RegExp(OWNER.name) }).check();
  await owner.page.getByRole('button', { name: 'Authorize' }).click();
  await owner.page.getByText(`This account is banned: ${REASON}`).waitFor();
  await row.getByRole('button', { name: 'Unban' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes, Unban' }).click();
  await page.getByRole('heading', { name: 'No account is banned' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('operator-list');
  await signInByHand(owner.page, site.url, OWNER.name);
  expect([...owner.problems(), ...operator.problems()]).toEqual([]);
});
