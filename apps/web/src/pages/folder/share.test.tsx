// @vitest-environment happy-dom

import type { FolderCompleteData } from '@satchel/contract/api';
import { PATHS } from '@satchel/contract/paths';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { encode } from 'uqr';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { accountOf, type FolderLink, fileEntry, folderData, JONAS, MIKA, privateLink } from '../../../test/answers.ts';
import { type Answers, askedFor, openPage, press, unreachable } from '../../../test/page.tsx';

/** Share: what it copies, says and offers, by role, link and device. That links open folders is tests/e2e/keys and epochs. */

/** When the code of Share has come over the line. */
const code = vi.hoisted(() => ({ arrived: Promise.resolve() }));
vi.mock('../../features/share/share-sheet.tsx', async (original) => {
  const sheet = await original();
  await code.arrived;
  return sheet;
});

const REVOKE = `POST ${PATHS.rpc}/revoke_temp_encryption_key`;
const NEW_LINK = `POST ${PATHS.rpc}/generate_temp_encryption_key`;
const VISITOR: Answers = {};
const VIEWER = accountOf(JONAS);
const OWNER = accountOf(MIKA);

let link: FolderLink;
/** What the page has copied last. */
let copied: string;

beforeAll(async () => {
  link = await privateLink();
});
beforeEach(() => {
  copied = '';
});

async function openFolder(who: Answers, fragment: string, changes: Partial<FolderCompleteData> = link.facts) {
  const folder = folderData(MIKA, { folder_name: 'Bridge walk', ...changes });
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => {
    copied = text;
  });
  await openPage(`/f/${folder.folder_slug}${fragment}`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: folder,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: [fileEntry('thing.txt_1763750000000_abcdefgh.enc')],
    [`GET ${PATHS.key}/`]: link.key,
    [REVOKE]: unreachable,
    ...who,
  });
  return `${location.origin}/f/${folder.folder_slug}`;
}

const sheetOf = async () => within(await screen.findByRole('dialog', { name: /^Share / }));

async function openOwnSheet(fragment = link.fragment, changes?: Partial<FolderCompleteData>) {
  const address = await openFolder(OWNER, fragment, changes);
  await press('Share');
  return { address, sheet: await sheetOf() };
}

// The first that opens Share: its code is loaded once.
test('Share that comes late says for two seconds, too, that the link is copied', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  code.arrived = promise;
  const address = await openFolder(OWNER, link.fragment);
  const button = await screen.findByRole('button', { name: 'Share' });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  fireEvent.click(button);
  await vi.waitFor(() => screen.getByText('Link copied'), { timeout: WAIT_MS, interval: 1 });
  expect(copied).toBe(`${address}${link.fragment}`);
  act(() => vi.advanceTimersByTime(3000));
  expect(screen.queryByRole('dialog')).toBeNull();
  resolve();
  const dialog = await vi.waitFor(() => screen.getByRole('dialog', { name: /^Share / }), {
    interval: 1,
    timeout: WAIT_MS,
  });
  const told = within(dialog).getByRole('button', { name: '✓ Copied!' });
  act(() => vi.advanceTimersByTime(1900));
  expect(told.textContent).toBe('✓ Copied!');
  act(() => vi.advanceTimersByTime(200));
  expect(told.textContent).toBe('Copy');
});

test('a visitor copies with one click, and sees that for two seconds', async () => {
  const address = await openFolder(VISITOR, link.fragment);
  const button = await screen.findByRole('button', { name: 'Copy Link' });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  fireEvent.click(button);
  // Each look moves the clock by a millisecond. An asynchronous act would complain of what the page still loads.
  await vi.waitFor(() => expect(button.textContent).toBe('✓ Copied!'), { timeout: WAIT_MS, interval: 1 });
  expect(copied).toBe(`${address}${link.fragment}`);
  act(() => vi.advanceTimersByTime(1900));
  expect(button.textContent).toBe('✓ Copied!');
  act(() => vi.advanceTimersByTime(200));
  expect(button.textContent).toBe('Copy Link');
});

test('a visitor finds the QR code, and nothing to change', async () => {
  await openFolder(VISITOR, link.fragment);
  await press('QR code and more');
  const sheet = await sheetOf();
  sheet.getByText(/^This is another person’s folder\./);
  expect(sheet.queryByText('Who can open it?')).toBeNull();
});

