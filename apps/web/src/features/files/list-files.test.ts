import type { FileEntry } from '@satchel/contract/entities';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectPages, withKnownLabels } from './list-files.ts';

const entryOf = (at: number, name = `file-${at}`): FileEntry => ({
  id: `id-${at}`,
  name,
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  metadata: { size: 1, mimetype: 'text/plain', eTag: '"1"' },
});

test('a folder of any size is listed whole, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 20 }), async (count, limit) => {
      const all = Array.from({ length: count }, (_, at) => entryOf(at));
      const listed = await collectPages(async (offset, size) => all.slice(offset, offset + size), limit);
      expect(listed).toEqual(all);
    }),
  );
});

test('placeholders, folders and entries that come twice are left out', async () => {
  const pages = [
    [entryOf(0, '.emptyFolderPlaceholder'), entryOf(1)],
    [entryOf(1), entryOf(2, 'nested/')],
    [entryOf(3)],
  ];
  const listed = await collectPages(async (offset) => pages[offset / 2] ?? [], 2);
  expect(listed.map(({ id }) => id)).toEqual(['id-1', 'id-3']);
});

test('a page that fails fails the listing', async () => {
  await expect(collectPages(() => Promise.reject(new Error('no')), 2)).rejects.toThrow('no');
});

test('a file whose label is not open yet keeps none of the others away', () => {
  const sealed = (at: number): FileEntry => {
    const entry = entryOf(at);
    return { ...entry, metadata: { ...entry.metadata, sealed: `label-${at}` } };
  };
  const entries = [sealed(0), entryOf(1), sealed(2)];
  const label = { name: 'a.txt', type: 'text/plain' };
  expect(withKnownLabels(entries, new Map([['label-0', label]]))).toEqual(entries.slice(0, 2));
  const all = new Map([
    ['label-0', label],
    ['label-2', label],
  ]);
  expect(withKnownLabels(entries, all)).toBe(entries);
});
