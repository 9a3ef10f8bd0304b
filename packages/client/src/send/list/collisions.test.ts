import { beforeEach, describe, expect, test } from 'vitest';
import type { ChosenFile } from '../order.ts';
import {
  COMPARED_MAX_BYTES,
  createCollisions,
  type ExistingFile,
  isUncompared,
  keysOf,
  partCollisions,
  settle,
} from './collisions.ts';

const chosen = (path: string, size = 1): ChosenFile => ({
  file: new File(['x'.repeat(size)], 'x'),
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
});
const existing = (path: string, sizeBytes = 5, badge: ExistingFile['badge'] = 'api') => {
  const slash = path.lastIndexOf('/');
  const [directory, name] = [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)];
  return { name, directory, sizeBytes, badge, entry: { name: `stored ${path}` } } as unknown as ExistingFile;
};
const pathsOf = (files: readonly ChosenFile[]) => files.map(({ path }) => path);

describe('chosen files', () => {
  const folder = [existing('a.txt'), existing('Trip/boat.jpg'), existing('b.txt', 5, 'none')];

  test('collide where a file of the folder has their path, in any case', () => {
    const files = [chosen('A.TXT'), chosen('boat.jpg'), chosen('trip/Boat.jpg'), chosen('b.txt')];
    const { free, colliding } = partCollisions(files, folder, false);
    expect(pathsOf(free)).toEqual(['boat.jpg', 'b.txt']);
    expect(colliding.map(({ existing: { name } }) => name)).toEqual(['a.txt', 'boat.jpg']);
  });

  test('collide by their flat names in a plain folder', () => {
    const flat = { ...chosen('Trip/a.txt'), name: 'Trip - a.txt' };
    expect(partCollisions([flat], [existing('Trip - a.txt')], true).colliding).toHaveLength(1);
    expect(partCollisions([flat], [existing('a.txt')], true).colliding).toHaveLength(0);
  });

  test('that are kept beside the folder’s get the first free numbers', () => {
    const files = [chosen('a.txt'), chosen('A.txt'), chosen('Trip/boat.jpg')];
    const all = [...folder, existing('a (2).txt')];
    const { colliding } = partCollisions(files, all, false);
    const kept = settle(colliding, 'keep_both', [...keysOf(all), 'trip/boat (2).jpg'], false);
    expect(pathsOf(kept)).toEqual(['a (3).txt', 'A (4).txt', 'Trip/boat (3).jpg']);
    expect(kept.map(({ name }) => name)).toEqual(['a (3).txt', 'A (4).txt', 'boat (3).jpg']);
  });

  test('that replace the folder’s name what they replace; those that are left out are gone', () => {
    const { colliding } = partCollisions([chosen('a.txt')], folder, false);
    expect(settle(colliding, 'replace', [], false)).toMatchObject([{ path: 'a.txt', replaces: 'stored a.txt' }]);
    expect(settle(colliding, 'leave_out', [], false)).toEqual([]);
  });
});

test('files of one size above what is fetched for a comparison are not compared', () => {
  const pair = (size: number, sizeBytes: number) => ({
    chosen: { ...chosen('film'), file: { size } as File },
    existing: existing('film', sizeBytes),
  });
  const [limit, above] = [COMPARED_MAX_BYTES, COMPARED_MAX_BYTES + 1];
  expect([pair(above, above), pair(above, limit), pair(limit, limit)].map(isUncompared)).toEqual([true, false, false]);
});

describe('colliding files', () => {
  let there: string[];
  let asked: number[];
  beforeEach(() => {
    [there, asked] = [[], []];
  });
  const create = () =>
    createCollisions({
      hasSameContent: async (file, { size }) => file.sizeBytes === size,
      onThere: (paths) => there.push(...paths),
      onDiffering: (count) => asked.push(count),
      onChange: () => {},
    });
  const compared = () => new Promise((resolve) => setTimeout(resolve, 0));
  const pair = (path: string, size: number) => ({ chosen: chosen(path, size), existing: existing(path, 5) });

  test('of the same content are there already; the others wait for one answer', async () => {
    const collisions = create();
    collisions.add([pair('Trip/same', 5), pair('other', 4)]);
    collisions.add([pair('third', 3)]);
    expect(collisions.get().comparing).toBe(3);
    await compared();
    expect([there, asked, collisions.get().comparing]).toEqual([['Trip/same'], [2], 0]);
    expect(collisions.take().map(({ chosen: { path } }) => path)).toEqual(['other', 'third']);
    expect(collisions.get().differing).toEqual([]);
  });

  test('that are chosen again are asked about once', async () => {
    const collisions = create();
    collisions.add([pair('other', 4)]);
    await compared();
    collisions.add([pair('other', 3)]);
    await compared();
    expect(collisions.get().differing.map(({ chosen: { file } }) => file.size)).toEqual([3]);
  });

  test('are forgotten when the uploads are abandoned', async () => {
    const collisions = create();
    collisions.add([pair('other', 4)]);
    collisions.stop();
    await compared();
    expect([collisions.get().differing, asked]).toEqual([[], []]);
  });
});
