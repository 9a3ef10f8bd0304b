import { expect, test } from 'vitest';
import { fileEntry } from '../../../test/answers.ts';
import { arrange, countByFilter, inAddedOrder, matchesFilter, type Sort, search } from './file-order.ts';

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

test('files are in the order in which they were chosen, which their stored names say, not in that in which their uploads ended', () => {
  const entry = (name: string, at: number) => ({
    name: `${name}.jpg`,
    entry: fileEntry(`Ab3dEf6hIj9lMn2p_${1_700_000_000_000 + at}_abcdefgh.enc`),
  });
  const ended = [
    entry('photo 6', 5),
    entry('photo 2', 1),
    entry('photo 10', 7),
    entry('photo 9', 7),
    entry('photo 1', 0),
  ];
  expect(names(inAddedOrder(ended))).toEqual([
    'photo 1.jpg',
    'photo 2.jpg',
    'photo 6.jpg',
    'photo 9.jpg',
    'photo 10.jpg',
  ]);
});

test('a file whose stored name says no time is at the place of its arrival', () => {
  const plain = { name: 'notes.txt', entry: { ...fileEntry('notes.txt'), created_at: '2026-03-14T10:00:00Z' } };
  const at = (ms: number) => ({ name: `${ms}.txt`, entry: fileEntry(`${ms}_${ms}_abcdefgh.txt`) });
  const moment = Date.parse(plain.entry.created_at);
  expect(names(inAddedOrder([at(moment + 1), plain, at(moment - 1)]))).toEqual([
    `${moment - 1}.txt`,
    'notes.txt',
    `${moment + 1}.txt`,
  ]);
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
