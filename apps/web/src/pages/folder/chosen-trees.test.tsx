// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { accountOf, folderData, MIKA, privateLink } from '../../../test/answers.ts';
import { openPage } from '../../../test/page.tsx';

/** What the owner's list says of files that are chosen by whole directories. */

/** A file as a picker for directories hands it out. */
function below(path: string, content: string): File {
  const file = new File([content], path.slice(path.lastIndexOf('/') + 1), { lastModified: 1 });
  return Object.defineProperty(file, 'webkitRelativePath', { value: path });
}

async function chosen(files: readonly File[], isPlain = false): Promise<void> {
  const link = await privateLink();
  const data = folderData(MIKA, isPlain ? {} : link.facts);
  await openPage(`/f/${data.folder_slug}${isPlain ? '' : link.fragment}`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: data,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`GET ${PATHS.key}/`]: link.key,
    [`POST ${PATHS.list}/`]: [],
    [`GET ${PATHS.uploads}`]: [],
    ...accountOf(MIKA),
  });
  fireEvent.change(await screen.findByLabelText('Choose a folder'), { target: { files } });
}

const rows = () =>
  within(screen.getByRole('list', { name: 'Files to upload' }))
    .getAllByRole('listitem')
    .map((row) => row.querySelector('p')?.textContent);

test('the list has the tree in its order, with the directories; of two files of one name, one gets a number and that is said', async () => {
  await chosen([below('Trip/b.txt', 'b'), below('Trip/day 1/A.txt', 'one'), below('Trip/day 1/a.txt', 'another')]);
  const note = await screen.findByRole('region', { name: 'Files with new names' });
  expect(note.textContent).toBe('1 file has the name of another one on the list, and got a number: a (2).txt');
  expect(rows()).toEqual(['Trip/day 1/A.txt', 'Trip/day 1/a (2).txt', 'Trip/b.txt']);
});

test('a plain folder says that it keeps no directories, and lists flat names', async () => {
  await chosen([below('Trip/day 1/a.txt', 'one')], true);
  await screen.findByText(/^Only encrypted folders keep directories\./);
  expect(rows()).toEqual(['day 1 - a.txt']);
});
