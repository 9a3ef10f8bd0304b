import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { randomBytesOf } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import type { Line } from '../support/line.ts';
import { createFolderAs, type Person } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** An upload that is cut off continues where it was, with what is already there. */

const MIB = 1024 ** 2;
const FILM_BYTES = 10 * MIB;
/** The line stands still then. More than a window of the socket has passed: its place is in the log. */
const HELD_BYTES = 7 * MIB;

let dir: string;
let line: Line;
let site: Site;
let owner: Visitor;
let page: Page;
let person: Person;

test.beforeAll(async ({ behindLine }) => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-resume-'));
  ({ line, site } = behindLine);
  owner = await newVisitor(behindLine.browser);
  ({ page } = owner);
  // The line is cut on purpose.
  owner.allow(/net::ERR_|Failed to load resource|WebSocket connection/);
  person = await signInAs(page, site.url, 'mika');
});
beforeEach(async () => {
  line.hold(null);
  const folder = await createFolderAs(person, site, { name: 'Long way' });
  await page.goto(folder.link().replace('#', '?upload=true#'));
  await page.getByText('Drop files here or click to upload').waitFor();
});
afterEach(() => {
  expect(owner.problems()).toEqual([]);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function newFile(name: string, sizeBytes: number): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, randomBytesOf(sizeBytes));
  return path;
}

const choose = (...paths: string[]) => page.getByLabel('Choose files').setInputFiles(paths);
const upload = (count: string) => page.getByRole('button', { name: `Upload ${count}`, exact: true }).click();
const unfinished = () => page.getByRole('region', { name: 'Unfinished uploads' });

async function sendMostOf(start: () => Promise<void>): Promise<void> {
  line.hold(HELD_BYTES);
  await start();
  await vi.waitUntil(() => line.heldCount() === 1, WAIT_MS);
}

test('after the line was cut it continues by itself', async () => {
  const film = await newFile('cut.bin', FILM_BYTES);
  await choose(film);
  await sendMostOf(() => upload('1 file'));
  line.forget();
  line.letGo();
  await page.getByText('1 completed').waitFor();
  expect(line.sentBytes()).toBeLessThan(8 * MIB);
  await page.getByRole('gridcell').filter({ hasText: 'cut.bin' }).waitFor();
});

test('after a reload the page lists the files to choose again, and resumes them', async () => {
  const film = await newFile('film.bin', FILM_BYTES);
  // Just too large to go at once with its creation: its turn does not come.
  const waiting = await newFile('waiting.bin', MIB + 1);
  await page.evaluate(() => Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 }));
  await choose(film, waiting);
  await sendMostOf(() => upload('2 files'));
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  line.letGo();
  await unfinished().getByText('2 uploads were not finished').waitFor();
  await unfinished()
    .getByText(/^10\.00 MB · \d+% uploaded$/)
    .waitFor();
  await unfinished().getByText('1 file had not begun').click();
  await unfinished().getByText('waiting.bin').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  line.forget();
  await choose(film, waiting);
  await page
    .getByRole('list', { name: 'Files to upload' })
    .getByRole('listitem')
    .filter({ hasText: 'film.bin' })
    .getByText(/Pending, continues at \d+%/)
    .waitFor();
  await unfinished().waitFor({ state: 'detached' });
  await upload('2 files');
  await page.getByText('2 completed').waitFor();
  expect(line.sentBytes()).toBeLessThan(8 * MIB);
});
