import { expect, test } from 'vitest';
import { arrange, countByFilter, matchesFilter, type Sort, search } from './file-order.ts';

const files = [
  { name: 'clip 10.webm', sizeBytes: 10, kind: 'video' },
  { name: 'notes.txt', sizeBytes: 30, kind: 'document' },
  { name: 'clip 2.webm', sizeBytes: 20, kind: 'video' },
  { name: 'Anna.png', sizeBytes: 5, kind: 'image' },
] as const;
const sorted = (sort: Sort, isReversed = false) => arrange(files, { sort, isReversed });
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

test('files come in the order in which they were added', () => {
  expect(names(sorted('Added'))).toEqual(names(files));
});

test('names are sorted in natural order', () => {
  expect(names(sorted('Name'))).toEqual(['Anna.png', 'clip 2.webm', 'clip 10.webm', 'notes.txt']);
});

test('the largest file comes first by size', () => {
  expect(names(sorted('Size'))).toEqual(['notes.txt', 'clip 2.webm', 'clip 10.webm', 'Anna.png']);
});

test('types are sorted by extension, and then by name', () => {
  expect(names(sorted('Type'))).toEqual(['Anna.png', 'notes.txt', 'clip 2.webm', 'clip 10.webm']);
});

test('every order can be reversed', () => {
  expect(names(sorted('Added', true))).toEqual(['Anna.png', 'clip 2.webm', 'notes.txt', 'clip 10.webm']);
  expect(names(sorted('Size', true))).toEqual(['Anna.png', 'clip 10.webm', 'clip 2.webm', 'notes.txt']);
});

const SONG = { name: 'song.ogg', sizeBytes: 1, kind: 'audio' } as const;

test('a filter shows one kind of file, and the last one all others', () => {
  expect(names([...files, SONG].filter((file) => matchesFilter(file, 'Audio')))).toEqual(['song.ogg']);
  expect(names(files.filter((file) => matchesFilter(file, 'Videos')))).toEqual(['clip 10.webm', 'clip 2.webm']);
  expect(names(files.filter((file) => matchesFilter(file, 'Other')))).toEqual(['notes.txt']);
});

test('a search finds all words of its query, in any order and case', () => {
  expect(names(search(files, ' WEBM  clip '))).toEqual(['clip 10.webm', 'clip 2.webm']);
  expect(names(search(files, 'clip 2'))).toEqual(['clip 2.webm']);
  expect(names(search(files, 'clip 3'))).toEqual([]);
  expect(search(files, '  ')).toBe(files);
  expect(search([{ name: 'cafe\u0301' }], 'CAFÉ')).toHaveLength(1);
});

test('every filter has its number of files', () => {
  expect(countByFilter([...files, SONG])).toEqual({ All: 5, Images: 1, Videos: 2, Audio: 1, Other: 1 });
});
