import type { FileEntry } from '@satchel/contract/entities';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser/browser.ts';
import { visit } from '../support/browser/folder-page.ts';
import { test } from '../support/browser/shared.ts';
import { PASSPHRASE } from '../support/browser/world.ts';
import { cardOf, packedOn, reachOf, type Way } from '../support/lying-server/card-reach.ts';
import { entriesBySize, longFilm, pictureOf, textOf } from '../support/lying-server/made-contents.ts';
import { signIn } from '../support/people/client.ts';
import { createFolderAs, listFiles } from '../support/people/made-folders.ts';

/** Which files the old and the new link open after a passphrase change, in every way (CONTAINER §6 "Epochs"). */

const FILES = {
  oldNote: textOf('old-note.txt', 'before'),
  oldPicture: pictureOf('old-picture.png', 96),
  newNote: textOf('new-note.txt', 'and after the change'),
  newPicture: pictureOf('new-picture.png', 120),
  newFilm: longFilm('new-film.webm'),
};
type Name = keyof typeof FILES;
const BEFORE: readonly Name[] = ['oldNote', 'oldPicture'];
const AFTER: readonly Name[] = ['newNote', 'newPicture', 'newFilm'];
const NEXT_PASSPHRASE = 'five copper bells';

/** The ways to each file: a large film opens only in the viewer. */
const ALL: Readonly<Record<Name, readonly Way[]>> = {
  oldNote: ['card', 'viewer', 'download', 'zip'],
  oldPicture: ['card', 'viewer', 'download', 'zip'],
  newNote: ['card', 'viewer', 'download', 'zip'],
  newPicture: ['card', 'viewer', 'download', 'zip'],
  newFilm: ['viewer', 'film', 'download', 'zip'],
};
const only = (names: readonly Name[]): Readonly<Record<Name, readonly Way[]>> =>
  Object.fromEntries(
    Object.entries(ALL).map(([name, ways]) => [name, names.includes(name as Name) ? ways : []]),
  ) as never;

async function unlock(page: Page, passphrase: string): Promise<void> {
  const prompt = page.getByRole('region', { name: 'This folder needs a passphrase' });
  await prompt.getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await page.keyboard.press('Enter');
}

describe('another passphrase', () => {
  let oldLink: string;
  let newLink: string;
  let entries: Record<Name, FileEntry>;
  /** Jonas, signed in, who opened the folder before the change. */
  let early: Visitor;
  /** A person without an account: no visit leaves anything for the next one. */
  let late: Visitor;

  const isOpen = (page: Page, name: Name) =>
    cardOf(page, entries[name].id).getByText('Cached').waitFor({ timeout: 30_000 });

  /** All ways that give bytes on a page, file by file; wrong bytes fail the test. */
  async function matrixOf(page: Page): Promise<Record<Name, Way[]>> {
    const packed = await packedOn(page);
    const rows: [string, Way[]][] = [];
    for (const [name, { id }] of Object.entries(entries)) {
      const file = FILES[name as Name];
      const { ways, wrong } = await reachOf(page, id, file);
      expect(wrong, name).toEqual([]);
      const isPacked = packed.some((member) => member.name === file.name && member.bytes.equals(file.buffer));
      rows.push([name, [...ways, ...(isPacked ? (['zip'] as const) : [])]]);
    }
    return Object.fromEntries(rows) as Record<Name, Way[]>;
  }

  test.beforeAll(async ({ place }) => {
    const { site } = place;
    const { browser } = place;
    const owner = await signIn(site, 'mika');
    const files = BEFORE.map((name) => FILES[name]);
    const folder = await createFolderAs(owner, site, { name: 'In two epochs', files, passphrase: PASSPHRASE });
    oldLink = folder.link();
    [early, late] = await Promise.all([newVisitor(browser), newVisitor(browser)]);
    await signInAs(early.page, site.url, 'jonas');
    await early.page.goto(oldLink);
    await unlock(early.page, PASSPHRASE);
    await early.page.getByRole('gridcell').filter({ hasText: FILES.oldNote.name }).getByText('Cached').waitFor();
    newLink = await folder.replaceLink(NEXT_PASSPHRASE);
    for (const name of AFTER) await folder.add(FILES[name]);
    entries = entriesBySize(await listFiles(owner, folder.folder.bucket_storage_path), FILES);
  });
  afterAll(() => Promise.all([early?.close(), late?.close()]));

  test('the new link opens every file in every way', async () => {
    await visit(late.page, newLink);
    await unlock(late.page, NEXT_PASSPHRASE);
    await isOpen(late.page, 'newPicture');
    expect(await matrixOf(late.page)).toEqual(ALL);
  });

  test('a person who had the folder open reads the earlier files, and no later one', async () => {
    // Through this device's stored keys, because the old link opens nothing.
    await early.page.reload();
    await isOpen(early.page, 'oldPicture');
    const strange = early.page.getByRole('gridcell').filter({ hasText: 'Not from this folder' });
    await expect.poll(() => strange.count()).toBe(AFTER.length);
    expect(await matrixOf(early.page)).toEqual(only(BEFORE));
  });

  test('the old link opens nothing for a new visitor', async () => {
    late.allow(/status of 403/);
    await visit(late.page, oldLink);
    await unlock(late.page, PASSPHRASE);
    await late.page
      .getByText(/^Wrong passphrase/)
      .first()
      .waitFor({ timeout: 30_000 });
    expect(await matrixOf(late.page)).toEqual(only([]));
  });
});
