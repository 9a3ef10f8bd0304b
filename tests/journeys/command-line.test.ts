import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import {
  card,
  fullLinkOf,
  makeFolder,
  newVisitor,
  PASSPHRASE,
  signInAs,
  type Visitor,
  visit,
} from '../support/browser.ts';
import { type Machine, newMachine, signInMachine } from '../support/command-line.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Between the page and the command line, both ways. The tests are one story and run in order. */

let site: Site;
let owner: Visitor;
let friend: Visitor;
let machine: Machine;

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const LARGE = randomBytes(9 * 1024 * 1024 + 1);
const SMALL = randomBytes(3000);

test.beforeAll(async ({ place }) => {
  const { browser } = place;
  ({ site } = place);
  [owner, friend, machine] = await Promise.all([newVisitor(browser), newVisitor(browser), newMachine()]);
  await Promise.all([signInAs(owner.page, site.url, 'mika'), signInMachine(site, machine, 'mika')]);
  await mkdir(join(machine.folder, 'trip'));
  await writeFile(join(machine.folder, 'trip/large.dat'), LARGE);
  await writeFile(join(machine.folder, 'trip/small.dat'), SMALL);
});
inOrder();
afterAll(async () => {
  await Promise.all([owner?.close(), friend?.close(), machine?.remove()]);
});

/** Saves a file of the folder that the page shows. */
async function saved(page: Page, name: string): Promise<string> {
  const start = card(page, name).getByRole('button', { name: 'Download' });
  const [download] = await Promise.all([page.waitForEvent('download'), start.click()]);
  expect(await download.failure()).toBeNull();
  return digestOf(await readFile(await download.path()));
}

test('what the command line uploads, a visitor’s browser saves', async () => {
  const { out } = await machine.run(['put', 'trip']);
  const { page } = friend;
  await visit(page, out.toString().trim());
  await page.getByRole('button', { name: 'Folder trip' }).click();
  expect(await saved(page, 'large.dat')).toBe(digestOf(LARGE));
  expect(await saved(page, 'small.dat')).toBe(digestOf(SMALL));
});

test('what the page uploads, the command line gets, with a passphrase', async () => {
  const { page } = owner;
  const link = await makeFolder(page, site.url, {
    name: 'Of the page',
    files: [{ name: 'large.dat', mimeType: 'application/octet-stream', buffer: LARGE }],
    async fill(form) {
      await form.getByRole('switch', { name: 'Ask for a passphrase' }).check();
      await form.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
      await form.getByLabel('Passphrase again').fill(PASSPHRASE);
    },
  });
  await writeFile(join(machine.folder, 'pass'), PASSPHRASE);
  const stranger = await newMachine();
  await writeFile(join(stranger.folder, 'pass'), PASSPHRASE);
  expect(await stranger.run(['get', '-', '--passphrase-file', 'pass'], { stdin: link })).toMatchObject({ code: 0 });
  expect(digestOf(await readFile(join(stranger.folder, 'large.dat')))).toBe(digestOf(LARGE));
  await stranger.remove();
});

test('both add to one folder, and each opens what the other added', async () => {
  const { page } = owner;
  const link = await fullLinkOf(page);
  await writeFile(join(machine.folder, 'added.dat'), SMALL);
  await writeFile(join(machine.folder, 'link.txt'), link);
  const put = await machine.run(['put', 'added.dat', '--to', '@link.txt', '--passphrase-file', 'pass']);
  expect(put).toMatchObject({ code: 0 });
  await card(page, 'added.dat').waitFor();
  expect(await saved(page, 'added.dat')).toBe(digestOf(SMALL));
});
