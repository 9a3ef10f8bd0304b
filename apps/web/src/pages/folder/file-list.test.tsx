// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { sealedFolder } from '../../../test/answers.ts';
import { askedFor, openPage, press } from '../../../test/page.tsx';

/** Search, and the files as lines of a table. */

const MIB = 1024 ** 2;
const grid = () => screen.getByRole('grid', { name: 'Files' });
const names = () => Array.from(grid().querySelectorAll('[data-main]'), (button) => button.getAttribute('aria-label'));
const shows = (...expected: string[]) => waitFor(() => expect(names()).toEqual(expected));
const focused = () => document.activeElement?.getAttribute('aria-label');

async function openFiles(files: Readonly<Record<string, number>>) {
  const { address, answers } = await sealedFolder(Object.entries(files).map(([path, mib]) => [path, mib * MIB]));
  await openPage(address, answers);
  await screen.findByRole('grid', { name: 'Files' });
}

test('the files as a list are sorted by each column, both ways, and the device remembers the list', async () => {
  await openFiles({ 'b.txt': 30, 'c.bin': 10, 'a.zip': 20, 'Trip/x.txt': 9 });
  await press('List');
  await waitFor(() => expect(screen.getAllByRole('columnheader')).toHaveLength(6));
  await shows('Folder Trip', 'b.txt', 'c.bin', 'a.zip');
  const head = (name: string) => screen.getByRole('columnheader', { name });
  expect(head('Added').getAttribute('aria-sort')).toBe('ascending');
  const heads = within(grid());
  await press('Name', 'button', heads);
  await shows('Folder Trip', 'a.zip', 'b.txt', 'c.bin');
  await press('Name', 'button', heads);
  expect(head('Name').getAttribute('aria-sort')).toBe('descending');
  await shows('Folder Trip', 'c.bin', 'b.txt', 'a.zip');
  await press('Size', 'button', heads);
  expect(head('Size').getAttribute('aria-sort')).toBe('descending');
  await shows('Folder Trip', 'b.txt', 'a.zip', 'c.bin');
  await press('Type', 'button', heads);
  await shows('Folder Trip', 'c.bin', 'b.txt', 'a.zip');
  expect(localStorage.getItem('satchel-files')).toBe('list');
  // A line shows no picture, so that nothing is opened for it.
  expect(askedFor(`GET ${PATHS.objectPublic}`)).toEqual([]);
});

test('each line says whether its file is fetched first', async () => {
  await openFiles({ 'a.txt': 9, 'b.txt': 9 });
  await press('List');
  await waitFor(() => expect(screen.getAllByRole('columnheader')).toHaveLength(6));
  const describedBy = screen.getByRole('button', { name: 'a.txt' }).getAttribute('aria-describedby')?.split(' ') ?? [];
  expect(describedBy.map((id) => document.getElementById(id)?.textContent).join('')).toBe('API');
  screen.getByRole('row', { name: /a\.txt.*API/ });
});

test('the list has the keys of the grid', async () => {
  await openFiles({ 'a.txt': 9, 'b.txt': 9, 'c.txt': 9 });
  await press('List');
  const line = await screen.findByRole('button', { name: 'a.txt' });
  line.focus();
  fireEvent.keyDown(line, { key: 'ArrowDown' });
  await waitFor(() => expect(focused()).toBe('b.txt'));
  fireEvent.keyDown(document.activeElement!, { key: ' ' });
  fireEvent.keyDown(document.activeElement!, { key: 'ArrowDown', shiftKey: true });
  await screen.findByText('2 selected');
  await waitFor(() => expect(focused()).toBe('c.txt'));
  fireEvent.keyDown(document.activeElement!, { key: 'Home', ctrlKey: true });
  await waitFor(() => expect(focused()).toBe('a.txt'));
});

test('of many files only the lines in view are in the page', async () => {
  await openFiles(Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`file ${at}.txt`, 9])));
  await press('List');
  await waitFor(() => expect(screen.getAllByRole('columnheader')).toHaveLength(6));
  expect(grid().getAttribute('aria-rowcount')).toBe('100');
  expect(names().length).toBeLessThan(60);
});

test('of many files only the cards in view are in the page, and the keys reach the last', async () => {
  await openFiles(Object.fromEntries(Array.from({ length: 199 }, (_, at) => [`file ${at}.txt`, 9])));
  await screen.findByRole('button', { name: 'file 0.txt' });
  expect(names().length).toBeLessThan(70);
  screen.getByRole('button', { name: 'file 0.txt' }).focus();
  fireEvent.keyDown(document.activeElement!, { key: 'End', ctrlKey: true });
  await waitFor(() => expect(focused()).toBe('file 198.txt'));
  expect(names().length).toBeLessThan(70);
});

test('a search finds files and directories by words of their names, below the directory that is shown, too', async () => {
  await openFiles({ 'Boat plan.txt': 9, 'map.png': 9, 'Trip/boat.jpg': 9, 'Trip/Boats/x.txt': 9 });
  await shows('Folder Trip', 'Boat plan.txt', 'map.png');
  fireEvent.keyDown(document.body, { key: '/' });
  const field = await screen.findByRole('searchbox', { name: 'Search files' });
  await waitFor(() => expect(document.activeElement).toBe(field));
  fireEvent.change(field, { target: { value: 'BOAT' } });
  await shows('Boat plan.txt', 'boat.jpg');
  await screen.findByText('2 found');
  fireEvent.change(field, { target: { value: 'plan boat' } });
  await shows('Boat plan.txt');
  fireEvent.change(field, { target: { value: 'nowhere' } });
  await screen.findByText('No names match.');
  fireEvent.keyDown(field, { key: 'Escape' });
  await shows('Folder Trip', 'Boat plan.txt', 'map.png');
  expect(focused()).toBe('Search files');
});
