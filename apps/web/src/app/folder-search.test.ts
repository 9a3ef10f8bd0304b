import { expect, test } from 'vitest';
import { readFolderSearch } from './folder-search.ts';

test('tab, open file and upload zone are read from the address', () => {
  expect(readFolderSearch({ tab: 'info', file: 'f1', upload: true })).toEqual({
    tab: 'info',
    file: 'f1',
    upload: true,
  });
  expect(readFolderSearch({ upload: 'true' })).toEqual({ upload: true });
});

test('what is not known is left out', () => {
  expect(readFolderSearch({ tab: 'folder', file: '', upload: false, utm: 'x' })).toEqual({});
  expect(readFolderSearch({ tab: 7, file: ['a'], upload: 1 })).toEqual({});
});
