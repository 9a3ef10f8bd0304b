import type { FileEntry } from '@satchel/contract/entities';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areAll, mergeEnd, mergeNewest } from './read-since.ts';

/** A folder as the server has it: each change has a later time; a new file may have been begun before others. */
function folderOf(count: number) {
  let time = 0;
  const at = (ms: number) => new Date(ms).toISOString();
  const files: FileEntry[] = [];
  const add = (begun = 0) => {
    const id = String(++time).padStart(6, '0');
    const times = { created_at: at(time - begun), updated_at: at(time) };
    files.push({ id, name: id, ...times, metadata: { size: 1 + (time % 5), mimetype: 'text/plain', eTag: '"1"' } });
  };
  for (let n = 0; n < count; n++) add();
  const folder = {
    add: () => add(),
    addLate: () => add(3),
    remove: (place: number) => files.splice(place % files.length, 1),
    change(place: number) {
      const file = files[place % files.length]!;
      files[files.indexOf(file)] = { ...file, updated_at: at(++time), metadata: { ...file.metadata, still: true } };
    },
    list: () => files.toSorted((a, b) => (a.created_at + a.name < b.created_at + b.name ? -1 : 1)),
    sizeBytes: () => files.reduce((sum, { metadata }) => sum + metadata.size, 0),
    newest: (limits: number[]) => async (limit: number) => {
      limits.push(limit);
      return files.toSorted((a, b) => (a.updated_at + a.name < b.updated_at + b.name ? 1 : -1)).slice(0, limit);
    },
    part: async (offset: number, limit: number) => folder.list().slice(offset, offset + limit),
  };
  return folder;
}

test('of a large folder only the newest files are read, and changed ones take their places', async () => {
  const folder = folderOf(2000);
  const known = folder.list();
  folder.add();
  folder.change(7);
  const limits: number[] = [];
  const since = await mergeNewest(folder.newest(limits), known);
  expect(limits).toEqual([25]);
  expect(since?.entries).toEqual(folder.list());
  expect(since && areAll(since, folder.sizeBytes())).toBe(true);
});

test('a deletion is noticed, and one with an addition of the same moment, too', async () => {
  for (const adds of [false, true]) {
    const folder = folderOf(2000);
    const known = folder.list();
    folder.remove(7);
    if (adds) folder.add();
    const since = await mergeNewest(folder.newest([]), known);
    expect(since && areAll(since, folder.sizeBytes())).toBe(false);
  }
});

test('more changes than a page of the list are left to a reading of the whole', async () => {
  const folder = folderOf(600);
  const known = folder.list();
  for (let n = 0; n < 300; n++) folder.add();
  const limits: number[] = [];
  expect(await mergeNewest(folder.newest(limits), known)).toBeNull();
  expect(limits).toEqual([25, 250]);
});

test('files that arrive between the answers are read with the end of the list, and a deletion is noticed there', async () => {
  const folder = folderOf(2000);
  const known = folder.list();
  for (let n = 0; n < 9; n++) folder.addLate();
  expect(await mergeEnd(folder.part, known)).toEqual(folder.list());
  folder.remove(7);
  expect(await mergeEnd(folder.part, folder.list())).toEqual(folder.list());
  expect(await mergeEnd(folder.part, known)).toBeNull();
});

test('with any changes before and between the answers, the end of a list gives exactly the folder’s files or none', async () => {
  const act = fc.tuple(fc.constantFrom('add', 'addLate', 'change'), fc.nat({ max: 99 }));
  const removals = fc.array(fc.nat({ max: 99 }), { maxLength: 3 });
  const input = fc.tuple(fc.integer({ min: 4, max: 80 }), fc.array(act, { maxLength: 20 }), removals, removals);
  await fc.assert(
    fc.asyncProperty(input, fc.array(act, { maxLength: 20 }), async ([count, before, gone, goneLater], between) => {
      const folder = folderOf(count);
      const known = folder.list();
      for (const place of gone) folder.remove(place);
      for (const [what, place] of before) if (folder.sizeBytes() > 0) folder[what as 'change'](place);
      const since = await mergeNewest(folder.newest([]), known);
      for (const place of goneLater) if (folder.sizeBytes() > 0) folder.remove(place);
      for (const [what] of between) if (/add/.test(what)) folder[what as 'add']();
      const all = since && (await mergeEnd(folder.part, since.entries));
      // A label that changed in between is told of, and read, the next time.
      if (all) expect(all.map(({ id }) => id)).toEqual(folder.list().map(({ id }) => id));
    }),
  );
});

test('with any changes, a list that counts as all of the folder’s files is exactly that', async () => {
  const act = fc.tuple(fc.constantFrom('add', 'addLate', 'remove', 'change'), fc.nat({ max: 99 }));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.array(act, { maxLength: 40 }), async (count, acts) => {
      const folder = folderOf(count);
      const known = folder.list();
      for (const [what, place] of acts) if (/add/.test(what) || folder.sizeBytes() > 0) folder[what as 'remove'](place);
      const since = await mergeNewest(folder.newest([]), known);
      if (since && areAll(since, folder.sizeBytes())) expect(since.entries).toEqual(folder.list());
    }),
  );
});
