import { importKeys, newFolderKey } from '@satchel/container/key';
import { beforeEach, expect, test, vi } from 'vitest';
import { keepUnsent, labelOf, unsentNames } from './unsent-names.ts';

const keys = await importKeys(newFolderKey());
let kept: Map<string, string>;

beforeEach(() => {
  kept = new Map();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
  return () => vi.unstubAllGlobals();
});

test('names come back to the next page of the same folder', async () => {
  keepUnsent('a', [await labelOf('Boat.jpg', null), await labelOf('Map.png', null)]);
  expect(await unsentNames('a', null)).toEqual(['Boat.jpg', 'Map.png']);
  expect(await unsentNames('b', null)).toEqual([]);
});

test('a hidden name is kept sealed, and read with the folder’s key only', async () => {
  keepUnsent('a', [await labelOf('Boat.jpg', keys)]);
  expect([...kept.values()].join()).not.toContain('Boat');
  expect(await unsentNames('a', keys)).toEqual(['Boat.jpg']);
  expect(await unsentNames('a', null)).toEqual([]);
  expect(await unsentNames('a', await importKeys(newFolderKey()))).toEqual([]);
});

test('no unsent names leave no entry', async () => {
  keepUnsent('a', [await labelOf('Boat.jpg', null)]);
  keepUnsent('a', []);
  expect(kept.size).toBe(0);
});

test('a foreign entry, or no storage, gives no names', async () => {
  kept.set('satchel.waiting.a', '{');
  expect(await unsentNames('a', keys)).toEqual([]);
  vi.stubGlobal('sessionStorage', undefined);
  keepUnsent('a', [{ name: 'Boat.jpg' }]);
  expect(await unsentNames('a', keys)).toEqual([]);
});
