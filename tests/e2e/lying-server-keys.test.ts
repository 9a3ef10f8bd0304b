import { randomBytes } from 'node:crypto';
import type { FileEntry } from '@satchel/contract/entities';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect } from 'vitest';
import { newVisitor, PASSPHRASE, visit } from '../support/browser.ts';
import {
  cardOf,
  entriesBySize,
  type LiedTo,
  type Made,
  packedOn,
  pictureOf,
  rawKeysOf,
  reachOf,
  test,
  textOf,
} from '../support/lied-to.ts';
import { keyIs } from '../support/lying-server.ts';

/**
 * Keys from the server or the address that are not the folder's open nothing. Other answers of the key service are
 * tests/journeys/lying-server and packages/container/test/refusals.test.ts.
 */

const FILES = { note: textOf('note.txt', 'one'), sun: pictureOf('sun.png', 96) };
const GUARDED = textOf('guarded.txt', 'guarded');

let world: LiedTo;
let ours: Made;
let guarded: Made;
let entries: Record<keyof typeof FILES, FileEntry>;
let page: Page;

test.beforeAll(async ({ liedTo }) => {
  world = liedTo;
  ours = await world.make({ name: 'Ours', files: Object.values(FILES) });
  guarded = await world.make({ name: 'Guarded', files: [GUARDED], passphrase: PASSPHRASE });
  entries = entriesBySize(await world.list(ours), FILES);
  // Without an account: no visit leaves anything for the next one.
  ({ page } = await newVisitor(world.browser));
});
beforeEach(() => world.calm());

describe('an address with 128 hex characters of a key', () => {
  const withOtherMacHalf = (hex: string): string => hex.slice(0, 64) + randomBytes(32).toString('hex');
  const addressOf = (hex: string) => `${ours.link.replace(/#.*/, '')}#${hex}`;
  const hexOf = async () => Buffer.from((await rawKeysOf(ours))[0]!).toString('hex');

  test('opens the files when it is the folder’s', async () => {
    await visit(page, addressOf(await hexOf()));
    await cardOf(page, entries.sun.id).getByText('Cached').waitFor();
  });

  // Either half is in the key of the labels (packages/container/src/label.test.ts).
  test('opens nothing when its MAC half is another', async () => {
    await visit(page, addressOf(withOtherMacHalf(await hexOf())));
    await cardOf(page, entries.note.id).waitFor();
    const reached = [
      ...(await reachOf(page, entries.note.id, FILES.note)),
      ...(await reachOf(page, entries.sun.id, FILES.sun)),
      ...(await packedOn(page)).map(() => 'zip'),
    ];
    const names = await page.getByText(/note\.txt|sun\.png/).count();
    expect({ reached, names }).toEqual({ reached: [], names: 0 });
  });
});

describe('the key service', () => {
  const sealed = ({ deposit }: Pick<Made, 'deposit'>, passphrase = false) => ({
    success: true,
    ...deposit,
    passphrase,
  });
  const ANSWERS: Readonly<Record<string, () => readonly [Made, Readonly<Record<string, unknown>>]>> = {
    'a key as it is beside the sealed one': () => [ours, { ...sealed(ours), encryption_key: world.serversKey }],
    'that no passphrase is needed where there is one': () => [guarded, sealed(guarded)],
  };

  test.each(Object.keys(ANSWERS))('that answers with %s opens nothing', async (answer) => {
    const [made, body] = ANSWERS[answer]!();
    world.server.lie(keyIs(made.slug, body));
    await visit(page, made.link);
    await page.getByText('No Key', { exact: true }).first().waitFor();
    await page.getByText('This link does not open this folder').waitFor();
    expect(await page.getByText(/note\.txt|guarded\.txt/).count()).toBe(0);
  });

  test('that asks for a passphrase where there is none does not learn what is typed', async () => {
    world.server.lie(keyIs(ours.slug, { success: true, passphrase: true }));
    await visit(page, ours.link);
    const prompt = page.getByRole('region', { name: 'This folder needs a passphrase' });
    await prompt.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    world.server.lie(keyIs(ours.slug, sealed(ours, true)));
    await page.keyboard.press('Enter');
    await prompt.getByText('This link does not open this folder').waitFor();
    const leaks = world.server.received().filter(({ url, body }) => `${url} ${body}`.includes(PASSPHRASE));
    expect(leaks).toEqual([]);
    expect(world.server.received().some(({ body }) => body.includes('"proof"'))).toBe(true);
    expect(await page.getByText('note.txt').count()).toBe(0);
  });
});
