import { expect, test } from 'vitest';
import { CHOSEN_FILES_MAX, type ChosenFile } from '../order.ts';
import { admit, placed, takeFiles } from './admission.ts';

const fileOf = (name: string, size: number, path = name) => ({
  name,
  path,
  file: { name: path.slice(path.lastIndexOf('/') + 1), size, lastModified: 1 },
});
const rules = {
  folder: { link_mode: 'private' as const },
  maySeal: true,
  maxFileBytes: 100 * 1024 ** 2,
  maxFiles: 2000,
  fileCount: 0,
};

test('files are taken up to the limit; the others come back with the reason', () => {
  const files = [fileOf('a', 1), fileOf('b', 100 * 1024 ** 2), fileOf('c', 150 * 1024 ** 2), fileOf('d', 0)];
  const { admitted, rejected } = admit(files, rules);
  expect(admitted.map(({ name }) => name)).toEqual(['a', 'b', 'd']);
  expect(rejected.map(({ name, error }) => [name, error.message])).toEqual([
    ['c', 'File size (150MB) exceeds maximum allowed size (100MB)'],
  ]);
});

test('files keep the order in which they were chosen: their times count up, after the times of earlier choices', () => {
  const choose = (...names: string[]) => ({
    leftOut: [],
    unreadable: [],
    isCut: false,
    files: names.map((name) => fileOf(name, 1)),
  });
  const itemsOf = ({ action }: ReturnType<typeof takeFiles>) => (action.type === 'added' ? action.items : []);
  const first = itemsOf(takeFiles(choose('a', 'b', 'c') as never, [], rules, 1000));
  expect(first.map(({ addedAtMs }) => addedAtMs)).toEqual([1000, 1001, 1002]);
  const second = itemsOf(takeFiles(choose('d', 'e') as never, first, rules, 1001));
  expect(second.map(({ addedAtMs }) => addedAtMs)).toEqual([1003, 1004]);
});

test('a plain folder needs no key, and takes empty files, too', () => {
  const plain = { ...rules, folder: { link_mode: 'plain' as const }, maySeal: false };
  expect(admit([fileOf('a', 1), fileOf('b', 0)], plain)).toMatchObject({ admitted: [{}, {}], rejected: [] });
});

test('an encrypted folder without a key that may seal takes nothing, and says the way out', () => {
  const { admitted, rejected } = admit([fileOf('a', 1)], { ...rules, maySeal: false });
  expect(admitted).toEqual([]);
  expect(rejected[0]?.error.message).toContain('Open the full link on this device');
});

test('a revoked folder takes nothing', () => {
  const { rejected } = admit([fileOf('a', 1)], { ...rules, folder: { link_mode: 'revoked' } });
  expect(rejected[0]?.error.code).toBe('folder.revoked');
});

