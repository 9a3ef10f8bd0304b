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

/** Keys from the server or the address that are not the folder's open nothing. */

const FILES = { note: textOf('note.txt', 'one'), sun: pictureOf('sun.png', 96) };
const GUARDED = textOf('guarded.txt', 'guarded');

let world: LiedTo;
let ours: Made;
let theirs: Made;
let guarded: Made;
let entries: Record<keyof typeof FILES, FileEntry>;
let page: Page;

test.beforeAll(async ({ liedTo }) => {
  world = liedTo;
  ours = await world.make({ name: 'Ours', files: Object.values(FILES) });
  theirs = await world.make({ name: 'Theirs' });
  guarded = await world.make({ name: 'Guarded', files: [GUARDED], passphrase: PASSPHRASE });
  entries = entriesBySize(await world.list(ours), FILES);
  // Without an account: no visit leaves anything for the next one.
  ({ page } = await newVisitor(world.browser));
});
beforeEach(() => world.calm());

describe('an address with 128 hex characters of a key', () => {
  const withHalf = (half: 'AES' | 'MAC', hex: string): string => {
    const other = randomBytes(32).toString('hex');
    return half === 'AES' ? other + hex.slice(64) : hex.slice(0, 64) + other;
  };
  const addressOf = (hex: string) => `${ours.link.replace(/#.*/, '')}#${hex}`;
  const hexOf = async () => Buffer.from((await rawKeysOf(ours))[0]!).toString('hex');

  test('opens the files when it is the folder’s', async () => {
    await visit(page, addressOf(await hexOf()));
    await cardOf(page, entries.sun.id).getByText('Cached').waitFor();
  });

  test.each(['AES', 'MAC'] as const)('opens nothing when its %s half is another', async (half) => {
    await visit(page, addressOf(withHalf(half, await hexOf())));
    await cardOf(page, entries.note.id).waitFor();
    const reached = [
      ...(await reachOf(page, entries.note.id, FILES.note)).ways,
      ...(await reachOf(page, entries.sun.id, FILES.sun)).ways,
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
  const turned = (sealed_key: string) => {
    const bytes = Buffer.from(sealed_key, 'base64url');
    // Version and flags follow the nonce of 12 bytes.
    bytes[13] = (bytes[13] ?? 0) ^ 1;
    return bytes.toString('base64url');
  };
  const ANSWERS: Readonly<Record<string, () => readonly [Made, Readonly<Record<string, unknown>>]>> = {
    'another folder’s key': () => [ours, sealed(theirs)],
    'another folder’s share': () => [
      ours,
      sealed({ deposit: { ...ours.deposit, key_share: theirs.deposit.key_share } }),
    ],
    'another folder’s sealed key': () => [
      ours,
      sealed({ deposit: { ...ours.deposit, sealed_key: theirs.deposit.sealed_key } }),
    ],
    'a key as it is': () => [ours, { success: true, encryption_key: world.serversKey }],
    'a key as it is beside the sealed one': () => [ours, { ...sealed(ours), encryption_key: world.serversKey }],
    'other flags': () => [ours, sealed({ deposit: { ...ours.deposit, sealed_key: turned(ours.deposit.sealed_key) } })],
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
