import type { FileEntry } from '@satchel/contract/entities';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { newVisitor, PASSPHRASE, signInAs, type Visitor, visit } from '../support/browser.ts';
import { cardOf, entriesBySize, longFilm, packedOn, pictureOf, textOf } from '../support/lied-to.ts';
import { createFolderAs, listFiles, signIn } from '../support/people.ts';
import { test } from '../support/shared.ts';

/**
 * Which files the old and the new link open after a passphrase change, as cards and in a zip (CONTAINER §6 "Epochs"). The
 * further ways to a file follow from its card, as epoch-cells shows.
 */

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

const EVERY = [...BEFORE, ...AFTER];

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

  const isOpen = (page: Page, name: Name) => cardOf(page, entries[name].id).getByText('Cached').waitFor();

  /** The files that are the folder's on a page, by their cards, and those that are packed, byte for byte. */
  async function openOn(page: Page): Promise<{ cards: Name[]; packed: Name[] }> {
    const members = await packedOn(page);
    const cards: Name[] = [];
    for (const name of EVERY) {
      const card = cardOf(page, entries[name].id);
      await card.scrollIntoViewIfNeeded();
      // A film this large is opened by a click alone.
      const isOpen = card.getByText(name === 'newFilm' ? 'API' : 'Cached', { exact: true });
      await isOpen
        .or(card.getByText(/^(Not from this folder|No Key)$/))
        .first()
        .waitFor();
      if ((await isOpen.count()) > 0) cards.push(name);
    }
    const isPacked = (name: Name) =>
      members.some((member) => member.name === FILES[name].name && member.bytes.equals(FILES[name].buffer));
    const packed = EVERY.filter(isPacked);
    expect(members.length).toBe(packed.length);
    return { cards, packed };
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

  test('the new link opens every file', async () => {
    await visit(late.page, newLink);
    await unlock(late.page, NEXT_PASSPHRASE);
    await isOpen(late.page, 'newPicture');
    expect(await openOn(late.page)).toEqual({ cards: EVERY, packed: EVERY });
  });

  test('a person who had the folder open reads the earlier files, and no later one', async () => {
    // Through this device's stored keys, because the old link opens nothing.
    await early.page.reload();
    await isOpen(early.page, 'oldPicture');
    const strange = early.page.getByRole('gridcell').filter({ hasText: 'Not from this folder' });
    await expect.poll(() => strange.count()).toBe(AFTER.length);
    expect(await openOn(early.page)).toEqual({ cards: BEFORE, packed: BEFORE });
  });

  test('the old link opens nothing for a new visitor', async () => {
    late.allow(/status of 403/);
    await visit(late.page, oldLink);
    await unlock(late.page, PASSPHRASE);
    await late.page
      .getByText(/^Wrong passphrase/)
      .first()
      .waitFor();
    expect(await openOn(late.page)).toEqual({ cards: [], packed: [] });
  });
});
