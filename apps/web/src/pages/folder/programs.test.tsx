// @vitest-environment happy-dom

import type { ZipEntry } from '@satchel/client/open/zip-stream';
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fileEntry, folderData, MIKA, sealedFolder } from '../../../test/answers.ts';
import { openPage, press } from '../../../test/page.tsx';

/** What is asked before programs are saved. */

let packed: string[][];
let saved: string[];

beforeEach(() => {
  [packed, saved] = [[], []];
  vi.doMock('../../engine/zip/zip-client.ts', () => ({
    downloadZip: async ({ files }: ZipEntry) => packed.push(files.map(({ name }) => name)) > 0,
  }));
  vi.doMock('../../lib/browser/save-link.ts', () => ({ saveAs: (_url: string, name: string) => saved.push(name) }));
});
afterEach(() => {
  vi.doUnmock('../../engine/zip/zip-client.ts');
  vi.doUnmock('../../lib/browser/save-link.ts');
});

const question = async (name: string) => within(await screen.findByRole('alertdialog', { name }));
const answered = () => waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
const focused = () => document.activeElement?.textContent;
const download = (name: string) =>
  press('Download', 'button', within(screen.getByRole('button', { name }).parentElement!));

async function openPlain(names: readonly string[]): Promise<void> {
  const data = folderData(MIKA, { folder_size_bytes: 4096 });
  await openPage(`/f/${data.folder_slug}`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: data,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: names.map((name) => fileEntry(name)),
  });
  await screen.findByRole('grid', { name: 'Files' });
}

test('a program of a plain folder is saved once the person says so, and nobody is asked about it twice', async () => {
  await openPlain(['setup.exe', 'photo.jpg']);
  await download('photo.jpg');
  await waitFor(() => expect(saved).toEqual(['photo.jpg']));
  await download('setup.exe');
  const asked = await question('Save setup.exe?');
  asked.getByText('It is a program: run it only if you trust who sent it.');
  // Enter alone saves nothing.
  await waitFor(() => expect(focused()).toBe('Cancel'));
  await press('Cancel', 'button', asked);
  await answered();
  expect(saved).toEqual(['photo.jpg']);
  await download('setup.exe');
  await waitFor(() => expect(saved).toEqual(['photo.jpg', 'setup.exe']));
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('a question ends with its page, and nothing is saved', async () => {
  await openPlain(['setup.exe']);
  await download('setup.exe');
  await question('Save setup.exe?');
  window.history.pushState(null, '', '/elsewhere');
  window.dispatchEvent(new PopStateEvent('popstate'));
  await answered();
  expect(saved).toEqual([]);
});

test('before all files of a sealed folder are saved, one question says how many are programs', async () => {
  const files = ['a.exe', 'b.txt', 'c.PS1'] as const;
  const { address, answers } = await sealedFolder(files.map((name) => [name]));
  await openPage(address, answers);
  await screen.findByRole('button', { name: 'c.PS1' });
  fireEvent.click(await screen.findByRole('button', { name: /^Download all/ }));
  const asked = await question('Save 2 programs?');
  asked.getByText('Run a program only if you trust who sent it.');
  await press('Save', 'button', asked);
  await waitFor(() => expect(packed).toEqual([[...files]]));
  await answered();
});
