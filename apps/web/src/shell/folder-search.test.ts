import { expect, test } from 'vitest';
import { readFolderSearch } from './folder-search.ts';

test('tab, open file, upload zone and Share are read from the address', () => {
  expect(readFolderSearch({ tab: 'info', file: 'f1', upload: true })).toEqual({
    tab: 'info',
    file: 'f1',
    upload: true,
  });
  expect(readFolderSearch({ upload: 'true', share: 'true' })).toEqual({ upload: true, share: true });
  expect(readFolderSearch({ share: true })).toEqual({ share: true });
  expect(readFolderSearch({ share: 'discord' })).toEqual({ share: 'discord' });
});

test('unknown parameters are left out', () => {
  expect(readFolderSearch({ tab: 'folder', file: '', upload: false, utm: 'x' })).toEqual({});
  expect(readFolderSearch({ tab: 7, file: ['a'], upload: 1, share: 'yes' })).toEqual({});
});
