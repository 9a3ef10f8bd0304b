import { splitPath } from '@satchel/contract/files/path-parts';
import { expect, test } from 'vitest';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { arrangeDirectories, listDirectory, walkDirectories } from './directory-view.ts';

const file = (path: string, sizeBytes = 1) => {
  return { id: path, ...splitPath(path), sizeBytes } as FileItem;
};
const files = [file('map.png'), file('Trip/day 10/boat.jpg', 7), file('Trip/day 2/boat.jpg', 2), file('Trip/plan.txt')];
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

test('a directory shows what lies right in it, and knows what lies below', () => {
  const top = listDirectory(files, '');
  expect([idsOf(top.here), idsOf(top.directories), top.within]).toEqual([['map.png'], ['dir:Trip'], files]);
  const trip = listDirectory(files, 'Trip');
  expect(idsOf(trip.here)).toEqual(['Trip/plan.txt']);
  expect(idsOf(trip.directories)).toEqual(['dir:Trip/day 10', 'dir:Trip/day 2']);
  expect(trip.directories.map(({ name, sizeBytes, files }) => [name, sizeBytes, files.length])).toEqual([
    ['day 10', 7, 1],
    ['day 2', 2, 1],
  ]);
});

test('in place of a directory that is gone the nearest one above it shows', () => {
  expect(listDirectory(files, 'Trip/day 3/evening').path).toBe('Trip');
  expect(listDirectory(files, 'Tri').path).toBe('');
});

test('directories are sorted by name in natural order, or by size', () => {
  const { directories } = listDirectory(files, 'Trip');
  const named = (sort: 'Added' | 'Size' | 'Name', isReversed = false) =>
    arrangeDirectories(directories, { sort, isReversed }).map(({ name }) => name);
  expect([named('Added'), named('Added', true)]).toEqual([
    ['day 2', 'day 10'],
    ['day 2', 'day 10'],
  ]);
  expect([named('Size'), named('Name', true)]).toEqual([
    ['day 10', 'day 2'],
    ['day 10', 'day 2'],
  ]);
});

test('a walk visits the files of a directory where the grid has that directory', () => {
  const [map, day10, day2, plan] = idsOf(files);
  const walk = (sort: 'Added' | 'Size' | 'Name', isReversed = false) =>
    idsOf(walkDirectories(files, { sort, isReversed }));
  expect(walk('Added')).toEqual([day2, day10, plan, map]);
  expect(walk('Name', true)).toEqual([day10, day2, plan, map]);
  expect(walk('Size', true)).toEqual([day2, day10, plan, map]);
});
