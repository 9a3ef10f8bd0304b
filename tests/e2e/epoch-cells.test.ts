import type { FileEntry } from '@satchel/contract/entities';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser/browser.ts';
import { cardOf, packedOn, reachOf } from '../support/lying-server/card-reach.ts';
import { add, type LiedTo, type Made, rawKeysOf, test } from '../support/lying-server/lied-to.ts';
import type { TestFile } from '../support/lying-server/lying-server-gain.ts';
import { entriesBySize, longFilm, pictureOf, textOf } from '../support/lying-server/made-contents.ts';

/** Key sets from before and after a new link × files from before and after it × every way to a file (CONTAINER §6). */

const EARLY = { note: textOf('early.txt', 'one'), picture: pictureOf('early.png', 96), film: longFilm('early.webm') };
const LATE = {
  note: textOf('late.txt', 'another one'),
  picture: pictureOf('late.png', 120),
  film: longFilm('late.webm', 1024 ** 2),
};
type Kind = keyof typeof EARLY;
const KINDS: readonly Kind[] = ['note', 'picture', 'film'];
const ALL_WAYS = {
  note: ['card', 'viewer', 'download', 'zip'],
  picture: ['card', 'viewer', 'download', 'zip'],
  film: ['viewer', 'film', 'download', 'zip'],
};
const NO_WAY = { note: [], picture: [], film: [] };

let world: LiedTo;
let made: Made;
let next: string;
let hex: { early: string; late: string };
/** A person who opened the folder before the link was replaced, and whose device remembers it. */
let reader: Visitor;
let entries: { early: Record<Kind, FileEntry>; late: Record<Kind, FileEntry> };

async function replaceLink(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: /^Share / });
  await sheet.getByRole('button', { name: 'Make a new link' }).click();
  const question = page.getByRole('alertdialog', { name: 'Make a new link?' });
  await question.getByRole('button', { name: 'Make a new link' }).click();
  await question.waitFor({ state: 'detached' });
  await sheet.getByRole('button', { name: 'Copy', exact: true }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  return link;
}

test.beforeAll(async ({ liedTo }) => {
  world = liedTo;
  const { page } = world.maker;
  made = await world.make({ name: 'Two chapters', files: [EARLY.note, EARLY.picture] });
  await add(page, EARLY.film, 3);
  const early = await world.list(made);
  reader = await newVisitor(world.browser);
  await signInAs(reader.page, world.site.url, 'jonas');
  await reader.page.goto(made.link);
  await cardOf(reader.page, early[0]!.id).getByText('Cached').or(reader.page.getByText('early.txt')).first().waitFor();
  next = await replaceLink(page);
  for (const [at, kind] of KINDS.entries()) await add(page, LATE[kind], 4 + at);
  const ids = new Set(early.map(({ id }) => id));
  const late = (await world.list(made)).filter(({ id }) => !ids.has(id));
  entries = { early: entriesBySize(early, EARLY), late: entriesBySize(late, LATE) };
  const keys = await rawKeysOf({ link: next, deposit: world.deposit() });
  const [one = '', other = ''] = keys.map((key) => Buffer.from(key).toString('hex'));
  hex = { early: one, late: other };
});
afterAll(async () => {
  await reader?.close();
});

type Cells = Record<Kind, readonly string[]>;

/** Per file, the ways that give its bytes on a page. */
async function cellsOn(page: Page): Promise<{ early: Cells; late: Cells; wrong: string[] }> {
  await cardOf(page, entries.early.note.id).waitFor();
  await cardOf(page, entries.late.film.id).waitFor();
  const zipped = new Set((await packedOn(page)).map(({ name }) => name));
  const wrong: string[] = [];
  const cells = async (files: Record<Kind, TestFile>, at: Record<Kind, FileEntry>): Promise<Cells> => {
    const found: Partial<Cells> = {};
    for (const kind of KINDS) {
      const reach = await reachOf(page, at[kind].id, files[kind]);
      wrong.push(...reach.wrong);
      found[kind] = [...reach.ways, ...(zipped.has(files[kind].name) ? ['zip'] : [])];
    }
    return found as Cells;
  };
  return { early: await cells(EARLY, entries.early), late: await cells(LATE, entries.late), wrong };
}

const addressOf = (fragment: string) => `${made.link.replace(/#.*/, '')}#${fragment}`;

async function cellsAt(address: string): Promise<Awaited<ReturnType<typeof cellsOn>>> {
  const visitor = await newVisitor(world.browser);
  await visitor.page.goto(address);
  const cells = await cellsOn(visitor.page);
  await visitor.close();
  return cells;
}

const early = { early: ALL_WAYS, late: NO_WAY, wrong: [] };
const both = { early: ALL_WAYS, late: ALL_WAYS, wrong: [] };

test('a person who had the folder open gets the earlier files in every way, and no later file in any', async () => {
  await reader.page.reload();
  expect(await cellsOn(reader.page)).toEqual(early);
});

test('the new link opens everything in every way', async () => {
  expect(await cellsAt(next)).toEqual(both);
});

test('one key opens the files of its time, and both keys open all', async () => {
  expect(await cellsAt(addressOf(hex.early))).toEqual(early);
  expect(await cellsAt(addressOf(hex.late))).toEqual({ early: NO_WAY, late: ALL_WAYS, wrong: [] });
  expect(await cellsAt(addressOf(`${hex.early}.${hex.late}`))).toEqual(both);
});

test('the old link opens nothing', async () => {
  expect(await cellsAt(made.link)).toEqual({ early: NO_WAY, late: NO_WAY, wrong: [] });
});
