import { expect, test } from 'vitest';
import { arrange, countByFilter } from './file-order.ts';

const files = [
  { name: 'clip 10.webm', sizeBytes: 10, category: 'video' },
  { name: 'notes.txt', sizeBytes: 30, category: 'default' },
  { name: 'clip 2.webm', sizeBytes: 20, category: 'video' },
  { name: 'Anna.png', sizeBytes: 5, category: 'image' },
] as const;
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

test('files come in the order in which they were added', () => {
  expect(names(arrange(files, 'All', 'Added'))).toEqual(names(files));
});

test('names are sorted in natural order', () => {
  expect(names(arrange(files, 'All', 'Name'))).toEqual(['Anna.png', 'clip 2.webm', 'clip 10.webm', 'notes.txt']);
});

test('the largest file comes first by size', () => {
  expect(names(arrange(files, 'All', 'Size'))).toEqual(['notes.txt', 'clip 2.webm', 'clip 10.webm', 'Anna.png']);
});

test('a filter shows one category', () => {
  expect(names(arrange(files, 'Videos', 'Name'))).toEqual(['clip 2.webm', 'clip 10.webm']);
  expect(names(arrange(files, 'Other', 'Added'))).toEqual(['notes.txt']);
});

test('every filter has its number of files', () => {
  expect(countByFilter(files)).toEqual({ All: 4, Images: 1, Videos: 2, Other: 1 });
});
