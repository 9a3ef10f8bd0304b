// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { accountOf, fileEntry, folderData, JONAS, MIKA } from '../../../test/answers.ts';
import { type Answers, openPage, press } from '../../../test/page.tsx';

/** What a visitor finds at the head of a folder. That it saves all files is tests/journeys/main-job.test.ts. */

const FILES = ['one.txt_1763750000000_abcdefgh', 'two.txt_1763750000001_abcdefgi'];

async function openFolder(names: readonly string[], who: Answers = {}) {
  const folder = folderData(MIKA, { folder_name: 'Bridge walk', folder_link_mode: 'plain', folder_size_bytes: 4096 });
  await openPage(`/f/${folder.folder_slug}`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: folder,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: names.map((name) => fileEntry(name)),
    ...who,
  });
  await screen.findByText('one.txt');
}
const buttons = () => screen.getAllByRole('button').map(({ textContent }) => textContent ?? '');
const downloads = () => buttons().filter((text) => text.startsWith('Download'));

test('a visitor’s first button saves all files, and says how much that is; copying the link comes second', async () => {
  await openFolder(FILES);
  const [first, ...others] = downloads();
  expect(first).toMatch(/^Download all · [\d.]+ \w+$/);
  expect(others).toEqual([]);
  expect(buttons().indexOf(first ?? '')).toBeLessThan(buttons().indexOf('Copy Link'));
});

test('a folder of one file offers that file', async () => {
  await openFolder(FILES.slice(0, 1));
  expect(downloads()[0]).toMatch(/^Download · /);
});

test('a visitor reads in one line whose the folder is, and how long it lasts', async () => {
  await openFolder(FILES);
  expect(screen.getByText(/^From /, { selector: 'p' }).textContent).toMatch(/^From .+ · .+ left$/);
});

test('its owner has the files’ own toolbar for that', async () => {
  await openFolder(FILES, accountOf(MIKA));
  expect(downloads()).toEqual(['Download all']);
  expect(screen.queryByText(/^From /, { selector: 'p' })).toBeNull();
});

test('Info says what the folder holds, and what the server sees of it, before an account is offered', async () => {
  await openFolder(FILES);
  await press('Info', 'tab');
  const table = within(await screen.findByRole('region', { name: 'In this folder' })).getByRole('table');
  const rows = within(table)
    .getAllByRole('row')
    .map(({ textContent }) => textContent);
  expect(rows.at(1)).toMatch(/^Documents2/);
  expect(rows.at(-1)).toMatch(/^All2/);
  await within(screen.getByRole('region', { name: 'What the server can see' })).findByText('What it could do');
  screen.getByText('Sign up to see detailed analytics');
});

test.each([
  ['without an account', {}, 'Authentication Required', 'Sign In'],
  ['who is signed in', accountOf(JONAS), 'Settings Access Restricted', 'Make a folder of your own'],
])('Settings of a visitor %s has a way on, and the settings of the device', async (_who, account, title, way) => {
  await openFolder(FILES, account);
  await press('Settings', 'tab');
  await screen.findByRole('heading', { name: title });
  expect(screen.getAllByRole('link', { name: way }).at(-1)).toBeDefined();
  const device = within(screen.getByRole('region', { name: 'On this device' }));
  const light = await device.findByRole('radio', { name: 'Light' });
  light.click();
  expect(document.documentElement.dataset.theme).toBe('light');
});