test('the system’s share sheet is offered if it exists', async () => {
  const share = vi.fn(async () => undefined);
  Object.defineProperty(navigator, 'share', { configurable: true, value: share });
  const address = await openFolder(VISITOR, link.fragment);
  await press('QR code and more');
  fireEvent.click((await sheetOf()).getByRole('button', { name: 'Send with…' }));
  expect(share).toHaveBeenCalledWith({ url: `${address}${link.fragment}`, title: 'Bridge walk' });
  Object.defineProperty(navigator, 'share', { configurable: true, value: undefined });
});

test('a signed-in viewer shares the folder, and changes nothing about it', async () => {
  const address = await openFolder(VIEWER, link.fragment);
  await press('Share Folder');
  const sheet = await sheetOf();
  sheet.getByText(/^This is another person’s folder\./);
  expect(copied).toBe(`${address}${link.fragment}`);
  expect(sheet.queryByRole('button', { name: 'Revoke Link' })).toBeNull();
});

test('an owner on a device without the key reads how to get it there', async () => {
  const { sheet } = await openOwnSheet('');
  await sheet.findByText('This device doesn’t have the key.');
  sheet.getByText(/can’t copy the full link/);
  sheet.getByText(/scan the QR code there with this one/);
  expect((await sheet.findByRole<HTMLInputElement>('radio', { name: /^People in a Discord/ })).disabled).toBe(true);
  expect(sheet.getByRole<HTMLButtonElement>('button', { name: 'Set passphrase' }).disabled).toBe(true);
  expect(sheet.getByRole<HTMLButtonElement>('button', { name: 'Revoke Link' }).disabled).toBe(false);
});

