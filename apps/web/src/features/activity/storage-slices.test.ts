import { expect, test } from 'vitest';
import { leastSteps, storageShares } from './storage-slices.ts';

test('an account has slices for the open folder, other folders and reserved bytes', () => {
  expect(storageShares({ usedBytes: 100, reservedBytes: 7, folderBytes: 30, foldersBytes: 100 })).toEqual([
    { of: 'this_folder', sizeBytes: 30 },
    { of: 'other_folders', sizeBytes: 70 },
    { of: 'uploads', sizeBytes: 7 },
  ]);
});

test('another person’s folder takes none of the own storage', () => {
  expect(storageShares({ usedBytes: 100, reservedBytes: 0, folderBytes: null, foldersBytes: 100 })).toEqual([
    { of: 'other_folders', sizeBytes: 100 },
  ]);
});

test('a folder that grew after the account was loaded makes no slice negative', () => {
  expect(storageShares({ usedBytes: 100, reservedBytes: 0, folderBytes: 130, foldersBytes: 130 })).toEqual([
    { of: 'this_folder', sizeBytes: 100 },
  ]);
});

test('the previews of an only folder are no other folder', () => {
  expect(storageShares({ usedBytes: 100, reservedBytes: 0, folderBytes: 90, foldersBytes: 90 })).toEqual([
    { of: 'this_folder', sizeBytes: 90 },
    { of: 'previews', sizeBytes: 10 },
  ]);
});

test('until the folders are known, all that is not the open one’s is the others’', () => {
  expect(storageShares({ usedBytes: 100, reservedBytes: 0, folderBytes: 90, foldersBytes: null })).toEqual([
    { of: 'this_folder', sizeBytes: 90 },
    { of: 'other_folders', sizeBytes: 10 },
  ]);
});

test('a larger slice is wider than a smaller one, and an empty one takes no room from them', () => {
  const shares = [
    { of: 'this_folder', sizeBytes: 5 },
    { of: 'other_folders', sizeBytes: 2 },
    { of: 'previews', sizeBytes: 0 },
    { of: 'uploads', sizeBytes: 5 },
  ] as const;
  expect(shares.map((share) => leastSteps(share, shares))).toEqual([2, 1, 1, 2]);
});
