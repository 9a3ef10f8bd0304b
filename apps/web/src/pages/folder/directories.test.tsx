// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fileEntry, folderData, MIKA, sealedFolder } from '../../../test/answers.ts';
import { openPage, press } from '../../../test/page.tsx';

/** A folder's directories, as its files' labels name them. */

const entries = () => within(screen.getByRole('grid', { name: 'Files' })).getAllByRole('gridcell');
const names = () => entries().map((cell) => cell.querySelector('[data-main]')?.getAttribute('aria-label'));
const shows = (...expected: string[]) => waitFor(() => expect(names()).toEqual(expected));

async function openTree(...paths: string[]) {
  const { address, answers } = await sealedFolder(paths.map((path) => [path]));
  await openPage(address, answers);
  await screen.findByRole('grid', { name: 'Files' });
}

test('a folder shows its directories, and a breadcrumb leads back; the address never names them', async () => {
  await openTree('map.png', 'Trip/day 10/boat.jpg', 'Trip/day 2/boat.jpg', 'Trip/day 2/note.txt', 'Trip/plan.txt');
  await shows('Folder Trip', 'map.png');
  expect(entries()[0]?.textContent).toContain('4 files');
  await press('Folder Trip');
  await shows('Folder day 2', 'Folder day 10', 'plan.txt');
  await press('Folder day 2');
  await shows('boat.jpg', 'note.txt');
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('boat.jpg'));
  const path = within(screen.getByRole('navigation', { name: 'Path' }));
  expect(path.getByText('day 2').getAttribute('aria-current')).toBe('page');
  expect(location.href).not.toMatch(/Trip|day/);
  await press('Trip', 'button', path);
  await shows('Folder day 2', 'Folder day 10', 'plan.txt');
  // The focus is where the person came from.
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Folder day 2'));
  history.back();
  await shows('boat.jpg', 'note.txt');
});

test('a filter looks into the directories below', async () => {
  await openTree('map.png', 'Trip/boat.jpg', 'Trip/plan.txt');
  await press('Images 2');
  await shows('map.png', 'boat.jpg');
});

test('the viewer leads through all files of the folder, says where each lies, and closes where it was opened', async () => {
  await openTree('map.heic', 'Trip/day 10/boat.heic', 'Trip/day 2/boat.heic', 'Trip/plan.heic');
  await press('Folder Trip');
  await shows('Folder day 2', 'Folder day 10', 'plan.heic');
  const isAt = async (name: string, ...texts: string[]) => {
    const dialog = await screen.findByRole('dialog', { name });
    await waitFor(() => expect(texts.filter((text) => !dialog.textContent?.includes(text))).toEqual([]));
    return dialog;
  };
  await press('plan.heic');
  const strip = within(await isAt('plan.heic', '3 / 4', 'Trip')).getByRole('navigation', { name: 'Files' });
  const inStrip = within(strip).getAllByRole('button');
  expect(inStrip.map((button) => button.getAttribute('aria-label'))).toEqual([
    ...['Trip/day 2/boat.heic', 'Trip/day 10/boat.heic', 'Trip/plan.heic', 'map.heic'],
  ]);
  await press('Next file');
  expect((await isAt('map.heic', '4 / 4')).textContent).not.toContain('Trip');
  await press('Next file');
  await isAt('boat.heic', '1 / 4', 'Trip/day 2');
  await press('Previous file');
  await press('Previous file');
  await press('Previous file');
  await isAt('boat.heic', '2 / 4', 'Trip/day 10');
  await press('Close');
  await shows('Folder day 2', 'Folder day 10', 'plan.heic');
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('plan.heic'));
  // Through what a search found, and no further.
  fireEvent.keyDown(document.body, { key: '/' });
  fireEvent.change(await screen.findByRole('searchbox', { name: 'Search files' }), { target: { value: 'plan' } });
  await shows('plan.heic');
  await press('plan.heic');
  await isAt('plan.heic', '1 / 1');
});

test('hostile paths stay in the folder, and selecting a directory selects all its files', async () => {
  await openTree('../../etc/passwd', '/top/x', `${'d/'.repeat(300)}deep`);
  await shows('Folder d', 'Folder etc', 'Folder top');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select etc' }));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select d' }));
  await screen.findByText('2 selected');
});

test('a plain folder is flat', async () => {
  const data = folderData(MIKA);
  await openPage(`/f/${data.folder_slug}`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: data,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: [fileEntry('day 1 - boat_1763750000000_abcdefgh.txt')],
  });
  await waitFor(() => expect(names()).toEqual(['day 1 - boat.txt']));
});