/** Dark modules of the code that is shown, as `x,y`. */
function shownModules(label: string): string[] {
  const path = screen.getByRole('img', { name: label }).querySelector('path')?.getAttribute('d') ?? '';
  const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, ...numbers]) => numbers.map(Number));
  return runs.flatMap(([x = 0, y = 0, length = 0]) => Array.from({ length }, (_, at) => `${x + at},${y}`));
}
function modulesOf(text: string): string[] {
  const { data } = encode(text, { ecc: 'L', border: 4 });
  return data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x},${y}`] : [])));
}

test.each([
  ['Safari, of a folder that lasts longer', 'Apple Computer, Inc.', 8, 1],
  ['Safari, of a folder that ends before', 'Apple Computer, Inc.', 6, 0],
  ['other browsers', 'Google Inc.', 8, 0],
])(
  'the owner is told to keep the link where the browser forgets keys after seven days: %s',
  async (_where, vendor, days, times) => {
    vi.spyOn(navigator, 'vendor', 'get').mockReturnValue(vendor);
    const folder_expires_at = new Date(Date.now() + days * 24 * 3600 * 1000).toISOString();
    const { sheet } = await openOwnSheet(link.fragment, { ...link.facts, folder_expires_at });
    await sheet.findByText(/This link contains the key/);
    expect(sheet.queryAllByText(/Safari deletes what this site keeps on this device/)).toHaveLength(times);
  },
);

test('link and key can be sent apart, and the code shows what is copied', async () => {
  const { address, sheet } = await openOwnSheet();
  await sheet.findByText('This link contains the key.');
  expect(copied).toBe(`${address}${link.fragment}`);
  await sheet.findByText(/^Works for another 23 hours \d+ minutes?\.$/);
  expect(shownModules('QR code of the link, with the key')).toEqual(modulesOf(copied));
  fireEvent.click(sheet.getByRole('switch', { name: 'Include the key' }));
  await sheet.findByText('The key travels separately.');
  expect(shownModules('QR code of the link')).toEqual(modulesOf(address));
  await press('Copy', 'button', sheet);
  await vi.waitFor(() => expect(copied).toBe(address), WAIT_MS);
  await press('Copy key', 'button', sheet);
  await vi.waitFor(() => expect(copied).toBe(link.fragment), WAIT_MS);
});

test('Escape closes Share and gives the focus back; S opens it again', async () => {
  await openFolder(OWNER, link.fragment);
  const button = await screen.findByRole('button', { name: 'Share' });
  button.focus();
  fireEvent.click(button);
  await sheetOf();
  const isClosed = () => vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull(), WAIT_MS);
  fireEvent.keyDown(document.activeElement!, { key: 'Escape' });
  await isClosed();
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Share'), WAIT_MS);
  fireEvent.keyDown(document.activeElement!, { key: 's' });
  await sheetOf();
});

test('where the bot sends an owner, Share is open with Copy in focus, until it is closed; a visitor finds it closed', async () => {
  const address = await openFolder(OWNER, `?share=true${link.fragment}`);
  await (await sheetOf()).findByText('This link contains the key.');
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Copy'), WAIT_MS);
  fireEvent.click(document.activeElement!);
  await vi.waitFor(() => expect(copied).toBe(`${address}${link.fragment}`), WAIT_MS);
  fireEvent.keyDown(document.activeElement!, { key: 'Escape' });
  await vi.waitFor(() => expect(window.location.search).toBe(''), WAIT_MS);
  cleanup();
  await openFolder(VISITOR, '?share=true');
  await screen.findByRole('button', { name: 'Copy Link' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('where the bot’s card waits for the key, Share asks the owner whether the server may hold it', async () => {
  await openFolder(OWNER, `?share=discord${link.fragment}`);
  const question = within(await screen.findByRole('alertdialog', { name: 'Turn the Discord link on?' }));
  question.getByText('Our server can read these files while this is on.');
  question.getByText(/^Then your card is posted in Discord/);
  expect(askedFor(NEW_LINK)).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Cancel' }));
  await (await sheetOf()).findByText('This link contains the key.');
  cleanup();
  // A device without the key can’t give it.
  await openFolder(OWNER, '?share=discord');
  await (await sheetOf()).findByText('This device doesn’t have the key.');
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('a passphrase that others guess first is refused, before anything changes', async () => {
  const { sheet } = await openOwnSheet();
  await press('Set passphrase', 'button', sheet);
  await sheet.findByText(/Links that you sent before open nothing any more/);
  const set = () => fireEvent.click(sheet.getByRole('button', { name: 'Set' }));
  set();
  await sheet.findByText('Type a passphrase first.');
  for (const [passphrase, reason] of [
    ['lantern', 'Use at least 8 characters.'],
    ['iloveyou', 'This is one of the passphrases that are guessed first.'],
    ['Bridge Walk', 'This is the folder’s name, which others can see.'],
  ] as const) {
    fireEvent.change(sheet.getByLabelText('Passphrase'), { target: { value: passphrase } });
    set();
    await sheet.findByText(reason, { exact: false });
  }
  expect(askedFor(NEW_LINK)).toEqual([]);
});

test('a change that the server refuses shows an error in the dialog, and changes nothing', async () => {
  const { address } = await openOwnSheet();
  await press('Revoke Link');
  const question = within(await screen.findByRole('alertdialog', { name: 'Revoke the link?' }));
  await press('Yes, Revoke Link', 'button', question);
  expect((await question.findByRole('alert')).textContent).toContain('The change was not confirmed.');
  fireEvent.click(question.getByRole('button', { name: 'Cancel' }));
  await (await sheetOf()).findByText('This link contains the key.');
  expect(copied).toBe(`${address}${link.fragment}`);
});

test('the link of a folder that is not encrypted says so, and can’t be another one', async () => {
  const { address, sheet } = await openOwnSheet('', {});
  await sheet.findByText('This folder is not encrypted.');
  expect(copied).toBe(address);
  const answers = await sheet.findAllByRole<HTMLInputElement>('radio');
  expect(answers.map(({ checked, disabled }) => [checked, disabled])).toEqual([
    [false, true],
    [false, true],
    [true, false],
  ]);
  expect(sheet.queryByRole('button', { name: 'Revoke Link' })).toBeNull();
});

test('the page’s head says that the link is revoked', async () => {
  await openFolder(OWNER, '', { folder_link_mode: 'revoked', temp_key_api_token: null });
  const head = (await screen.findByText('Link revoked')).closest('header');
  expect(head?.textContent).toContain('Bridge walk');
});
