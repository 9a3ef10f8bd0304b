import { hostname } from 'node:os';
import { until } from '@satchel/contract/testing/pace';
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { authorize, newVisitor, type Visitor } from '../support/browser.ts';
import { type Machine, newMachine, type Started } from '../support/command-line.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** A person lets a command line in, and signs it out again, with a browser. The tests are one story and run in order. */

let site: Site;
let browser: Browser;
let visitor: Visitor;
let machine: Machine;
test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  [visitor, machine] = await Promise.all([newVisitor(browser), newMachine()]);
});
afterAll(() => machine?.remove());
inOrder();

/** What the terminal shows: the code, and the address that has it. */
async function shownBy(login: Started): Promise<{ code: string; address: string }> {
  const [codeLine, addressLine] = [/code: ([A-Z]{4}-[A-Z]{4})/, /or open (\S+)/];
  await until(
    async () => addressLine.test(login.said()),
    () => `no code: ${login.said()}`,
  );
  return { code: codeLine.exec(login.said())![1]!, address: addressLine.exec(login.said())![1]! };
}

const question = (page: Page) => page.getByRole('heading', { name: 'Let this command line in?' });

test('by the address that the terminal shows: they sign in, compare the code, and allow it', async () => {
  const { page } = visitor;
  const login = machine.start(['login', site.url]);
  const { code, address } = await shownBy(login);
  await page.goto(address);
  await page.getByRole('heading', { name: 'Sign in to let a command line in' }).waitFor();
  await authorize(page, site.url, 'Mika');
  await question(page).waitFor();
  await page.getByText(code, { exact: true }).waitFor();
  await page.getByText(hostname(), { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'Allowed' }).waitFor();
  expect(await login.ended).toMatchObject({ code: 0, err: expect.stringContaining('no keyring') });
  const { code: exit, out } = await machine.run(['whoami']);
  expect({ exit, out: out.toString() }).toMatchObject({ exit: 0, out: expect.stringContaining('Mika') });
});

test('the profile lists it by its computer, and signs it out', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Go to your profile' }).click();
  const row = page.getByRole('listitem').filter({ hasText: `Command line on ${hostname()}` });
  await row.getByRole('button', { name: 'Sign out' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await machine.run(['whoami'])).code).toBe(2);
});

test('by a code typed with the keyboard: a wrong one is said, the right one can be refused', async () => {
  const { page } = visitor;
  const login = machine.start(['login', site.url]);
  const { code } = await shownBy(login);
  await page.getByRole('link', { name: 'Enter its code' }).click();
  const field = page.getByLabel('Code from your terminal');
  await field.waitFor();
  await page.keyboard.type(code.replace(/.$/, (last) => (last === 'B' ? 'C' : 'B')));
  await page.keyboard.press('Enter');
  visitor.allow(/404/);
  await page
    .getByText(/^No command line waits with this code/)
    .first()
    .waitFor();
  await field.fill('');
  await page.keyboard.type(code.toLowerCase().replace('-', ''));
  await page.keyboard.press('Enter');
  await question(page).waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Refuse');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Refused' }).waitFor();
  const { code: exit, err } = await login.ended;
  expect({ exit, err }).toMatchObject({ exit: 2, err: expect.stringContaining('refused in the browser') });
  expect(visitor.problems()).toEqual([]);
});
