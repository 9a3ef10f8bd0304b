import { expect, test } from 'vitest';
import { storageShares } from './storage-shares.ts';

test('an account holds the folder that is looked at, others, and what uploads have reserved', () => {
  expect(storageShares({ usedBytes: 100, reservedBytes: 7, folderBytes: 30 })).toEqual([
    { of: 'this_folder', sizeBytes: 30 },
    { of: 'other_folders', sizeBytes: 70 },
    { of: 'uploads', sizeBytes: 7 },
  ]);
});

test('somebody else’s folder takes nothing of one’s own storage', () => {
  expect(storageShares({ usedBytes: 100, reservedBytes: 0, folderBytes: null })).toEqual([
    { of: 'other_folders', sizeBytes: 100 },
  ]);
});

test('a folder that has grown since the account was asked for does not make the others negative', () => {
  expect(storageShares({ usedBytes: 100, reservedBytes: 0, folderBytes: 130 })).toEqual([
    { of: 'this_folder', sizeBytes: 100 },
    { of: 'other_folders', sizeBytes: 0 },
  ]);
});
