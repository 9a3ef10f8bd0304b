// @vitest-environment happy-dom

import type { ZipEntry } from '@satchel/client/open/zip-stream';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { accountOf, fileEntry, folderData, MIKA, privateLink, sealedEntry } from '../../../test/answers.ts';
import { type Answers, askedFor, openPage, press } from '../../../test/page.tsx';
import type { OpenReply } from '../../engine/files/open/open-protocol.ts';

/** Several files at once, and files that are not the folder's: what a person can select, save and delete; and why one can't be opened. */

const DELETE = `DELETE ${PATHS.object}/`;
const UNKNOWN = 'Unknown file';

const grid = () => screen.getByRole('grid', { name: 'Files' });
const cells = () => within(grid()).getAllByRole('gridcell');
const cellOf = (name: string) => cells().find((cell) => cell.textContent?.includes(name))!;
const main = (name: string) => within(cellOf(name)).getByRole('button', { name });
const focused = () => document.activeElement?.getAttribute('aria-label');
const key = (name: string, init: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...init });

/** Opens a private folder of Mika's. The file that is deleted is no longer in the next list. */
async function openFiles(
  make: (seal: (path: string) => Promise<FileEntry>) => Promise<FileEntry[]>,
  answers: Answers,
  hasKey = true,
) {
  const link = await privateLink();
  const data = folderData(MIKA, link.facts);
  const entries = await make((path) => sealedEntry(link, path));
  const isThere = ({ name }: FileEntry) =>
    !askedFor(DELETE).some(({ body }) => (body as { prefixes: string[] }).prefixes.some((path) => path.endsWith(name)));
  await openPage(`/f/${data.folder_slug}${hasKey ? link.fragment : ''}`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: data,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`GET ${PATHS.key}/`]: link.key,
    [`GET ${PATHS.uploads}`]: [],
    [DELETE]: [],
    [`POST ${PATHS.list}/`]: () => Response.json(entries.filter(isThere)),
    ...answers,
  });
  if (!hasKey) await press('Show the sealed files');
  await screen.findByRole('grid', { name: 'Files' });
  await waitFor(() => expect(cells()).toHaveLength(entries.length));
}

const three = (seal: (path: string) => Promise<FileEntry>) => Promise.all(['a.txt', 'b.txt', 'c.txt'].map(seal));
const OWNER = accountOf(MIKA);

test('Shift and the arrows extend the selection, Ctrl A selects all, Escape clears', async () => {
  await openFiles(three, {});
  await screen.findByRole('button', { name: 'a.txt' });
  main('a.txt').focus();
  key('ArrowRight', { shiftKey: true });
  key('ArrowRight', { shiftKey: true });
  await screen.findByText('3 selected');
  key('ArrowLeft', { shiftKey: true });
  await screen.findByText('2 selected');
  expect(cells().filter((cell) => cell.getAttribute('aria-selected') === 'true')).toHaveLength(2);
  key('a', { ctrlKey: true });
  await screen.findByText('3 selected');
  key('Escape');
  await screen.findByRole('group', { name: 'Show' });
});

test('the owner deletes several files at once after a confirmation, and the figures change', async () => {
  await openFiles(three, OWNER);
  await screen.findByRole('button', { name: 'a.txt' });
  main('a.txt').focus();
  key('ArrowRight', { shiftKey: true });
  await screen.findByText('2 selected');
  await press('Delete', 'button', within(screen.getByRole('group', { name: 'Selection' })));
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete 2 files?' }));
  question.getByText('a.txt', { exact: false });
  expect(askedFor(DELETE)).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Yes, Delete 2 Files' }));
  await waitFor(() => expect(cells()).toHaveLength(1));
  expect(askedFor(DELETE)).toHaveLength(1);
  await screen.findAllByText('1 total');
  await waitFor(() => expect(focused()).toBe('c.txt'));
});

test('the owner reads which of several files could not be deleted', async () => {
  await openFiles(three, { ...OWNER, [DELETE]: 503 });
  await screen.findByRole('button', { name: 'a.txt' });
  main('a.txt').focus();
  key('a', { ctrlKey: true });
  await screen.findByText('3 selected');
  key('Delete');
  await press('Yes, Delete 3 Files');
  await screen.findByText(/^0 of 3 files were deleted\. The others were not: /);
});

test('a zip whose code can’t be loaded says so', async () => {
  vi.doMock('../../features/files/zip/zip-run.ts', () => {
    throw new Error('a newer release has replaced it');
  });
  await openFiles(three, {});
  fireEvent.click(await screen.findByRole('button', { name: /^Download all/ }));
  await screen.findByText(/^Download failed: \S+/);
  vi.doUnmock('../../features/files/zip/zip-run.ts');
});

test('a file that can’t be opened says why, on its card and in its line', async () => {
  vi.stubGlobal(
    'Worker',
    class {
      onmessage: ((event: { data: OpenReply }) => void) | null = null;
      postMessage(): void {
        const error = new AppError('open.bad_hmac', { chunk: 2 }).toWire();
        queueMicrotask(() => this.onmessage?.({ data: { type: 'failed', error } }));
      }
      terminate(): void {}
    },
  );
  await openFiles(three, {});
  fireEvent.click(await screen.findByRole('button', { name: 'a.txt' }));
  const viewer = within(await screen.findByRole('dialog', { name: 'a.txt' }));
  await viewer.findAllByText('HMAC verification failed for chunk 2');
  await press('Close', 'button', viewer);
  await waitFor(() => expect(cellOf('a.txt').textContent).toContain('HMAC verification failed for chunk 2'));
  expect(cellOf('b.txt').textContent).not.toContain('HMAC');
  await press('List');
  await screen.findByRole('row', { name: /a\.txt.*HMAC verification failed for chunk 2/ });
});