test('a folder takes as many files as it has room for beside its own and those on the list; the rest come back with the reason', () => {
  const listed = [fileOf('on the list', 1)];
  const files = [
    fileOf('large', 150 * 1024 ** 2),
    fileOf('a', 1),
    fileOf('on the list', 1),
    fileOf('b', 1),
    fileOf('c', 1),
  ];
  const { admitted, rejected, repeated } = admit(files, { ...rules, maxFiles: 5, fileCount: 2 }, listed);
  expect(admitted.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(repeated.map(({ name }) => name)).toEqual(['on the list']);
  expect(rejected.map(({ name, error }) => [name, error.message])).toEqual([
    ['large', 'File size (150MB) exceeds maximum allowed size (100MB)'],
    ['c', 'A folder holds at most 5 files. Put the others into another folder'],
  ]);
  // More than the setting says: it was lowered since.
  expect(admit(files, { ...rules, maxFiles: 1, fileCount: 2 }).admitted).toEqual([]);
});

test('a file that is on the list already is not taken twice; another one of its name gets a number', () => {
  const listed = [fileOf('boat.jpg', 5, 'day 1/boat.jpg')];
  const chosen = [
    fileOf('boat.jpg', 5, 'day 1/boat.jpg'),
    fileOf('boat.jpg', 6, 'day 1/boat.jpg'),
    fileOf('Boat.JPG', 7, 'day 1/Boat.JPG'),
    fileOf('boat.jpg', 5, 'day 2/boat.jpg'),
    fileOf('boat.jpg', 5, 'day 2/boat.jpg'),
  ];
  const taken = new Set(['day 1/boat (2).jpg']);
  const { admitted, repeated, rejected, numbered } = admit(chosen, { ...rules, taken }, listed);
  expect(admitted.map(({ path }) => path)).toEqual(['day 1/boat (3).jpg', 'day 1/Boat (4).JPG', 'day 2/boat.jpg']);
  expect(numbered.map(({ name }) => name)).toEqual(['boat (3).jpg', 'Boat (4).JPG']);
  expect(repeated).toEqual([chosen[0], chosen[4]]);
  expect(rejected).toEqual([]);
  // All of them again: each is on the list, also under its number.
  expect(admit(chosen, { ...rules, taken }, [...listed, ...admitted]).admitted).toEqual([]);
});

test('two spellings of one letter are one name; in a plain folder the flat names count', () => {
  const spelt = [fileOf('caf\u00e9', 1), fileOf('cafe\u0301', 2)];
  expect(admit(spelt, rules).numbered.map(({ name }) => name)).toEqual(['cafe\u0301 (2)']);
  const flat = [fileOf('a - b.txt', 1, 'Trip/a/b.txt'), fileOf('a - b.txt', 2, 'Trip/a - b.txt')];
  const { admitted } = admit(flat, { ...rules, folder: { link_mode: 'plain' } });
  expect(admitted.map(({ name }) => name)).toEqual(['a - b.txt', 'a - b (2).txt']);
});

test('an encrypted folder keeps the paths of files, below the directory that is open; a plain one has flat names', () => {
  const chosen = { ...fileOf('day 1 - boat.jpg', 5, 'Trip/day 1/boat.jpg') };
  expect(placed(chosen, { ...rules, directory: '' })).toMatchObject({ name: 'boat.jpg', path: 'Trip/day 1/boat.jpg' });
  expect(placed(chosen, { ...rules, directory: 'a/b' })).toMatchObject({ path: 'a/b/Trip/day 1/boat.jpg' });
  const plain = { folder: { link_mode: 'plain' as const }, directory: '' };
  expect(placed(chosen, plain)).toBe(chosen);
});

test('a file whose path no label holds is not taken, in an encrypted folder', () => {
  const deep = [fileOf('a', 1, `${'x/'.repeat(33)}a`), fileOf('b', 1, `${'y'.repeat(1024)}/b`)];
  expect(admit(deep, rules).rejected.map(({ error }) => error.code)).toEqual([
    'seal.path_too_long',
    'seal.path_too_long',
  ]);
  expect(admit(deep, { ...rules, folder: { link_mode: 'plain' } }).rejected).toEqual([]);
});

test('of more files than one choice may have, all are counted: those on the list, and the others with the reason', () => {
  const files = Array.from({ length: CHOSEN_FILES_MAX + 600 }, (_, at) => fileOf(`${at}`, 1));
  const choice = { files: files as unknown as readonly ChosenFile[], leftOut: [], unreadable: [], isCut: false };
  const { news } = takeFiles(choice, [], { ...rules, maxFiles: 2000, fileCount: 0 });
  if (news.type !== 'chosen') throw new Error('other news');
  expect([news.added, news.rejected.length]).toEqual([2000, 3600]);
  const reasons = news.rejected.map(({ error }) => error.message);
  expect(new Set(reasons)).toEqual(
    new Set([
      'A folder holds at most 2000 files. Put the others into another folder',
      'At most 5000 files are taken at once. Add the others afterwards',
    ]),
  );
});
