import { importKeys, newFolderKey } from '@satchel/container/key';
import { beforeEach, expect, test, vi } from 'vitest';
import { keepWaiting, labelOf, waitingNames } from './upload-waiting.ts';

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
  keepWaiting('a', [await labelOf('Boat.jpg', null), await labelOf('Map.png', null)]);
  expect(await waitingNames('a', null)).toEqual(['Boat.jpg', 'Map.png']);
  expect(await waitingNames('b', null)).toEqual([]);
});

test('a hidden name is kept sealed, and read with the folder’s key only', async () => {
  keepWaiting('a', [await labelOf('Boat.jpg', keys)]);
  expect([...kept.values()].join()).not.toContain('Boat');
  expect(await waitingNames('a', keys)).toEqual(['Boat.jpg']);
  expect(await waitingNames('a', null)).toEqual([]);
  expect(await waitingNames('a', await importKeys(newFolderKey()))).toEqual([]);
});

test('nothing to keep leaves nothing behind', async () => {
  keepWaiting('a', [await labelOf('Boat.jpg', null)]);
  keepWaiting('a', []);
  expect(kept.size).toBe(0);
});

test('what is not ours, or no storage at all, is no names', async () => {
  kept.set('satchel.waiting.a', '{');
  expect(await waitingNames('a', keys)).toEqual([]);
  vi.stubGlobal('sessionStorage', undefined);
  keepWaiting('a', [{ name: 'Boat.jpg' }]);
  expect(await waitingNames('a', keys)).toEqual([]);
});
