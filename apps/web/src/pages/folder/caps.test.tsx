// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { accountOf, fileEntry, folderData, MIKA } from '../../../test/answers.ts';
import { openPage } from '../../../test/page.tsx';

/** A folder’s limit of files, before anything is sent. That the server holds it, too, is in the server’s caps.api.test. */

const MAX_FILES = 3;
const folder = folderData(MIKA);
const text = (name: string) => new File([`this is ${name}`], name, { type: 'text/plain' });

/** Opens the upload zone of Mika’s folder with some files. */
async function openZone(stored: readonly string[]): Promise<void> {
  const answers = {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: folder,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: stored.map((name) => fileEntry(`${name}_1763750000000_abcdefgh.txt`)),
    [`GET ${PATHS.uploads}`]: [],
    ...accountOf(MIKA),
  };
  await openPage(`/f/${folder.folder_slug}?upload=true`, answers, { max_folder_files: MAX_FILES });
  await screen.findAllByText(`${stored.at(-1)}.txt`);
}

const choose = async (files: readonly File[]) =>
  fireEvent.change(await screen.findByLabelText('Choose files'), { target: { files } });
const refused = () => screen.findByRole('region', { name: 'Files that were not added' });

test('files beyond a folder’s limit are refused with the reason before they start, by the queue and by the stored files', async () => {
  await openZone(['first']);
  await choose(Array.from({ length: 150 }, (_, index) => text(`part ${index + 1}.txt`)));
  const note = await refused();
  expect(note.textContent).toMatch(/^148 files were not addedpart 3\.txt: A folder holds at most 3 files/);
  within(note).getByText('and 128 more');
  const rows = within(screen.getByRole('list', { name: 'Files to upload' })).getAllByRole('listitem');
  expect(rows.map((row) => row.querySelector('p')?.textContent)).toEqual(['part 1.txt', 'part 2.txt']);
  fireEvent.click(within(note).getByRole('button', { name: 'Dismiss' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Files that were not added' })).toBeNull());
});

test('a full folder takes no file at all', async () => {
  await openZone(['first', 'second', 'third']);
  await choose([text('fourth.txt')]);
  expect((await refused()).textContent).toContain('fourth.txt: A folder holds at most 3 files');
  expect(screen.queryByRole('list', { name: 'Files to upload' })).toBeNull();
});
