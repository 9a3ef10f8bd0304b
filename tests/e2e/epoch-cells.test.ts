import type { FileEntry } from '@satchel/contract/entities';
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor, visit } from '../support/browser.ts';
import type { TestFile } from '../support/files.ts';
import { cardOf, entriesBySize, longFilm, packedOn, pictureOf, reachOf, textOf } from '../support/lied-to.ts';
import { createFolderAs, listFiles, type OwnedFolder, signIn } from '../support/people.ts';
import { test } from '../support/shared.ts';

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
let browser: Browser;
let folder: OwnedFolder;
/** The link of before. */
let old: string;
/** A person who opened the folder before the link was replaced, and whose device remembers it. */
let reader: Visitor;
/** A person without an account: no visit leaves anything for the next one. */
let guest: Visitor;
let entries: { early: Record<Kind, FileEntry>; late: Record<Kind, FileEntry> };

test.beforeAll(async ({ place }) => {
  const { site } = place;
  browser = place.browser;
  const owner = await signIn(site, 'mika');
  folder = await createFolderAs(owner, site, { name: 'Two chapters', files: Object.values(EARLY) });
  old = folder.link();
  const early = await listFiles(owner, folder.folder.bucket_storage_path);
  [reader, guest] = await Promise.all([newVisitor(browser), newVisitor(browser)]);
  await signInAs(reader.page, site.url, 'jonas');
  await reader.page.goto(old);
  await cardOf(reader.page, entriesBySize(early, EARLY).note.id).getByText('Cached').waitFor();
  await folder.replaceLink();
  for (const kind of KINDS) await folder.add(LATE[kind]);
  const ids = new Set(early.map(({ id }) => id));
  const late = (await listFiles(owner, folder.folder.bucket_storage_path)).filter(({ id }) => !ids.has(id));
  entries = { early: entriesBySize(early, EARLY), late: entriesBySize(late, LATE) };
});
afterAll(() => Promise.all([reader?.close(), guest?.close()]));

type Cells = Record<Kind, readonly string[]>;

/** Per file, the ways that give its bytes on a page. */
async function cellsOn(page: Page): Promise<{ early: Cells; late: Cells }> {
  await cardOf(page, entries.early.note.id).waitFor();
  await cardOf(page, entries.late.film.id).waitFor();
  const zipped = new Set((await packedOn(page)).map(({ name }) => name));
  const cells = async (files: Record<Kind, TestFile>, at: Record<Kind, FileEntry>): Promise<Cells> => {
    const found: Partial<Cells> = {};
    for (const kind of KINDS) {
      const ways = await reachOf(page, at[kind].id, files[kind]);
      found[kind] = [...ways, ...(zipped.has(files[kind].name) ? ['zip'] : [])];
    }
    return found as Cells;
  };
  return { early: await cells(EARLY, entries.early), late: await cells(LATE, entries.late) };
}

async function cellsAt(address: string): Promise<Awaited<ReturnType<typeof cellsOn>>> {
  await visit(guest.page, address);
  return cellsOn(guest.page);
}

/** The files that open on the folder's page with these keys, and are not marked as another folder's. */
async function openedWith(...keys: Uint8Array[]): Promise<string[]> {
  const fragment = keys.map((key) => Buffer.from(key).toString('hex')).join('.');
  await visit(guest.page, `${old.replace(/#.*/, '')}#${fragment}`);
  const found: string[] = [];
  for (const [time, files] of Object.entries(entries)) {
    for (const kind of KINDS) {
      const card = cardOf(guest.page, files[kind].id);
      // A film this large is opened by a click alone.
      const isOpen = card.getByText(kind === 'film' ? 'API' : 'Cached');
      await isOpen.or(card.getByText('Not from this folder')).waitFor();
      if ((await isOpen.count()) > 0) found.push(`${time} ${kind}`);
    }
  }
  return found;
}

const early = { early: ALL_WAYS, late: NO_WAY };
const both = { early: ALL_WAYS, late: ALL_WAYS };

test('a person who had the folder open gets the earlier files in every way, and no later file in any', async () => {
  await reader.page.reload();
  expect(await cellsOn(reader.page)).toEqual(early);
});

test('the new link opens everything in every way', async () => {
  expect(await cellsAt(folder.link())).toEqual(both);
});

// They prove each file once, before any way to it, wherever they come from (the engine's proven-files).
test('one key opens the files of its time, and both keys open all', async () => {
  const [first, second] = folder.ring()!.keys as [Uint8Array, Uint8Array];
  const of = (time: string) => KINDS.map((kind) => `${time} ${kind}`);
  expect(await openedWith(first)).toEqual(of('early'));
  expect(await openedWith(second)).toEqual(of('late'));
  expect(await openedWith(first, second)).toEqual([...of('early'), ...of('late')]);
});

test('the old link opens nothing', async () => {
  expect(await cellsAt(old)).toEqual({ early: NO_WAY, late: NO_WAY });
});
