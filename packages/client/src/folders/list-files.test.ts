import type { FileEntry } from '@satchel/contract/entities';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectPages } from './list-files.ts';

const entryOf = (at: number, name = `file-${at}`): FileEntry => ({
  id: `id-${at}`,
  name,
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  metadata: { size: 1, mimetype: 'text/plain', eTag: '"1"' },
});

test('a folder of any size is listed whole, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 60 }), fc.integer({ min: 2, max: 20 }), async (count, limit) => {
      const all = Array.from({ length: count }, (_, at) => entryOf(at));
      const listed = await collectPages(async (offset, size) => all.slice(offset, offset + size), limit);
      expect(listed).toEqual(all);
    }),
  );
});

test('placeholders, folders and entries that come twice are left out', async () => {
  const all = [entryOf(0, '.emptyFolderPlaceholder'), entryOf(1), entryOf(1), entryOf(2, 'nested/'), entryOf(3)];
  const listed = await collectPages(async (offset, limit) => all.slice(offset, offset + limit), 3);
  expect(listed.map(({ id }) => id)).toEqual(['id-1', 'id-3']);
});

test('lists every file when others are deleted during the reading', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 29 }), fc.nat({ max: 8 }), async (gone, when) => {
      let all = Array.from({ length: 30 }, (_, at) => entryOf(at));
      let calls = 0;
      const listed = await collectPages(async (offset, limit) => {
        const got = all.slice(offset, offset + limit);
        if (calls++ === when) all = all.filter((_, at) => at < gone || at >= gone + 3);
        return got;
      }, 5);
      const ids = new Set(listed.map(({ id }) => id));
      expect(all.filter(({ id }) => !ids.has(id))).toEqual([]);
    }),
  );
});

test('a list that never stays the same is taken as it is', async () => {
  let round = 0;
  const listed = await collectPages(async (offset, limit) => {
    if (offset === 0) round += 1;
    return offset === 0 ? [entryOf(round), entryOf(round + 1)].slice(0, limit) : [entryOf(100 + round)];
  }, 2);
  expect(listed.map(({ id }) => id)).toEqual(['id-5', 'id-6', 'id-105']);
});

test('a page that fails fails the listing', async () => {
  await expect(collectPages(() => Promise.reject(new Error('no')), 2)).rejects.toThrow('no');
});

/** Reads on from the first `known` of 30 files, and notes from where. */
async function readOn(all: readonly FileEntry[], known: readonly FileEntry[]) {
  const offsets: number[] = [];
  const page = async (offset: number, limit: number) => {
    offsets.push(offset);
    return all.slice(offset, offset + limit);
  };
  return { listed: await collectPages(page, 10, known), offsets };
}

test('after a list that is known, only files after it are read', async () => {
  const all = Array.from({ length: 30 }, (_, at) => entryOf(at));
  expect(await readOn(all, all.slice(0, 25))).toEqual({ listed: all, offsets: [24] });
  expect(await readOn(all, all)).toEqual({ listed: all, offsets: [29] });
});

test('a known list that has lost or gained an entry is read again, whole', async () => {
  const all = Array.from({ length: 30 }, (_, at) => entryOf(at));
  const whole = { listed: all, offsets: [25, 0, 9, 18, 27] };
  const deleted = entryOf(99);
  expect(await readOn(all, [...all.slice(0, 10), deleted, ...all.slice(10, 25)])).toEqual(whole);
  expect(await readOn(all, [...all.slice(0, 10), ...all.slice(11, 27)])).toEqual(whole);
  expect(await readOn(all, [...all, deleted])).toEqual({ ...whole, offsets: [30, ...whole.offsets.slice(1)] });
});