/** Two entries with each other's labels, one that was never sealed, one without a label, and one of the folder. */
async function withForeign(seal: (path: string) => Promise<FileEntry>): Promise<FileEntry[]> {
  const [one, other, own] = await Promise.all(['first.txt', 'second.txt', 'third.txt'].map(seal));
  const labelled = (entry: FileEntry, { metadata: { sealed } }: FileEntry) => ({
    ...entry,
    metadata: { ...entry.metadata, sealed },
  });
  return [
    labelled(one!, other!),
    labelled(other!, one!),
    own!,
    fileEntry('invoice_1763750000000_abcdefgh.html'),
    fileEntry('q8Zr2mVb4Kp0Ws9x_1763750000000_abcdefgh.enc'),
  ];
}

test('files that the keys don’t authenticate have no name, picture or action, and the folder counts them', async () => {
  await openFiles(withForeign, {});
  await screen.findByText('4 files do not open with this link.', { exact: false });
  const foreign = cells().filter((cell) => cell.textContent?.includes('Not from this folder'));
  expect(foreign).toHaveLength(4);
  for (const cell of foreign) {
    expect(cell.textContent).toContain(UNKNOWN);
    expect(within(cell).getAllByRole('button')).toHaveLength(1);
    expect(cell.querySelector('img, video, input')).toBeNull();
    fireEvent.click(within(cell).getByRole('button'));
  }
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(askedFor(`GET ${PATHS.objectPublic}`)).toEqual([]);
  expect(document.body.innerHTML).not.toContain('invoice');
  main('third.txt').focus();
  key('a', { ctrlKey: true });
  await screen.findByText('1 selected');
});

test('“Download all” leaves them out, and says so', async () => {
  const packed: ZipEntry[] = [];
  vi.doMock('../../engine/zip/zip-client.ts', () => ({
    downloadZip: async (zip: ZipEntry) => packed.push(zip) > 0,
  }));
  await openFiles(withForeign, {});
  await screen.findByText('4 files do not open with this link.', { exact: false });
  fireEvent.click(await screen.findByRole('button', { name: /^Download all/ }));
  await screen.findByText('Saturday raid.zip is saved, without 4 files that are not from this folder');
  expect(packed.map(({ files }) => files.map(({ name }) => name))).toEqual([['third.txt']]);
  vi.doUnmock('../../engine/zip/zip-client.ts');
});

test('cards, lines and zip have the files in the order in which they were chosen, not in the order of arrival', async () => {
  const packed: ZipEntry[] = [];
  vi.doMock('../../engine/zip/zip-client.ts', () => ({
    downloadZip: async (zip: ZipEntry) => packed.push(zip) > 0,
  }));
  const chosen = ['third.txt', 'first.txt', 'second.txt'];
  await openFiles(async (seal) => (await Promise.all(chosen.map(seal))).toReversed(), {});
  const names = () =>
    screen.getAllByRole('button', { name: /\.txt$/ }).map((button) => button.getAttribute('aria-label'));
  await waitFor(() => expect(names()).toEqual(chosen));
  await press('List');
  await waitFor(() => expect(names()).toEqual(chosen));
  fireEvent.click(await screen.findByRole('button', { name: /^Download all/ }));
  await waitFor(() => expect(packed.map(({ files }) => files.map(({ name }) => name))).toEqual([chosen]));
  vi.doUnmock('../../engine/zip/zip-client.ts');
});

test('without a key nothing is authenticated, and a file that was never sealed is foreign all the same', async () => {
  const make = async (seal: (path: string) => Promise<FileEntry>) => [
    ...(await three(seal)),
    fileEntry('invoice_1763750000000_abcdefgh.html'),
  ];
  await openFiles(make, {}, false);
  await screen.findByText('1 file does not open with this link.', { exact: false });
  await waitFor(() => expect(cells().filter((cell) => cell.textContent?.includes('No Key'))).toHaveLength(3));
  expect(cells().filter((cell) => cell.textContent?.includes('Hidden name'))).toHaveLength(3);
});

test('the owner selects and deletes files that are not of the folder, and can’t save them', async () => {
  await openFiles(withForeign, OWNER);
  await waitFor(() => expect(cells().filter((cell) => cell.textContent?.includes(UNKNOWN))).toHaveLength(4));
  fireEvent.click(within(cellOf(UNKNOWN)).getByRole('checkbox'));
  await screen.findByText('1 selected');
  const bar = within(screen.getByRole('group', { name: 'Selection' }));
  expect(bar.queryByRole('button', { name: 'Download' })).toBeNull();
  await press('Delete', 'button', bar);
  await press('Yes, Delete File');
  await waitFor(() => expect(cells()).toHaveLength(4));
  expect(askedFor(DELETE)).toHaveLength(1);
});
