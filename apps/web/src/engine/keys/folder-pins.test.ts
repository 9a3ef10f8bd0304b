import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { createKeyStore } from '@satchel/client/keys/key-store';
import { NAME, REMEMBERED } from '@satchel/client/testing/remembered-key';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isPinnedHere } from './folder-pins.ts';
import { deleteKeysInMemory, openKeyRows, rememberKey } from './key-store.ts';

const newStore = () => createKeyStore({ openRows: () => openKeyRows(), nowMs: Date.now, serverTimeMs: Date.now });

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});
afterEach(() => vi.restoreAllMocks());

test('what the key store keeps is found by id and by slug, without the store', async () => {
  await newStore().rememberKey(REMEMBERED);
  expect(await isPinnedHere(NAME)).toBe(true);
  expect(await isPinnedHere({ folderId: 'another', slug: NAME.slug })).toBe(true);
  expect(await isPinnedHere({ folderId: NAME.folderId, slug: 'another' })).toBe(true);
  expect(await isPinnedHere({ folderId: 'b', slug: 'slug-of-b' })).toBe(false);
});

test('the pin is found after the keys expired', async () => {
  await newStore().rememberKey(REMEMBERED);
  await newStore().expireSlug(NAME.slug);
  expect(await isPinnedHere(NAME)).toBe(true);
});

test('looking makes no store, and the key store comes after it as ever', async () => {
  expect(await isPinnedHere(NAME)).toBe(false);
  expect(await indexedDB.databases()).toEqual([]);
  await newStore().rememberKey(REMEMBERED);
  expect(await isPinnedHere(NAME)).toBe(true);
});

test('where the browser keeps nothing, this page knows the folders that it made, until keys are deleted', async () => {
  vi.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new DOMException('closed', 'SecurityError');
  });
  expect(await isPinnedHere(NAME)).toBe(false);
  await rememberKey(REMEMBERED);
  expect(await isPinnedHere(NAME)).toBe(true);
  await deleteKeysInMemory();
  expect(await isPinnedHere(NAME)).toBe(false);
});

test('a store that can’t be read is not taken for an empty one', async () => {
  await newStore().rememberKey(REMEMBERED);
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
    throw new DOMException('broken', 'UnknownError');
  });
  await expect(isPinnedHere(NAME)).rejects.toMatchObject({ name: 'UnknownError' });
});
