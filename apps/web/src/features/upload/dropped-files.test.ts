import { expect, test } from 'vitest';
import { DROPPED_FILES_MAX, filesOf } from './dropped-files.ts';

const file = new File(['x'], 'a.txt');
const fileEntry = { isFile: true, isDirectory: false, file: (give: (file: File) => void) => give(file) };

/** A folder of `count` files as a browser hands it out, a hundred at a time. */
function folderEntry(count: number) {
  let left = count;
  const readEntries = (give: (entries: unknown[]) => void) => {
    const batch = Math.min(100, left);
    left -= batch;
    give(Array(batch).fill(fileEntry));
  };
  return { isFile: false, isDirectory: true, createReader: () => ({ readEntries }) };
}

const dropOf = (...entries: unknown[]) =>
  ({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files: [file] }) as unknown as DataTransfer;

test('a dropped folder is read whole, with what lies beside it', async () => {
  const { files, isCut } = await filesOf(dropOf(folderEntry(250), fileEntry));
  expect([files.length, isCut]).toEqual([251, false]);
});

test('a folder of too many files is cut, and that is said', async () => {
  const full = await filesOf(dropOf(folderEntry(DROPPED_FILES_MAX)));
  expect([full.files.length, full.isCut]).toEqual([DROPPED_FILES_MAX, false]);
  const over = await filesOf(dropOf(folderEntry(DROPPED_FILES_MAX), fileEntry));
  expect([over.files.length, over.isCut]).toEqual([DROPPED_FILES_MAX, true]);
});
