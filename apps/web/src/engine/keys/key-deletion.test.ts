import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deleteKeys, deleteKeysInPage } from './key-deletion.ts';
import { startKeyExpiry } from './key-expiry.ts';
import { openKeyDatabase, recallKey, rememberKey } from './key-store.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
    key: (at: number) => [...kept.keys()][at] ?? null,
    get length() {
      return kept.size;
    },
  });
  vi.stubGlobal('location', new URL('https://files.example.org/'));
  // What watches for expired keys asks for it.
  vi.stubGlobal('fetch', async () => Response.json({ server_time: new Date().toISOString() }));
});

afterEach(() => {
  vi.useRealTimers();
});

const remember = (folderId: string) =>
  rememberKey({
    userId: 'mika',
    folderId,
    slug: folderId,
    secret: new Uint8Array(32).fill(7),
    ring: { keys: [new Uint8Array(64).fill(9)], hidesNames: true },
    mode: 'private',
    kept: [],
    pending: null,
    is_servers: false,
    api_token: null,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
const recall = (folderId: string) => recallKey('mika', { folderId, slug: folderId });
const databases = async () => (await indexedDB.databases()).map(({ name }) => name);

test('deleting the keys deletes their database, and a later key is remembered again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  await remember('one');
  // As another tab would have it open.
  await openKeyDatabase();
  await deleteKeys();
  expect(await databases()).not.toContain('satchel-keys');
  await vi.runAllTimersAsync();
  await expect.poll(databases).toEqual([]);
  expect(await recall('one')).toBeNull();
  await remember('two');
  expect(await recall('two')).not.toBeNull();
});

test('a page that is closed early leaves what the next one deletes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  await remember('one');
  await deleteKeys();
  vi.clearAllTimers();
  expect(await databases()).not.toEqual([]);
  await startKeyExpiry();
  expect(await databases()).toEqual([]);
});

test('a tab that hears of the deletion late keeps keys remembered since', async () => {
  await remember('since');
  await deleteKeysInPage();
  expect(await recall('since')).not.toBeNull();
});
