import { expect, test } from 'vitest';
import { localDate } from '../../lib/figures/format.ts';
import { factRows, ownerName, sizeText, totalLine } from './folder-facts.ts';

const created = '2026-03-14T12:00:00Z';
const rows = (sizeBytes: number, total: number, encrypted: number, foreign = 0) =>
  factRows(
    {
      folder_created_at: created,
      folder_size_bytes: 2 * sizeBytes,
      folder_link_mode: 'private',
      folder_access: 'link',
    },
    { total, encrypted, foreign, sizeBytes },
  );

test('the owner is called by global name, else username, else Unknown', () => {
  const names = { owner_discord_global_name: 'Mika', owner_discord_username: 'mikaforge' };
  expect(ownerName(names)).toBe('Mika');
  expect(ownerName({ ...names, owner_discord_global_name: null })).toBe('mikaforge');
  expect(ownerName({ owner_discord_global_name: null, owner_discord_username: null })).toBe('Unknown');
});

test('an empty folder shows only its date', () => {
  expect(rows(0, 0, 0)).toEqual([['Created', localDate(created)]]);
});

test('a restricted folder says so', () => {
  const folder = { folder_created_at: created, folder_size_bytes: 0, folder_link_mode: 'plain' } as const;
  expect(factRows({ ...folder, folder_access: 'restricted' }, null).slice(1)).toEqual([['Access', 'Invited only']]);
});

test('foreign entries are counted separately', () => {
  expect(rows(1024 ** 2, 5, 3, 2).slice(2)).toEqual([
    ['Files', '5 total'],
    ['Encrypted', '3'],
    ['Not from this folder', '2'],
  ]);
});

test('size, count and encrypted files show only if there are files', () => {
  expect(rows(2.5 * 1024 ** 2, 3, 3).slice(1)).toEqual([
    ['Size', '2.50 MB'],
    ['Files', '3 total'],
    ['Encrypted', '3'],
  ]);
});

test('regular files are counted only beside encrypted ones', () => {
  expect(rows(1, 5, 2).slice(2)).toEqual([
    ['Files', '5 total'],
    ['Encrypted', '2'],
    ['Regular', '3'],
  ]);
  expect(rows(1, 5, 0).slice(2)).toEqual([['Files', '5 total']]);
});

test('before the files are listed, the expected rows have placeholders', () => {
  const folder = {
    folder_created_at: created,
    folder_size_bytes: 1,
    folder_link_mode: 'private',
    folder_access: 'link',
  } as const;
  expect(factRows(folder, null).slice(2)).toEqual([
    ['Files', '…'],
    ['Encrypted', '…'],
  ]);
  expect(factRows({ ...folder, folder_link_mode: 'plain' }, null).slice(2)).toEqual([['Files', '…']]);
  expect(factRows({ ...folder, folder_size_bytes: 0 }, null)).toHaveLength(1);
  expect(totalLine(folder, null)).toBe('…');
  expect(totalLine(folder, { total: 2, encrypted: 2, foreign: 0, sizeBytes: 1 })).toBe('2 total');
  expect(totalLine(folder, { total: 0, encrypted: 0, foreign: 0, sizeBytes: 0 })).toBe(null);
});

test('the size is the sum of the files, and of their stored bytes until they are listed', () => {
  const folder = { folder_size_bytes: 3 * 1024 ** 2 };
  const counts = { total: 1, encrypted: 1, foreign: 0, sizeBytes: 2 * 1024 ** 2 };
  expect([sizeText(folder, null), sizeText(folder, counts)]).toEqual(['3.00 MB', '2.00 MB']);
  expect(sizeText(folder, { ...counts, total: 0, sizeBytes: 0 })).toBe(null);
});
