import { randomUUID } from 'node:crypto';
import type { FileEntry } from '@satchel/contract/entities';
import type { Page } from 'playwright-core';
import { beforeEach, expect } from 'vitest';
import { newVisitor, visit } from '../support/browser.ts';
import {
  cardOf,
  entriesBySize,
  type LiedTo,
  type Made,
  packedOn,
  pictureOf,
  reachOf,
  strangersAmong,
  test,
  textOf,
} from '../support/lied-to.ts';
import { bytesAre, keyIs, listIs } from '../support/lying-server.ts';

/**
 * The lies that matter most: another key, other bytes, and a file that nobody put there. All others are tests of the client's keys,
 * folders and open, and of engine/media.
 */

const BUCKET = 'unlocked-folders';
const FOREIGN = 'Not from this folder';
const FILES = {
  first: textOf('first.txt', 'one'),
  second: textOf('second.txt', 'second'),
  sun: pictureOf('sun.png', 96),
};
type Name = keyof typeof FILES;

let world: LiedTo;
let ours: Made;
let theirs: Made;
/** The honest list. */
let entries: Record<Name, FileEntry>;
let page: Page;

test.beforeAll(async ({ liedTo }) => {
  world = liedTo;
  ours = await world.make({ name: 'Ours', files: Object.values(FILES) });
  theirs = await world.make({ name: 'Theirs', files: [textOf('their-notes.txt', 'theirs')] });
  entries = entriesBySize(await world.list(ours), FILES);
  // Without an account: no visit leaves anything for the next one.
  ({ page } = await newVisitor(world.browser));
});
beforeEach(() => world.calm());

const pathIn = ({ data }: Made, { name }: Pick<FileEntry, 'name'>) =>
  `${BUCKET}/${data.folder_bucket_storage_path}/${name}`;

test('a server that tells the truth opens everything', async () => {
  await visit(page, ours.link);
  for (const name of Object.keys(FILES) as Name[]) {
    expect(await reachOf(page, entries[name].id, FILES[name])).toEqual(['card', 'viewer', 'download']);
  }
  expect(strangersAmong(await packedOn(page), Object.values(FILES))).toEqual([]);
});

test('a key service that answers with another folder’s key opens nothing', async () => {
  world.server.lie(keyIs(ours.slug, { success: true, ...theirs.deposit, passphrase: false }));
  await visit(page, ours.link);
  await page.getByText('No Key', { exact: true }).first().waitFor();
  await page.getByText('This link does not open this folder').waitFor();
  expect(await page.getByText(/(first|second)\.txt|sun\.png/).count()).toBe(0);
});

test('bytes of one file at the address of another are not shown, packed or saved', async () => {
  const [one, other] = [pathIn(ours, entries.first), pathIn(ours, entries.second)];
  world.server.lie(bytesAre(one, other), bytesAre(other, one));
  await visit(page, ours.link);
  await cardOf(page, entries.sun.id).getByText('Cached').waitFor();
  for (const { id } of [entries.first, entries.second]) {
    expect(await reachOf(page, id, null)).toEqual([]);
    expect(await cardOf(page, id).getByText(FOREIGN).count()).toBe(1);
  }
  expect((await packedOn(page)).map(({ name }) => name)).toEqual(['sun.png']);
});

test('a file of another folder in the list is marked, and not shown, packed or saved', async () => {
  const [theirFile] = await world.list(theirs);
  const planted = { ...theirFile!, id: randomUUID() };
  world.server.lie(listIs(ours.data.folder_bucket_storage_path, (honest) => [...honest, planted]));
  world.server.lie(bytesAre(pathIn(ours, planted), pathIn(theirs, theirFile!)));
  await visit(page, ours.link);
  await cardOf(page, entries.sun.id).getByText('Cached').waitFor();
  await cardOf(page, planted.id).getByText(FOREIGN).waitFor();
  await page.getByText('1 file does not open with this link').first().waitFor();
  expect(await reachOf(page, planted.id, null)).toEqual([]);
  expect(strangersAmong(await packedOn(page), Object.values(FILES))).toEqual([]);
});
