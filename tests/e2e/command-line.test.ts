import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@satchel/contract/testing/pace';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import {
  card,
  chooseOpener,
  makeFolder,
  makeNewLink,
  newVisitor,
  PASSPHRASE,
  signInAs,
  type Visitor,
  visit,
} from '../support/browser.ts';
import { type Machine, newMachine, type Started, signInMachine } from '../support/command-line.ts';
import { noisePng } from '../support/files.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** A folder of each kind, made by the page and by the command line: each opens what either has made. */

let site: Site;
let owner: Visitor;
let guest: Visitor;
let machine: Machine;
let stranger: Machine;
let agent: Started | undefined;

const FILE = { name: 'large.dat', mimeType: 'application/octet-stream', buffer: randomBytes(2 * 1024 * 1024 + 1) };

test.beforeAll(async ({ place }) => {
  const { browser } = place;
  ({ site } = place);
  [owner, guest] = await Promise.all([newVisitor(browser), newVisitor(browser)]);
  [machine, stranger] = await Promise.all([newMachine(), newMachine()]);
  await Promise.all([signInAs(owner.page, site.url, 'mika'), signInMachine(site, machine, 'mika')]);
  await writeFile(join(machine.folder, FILE.name), FILE.buffer);
  for (const { folder } of [machine, stranger]) await writeFile(join(folder, 'pass'), PASSPHRASE);
});
afterAll(async () => {
  for (const visitor of [owner, guest]) expect(visitor.problems()).toEqual([]);
  agent?.child.kill('SIGTERM');
  await agent?.ended;
  await Promise.all([machine?.remove(), stranger?.remove()]);
});

/** Whether a visitor's browser saves the file as it was. */
async function pageSaves(link: string, hasPassphrase: boolean): Promise<boolean> {
  const { page } = guest;
  await visit(page, link);
  if (hasPassphrase) {
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await page.keyboard.press('Enter');
  }
  const save = card(page, FILE.name).getByRole('button', { name: 'Download' });
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
  expect(await download.failure()).toBeNull();
  return (await readFile(await download.path())).equals(FILE.buffer);
}

async function commandGets(link: string, hasPassphrase: boolean): Promise<boolean> {
  const flags = hasPassphrase ? ['--passphrase-file', 'pass'] : [];
  const { code, out, err } = await stranger.run(['get', '-', '--stdout', ...flags], { stdin: link });
  expect({ code, err }).toMatchObject({ code: 0 });
  return out.equals(FILE.buffer);
}

async function fillPassphrase(form: Page): Promise<void> {
  await form.getByRole('switch', { name: 'Ask for a passphrase' }).check();
  await form.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await form.getByLabel('Passphrase again').fill(PASSPHRASE);
}

async function showNames(form: Page): Promise<void> {
  await form.getByText('More options').click();
  await form.getByRole('switch', { name: 'Hide file names' }).uncheck();
}

test.each<[string, readonly string[], (form: Page) => Promise<void>]>([
  ['with hidden names', [], async () => undefined],
  ['with names that the server sees', ['--show-names'], showNames],
  ['with a passphrase', ['--passphrase-file', 'pass'], fillPassphrase],
  ['with a Discord link', ['--discord'], (form) => chooseOpener(form, 'discord')],
  ['that is plain', ['--plain'], (form) => chooseOpener(form, 'plain')],
])('a folder %s', async (kind, flags, fill) => {
  const hasPassphrase = flags.includes('pass');
  const { code, out, err } = await machine.run(['put', FILE.name, ...flags]);
  expect({ code, err }).toMatchObject({ code: 0 });
  const byPage = await makeFolder(owner.page, site.url, { name: `Page ${kind}`, files: [FILE], fill });
  for (const link of [out.toString().trim(), byPage]) {
    expect([await pageSaves(link, hasPassphrase), await commandGets(link, hasPassphrase)]).toEqual([true, true]);
  }
});

test('after the page made a new link, it opens in both, and the old one in neither', async () => {
  const { out } = await machine.run(['put', FILE.name]);
  const old = out.toString().trim();
  await visit(owner.page, old);
  const link = await makeNewLink(owner.page);
  expect([await pageSaves(link, false), await commandGets(link, false)]).toEqual([true, true]);
  expect(await stranger.run(['get', '-'], { stdin: old })).toMatchObject({ code: 2, out: Buffer.alloc(0) });
  await writeFile(join(machine.folder, 'later.dat'), 'later');
  const refused = await machine.run(['put', 'later.dat', '--to', old.replace(/#.*/, '')]);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('Give the new link') });
  await writeFile(join(machine.folder, 'new.txt'), link);
  expect(await machine.run(['put', 'later.dat', '--to', '@new.txt'])).toMatchObject({ code: 0 });
  await card(guest.page, 'later.dat').waitFor();
});

test('a screenshot program’s picture shows in a browser by its link, and is saved with the same bytes', async () => {
  const started = machine.start(['agent', '--port', String(await freePort()), '--sxcu', 'satchel.sxcu']);
  agent = started;
  await until(async () => started.said().includes('Listening at'), started.said);
  const settings = JSON.parse(await readFile(join(machine.folder, 'satchel.sxcu'), 'utf8'));
  const picture = new Uint8Array(noisePng(64, 48));
  const body = new FormData();
  body.append(settings.FileFormName, new Blob([picture], { type: 'image/png' }), 'shot.png');
  const { RequestMethod: method, Headers: headers } = settings;
  const { url } = await (await fetch(settings.RequestURL, { method, headers, body })).json();
  const { page } = guest;
  await visit(page, url);
  const viewer = page.getByRole('dialog', { name: 'shot.png' });
  const shown = viewer.getByRole('img', { name: 'shot.png' });
  await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(64);
  const save = viewer.getByRole('button', { name: 'Download' });
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
  expect((await readFile(await download.path())).equals(picture)).toBe(true);
});
