import type { FileEntry } from '@satchel/contract/entities';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser/browser.ts';
import { PASSPHRASE } from '../support/browser/world.ts';
import { withChosen } from '../support/files/made-files.ts';
import { cardOf, packedOn, reachOf, type Way } from '../support/lying-server/card-reach.ts';
import { type LiedTo, type Made, test } from '../support/lying-server/lied-to.ts';
import type { TestFile } from '../support/lying-server/lying-server-gain.ts';
import { entriesBySize, longFilm, pictureOf, textOf } from '../support/lying-server/made-contents.ts';

/** Which files the old and the new link open after a passphrase change, in every way (CONTAINER §6 "Epochs"). */

const FILES = {
  oldNote: textOf('old-note.txt', 'before'),
  oldPicture: pictureOf('old-picture.png', 96),
  oldFilm: longFilm('old-film.webm'),
  newNote: textOf('new-note.txt', 'and after the change'),
  newPicture: pictureOf('new-picture.png', 120),
  newFilm: longFilm('new-film.webm', 1024 ** 2),
};
type Name = keyof typeof FILES;
const BEFORE: readonly Name[] = ['oldNote', 'oldPicture', 'oldFilm'];
const AFTER: readonly Name[] = ['newNote', 'newPicture', 'newFilm'];
const NEXT_PASSPHRASE = 'five copper bells';

/** The ways to each file: a large film opens only in the viewer. */
const ALL: Readonly<Record<Name, readonly Way[]>> = {
  oldNote: ['card', 'viewer', 'download', 'zip'],
  oldPicture: ['card', 'viewer', 'download', 'zip'],
  oldFilm: ['viewer', 'film', 'download', 'zip'],
  newNote: ['card', 'viewer', 'download', 'zip'],
  newPicture: ['card', 'viewer', 'download', 'zip'],
  newFilm: ['viewer', 'film', 'download', 'zip'],
};
const only = (names: readonly Name[]): Readonly<Record<Name, readonly Way[]>> =>
  Object.fromEntries(
    Object.entries(ALL).map(([name, ways]) => [name, names.includes(name as Name) ? ways : []]),
  ) as never;

let world: LiedTo;
test.beforeAll(async ({ liedTo }) => {
  world = liedTo;
});

const sheetOf = (page: Page) => page.getByRole('dialog', { name: /^Share / });
const share = (page: Page) => page.getByRole('button', { name: 'Share', exact: true }).click();

async function withPassphrase(form: Page): Promise<void> {
  await form.getByRole('switch', { name: 'Ask for a passphrase' }).check();
  await form.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await form.getByLabel('Passphrase again').fill(PASSPHRASE);
}

async function changePassphrase(page: Page): Promise<void> {
  await sheetOf(page).getByRole('button', { name: 'Change passphrase' }).click();
  await sheetOf(page).getByLabel('New passphrase').fill(NEXT_PASSPHRASE);
  await sheetOf(page).getByRole('button', { name: 'Change', exact: true }).click();
}

async function unlock(page: Page, passphrase: string): Promise<void> {
  const prompt = page.getByRole('region', { name: 'This folder needs a passphrase' });
  await prompt.getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await page.keyboard.press('Enter');
}

describe('another passphrase', () => {
  let made: Made;
  let newLink: string;
  let entries: Record<Name, FileEntry>;
  /** Jonas, signed in, who opened the folder before the change. */
  let early: Visitor;

  const isOpen = (page: Page, name: Name) =>
    cardOf(page, entries[name].id).getByText('Cached').waitFor({ timeout: 30_000 });
  const filesOf = (names: readonly Name[]): TestFile[] => names.map((name) => FILES[name]);

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

  beforeAll(async () => {
    const { page } = world.maker;
    made = await world.make({ name: 'In two epochs', files: filesOf(BEFORE), fill: withPassphrase });
    early = await newVisitor(world.browser);
    await signInAs(early.page, world.site.url, 'jonas');
    await early.page.goto(made.link);
    await unlock(early.page, PASSPHRASE);
    await early.page.getByRole('gridcell').filter({ hasText: FILES.oldNote.name }).getByText('Cached').waitFor();
    await share(page);
    await changePassphrase(page);
    const changed = async () => {
      newLink = await clipboardLink(page);
      expect(newLink).not.toBe(made.link);
    };
    await vi.waitFor(changed, { timeout: 60_000 });
    await page.keyboard.press('Escape');
    await sheetOf(page).waitFor({ state: 'detached' });
    await withChosen(page.getByLabel('Choose files'), filesOf(AFTER), async () => {
      await page.getByRole('button', { name: 'Upload 3 files' }).click();
      await page.getByText('6 completed').waitFor({ timeout: 60_000 });
    });
    entries = entriesBySize(await world.list(made), FILES);
  });
  afterAll(() => early?.close());

  /** The link that Share copies, with its key. */
  async function clipboardLink(page: Page): Promise<string> {
    await sheetOf(page).getByRole('button', { name: 'Copy', exact: true }).click();
    return page.evaluate(() => navigator.clipboard.readText());
  }

  test('the new link opens every file in every way', async () => {
    const late = await newVisitor(world.browser);
    await late.page.goto(newLink);
    await unlock(late.page, NEXT_PASSPHRASE);
    await isOpen(late.page, 'newPicture');
    expect(await matrixOf(late.page)).toEqual(ALL);
    await late.close();
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
    const late = await newVisitor(world.browser);
    late.allow(/status of 403/);
    await late.page.goto(made.link);
    await unlock(late.page, PASSPHRASE);
    await late.page
      .getByText(/^Wrong passphrase/)
      .first()
      .waitFor({ timeout: 30_000 });
    expect(await matrixOf(late.page)).toEqual(only([]));
    await late.close();
  });
});
