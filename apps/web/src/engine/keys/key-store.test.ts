import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, test } from 'vitest';
import { ANSWER_MS, createKeyStore, type KeyToRemember, openKeyDatabase } from './key-store.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;
let nowMs = START_MS;

const keyOf = (folderId: string, over: Partial<KeyToRemember> = {}): KeyToRemember => ({
  userId: 'mika',
  folderId,
  slug: `slug-of-${folderId}`,
  secret: new Uint8Array(32).fill(7),
  ring: { keys: [new Uint8Array(64).fill(9)], hidesNames: true },
  mode: 'private',
  kept: [],
  pending: null,
  expires_at: new Date(START_MS + 24 * HOUR_MS).toISOString(),
  api_token: 'token-1',
  is_servers: false,
  ...over,
});
type Store = ReturnType<typeof createKeyStore>;
const look = (keys: Store, folderId: string, userId: string | null = 'mika') =>
  keys.recallFolder(userId, { folderId, slug: `slug-of-${folderId}` });
const recall = async (keys: Store, folderId: string, userId: string | null = 'mika') =>
  (await look(keys, folderId, userId)).known;
const newStore = () => createKeyStore({ openDatabase: () => openKeyDatabase(), nowMs: () => nowMs });

beforeEach(() => {
  nowMs = START_MS;
  globalThis.indexedDB = new IDBFactory();
});

const homes = [
  { home: 'IndexedDB', make: newStore },
  {
    home: 'memory, without IndexedDB',
    make: () => createKeyStore({ openDatabase: () => Promise.reject(new DOMException('no')), nowMs: () => nowMs }),
  },
];

describe.each(homes)('keys kept in $home', ({ make }) => {
  test('come back to the person who kept them, for that folder', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    const { userId: _user, folderId: _folder, ...known } = keyOf('a');
    expect(await recall(keys, 'a')).toEqual({ ...known, spent: [] });
    expect(await recall(keys, 'b')).toBeNull();
    expect(await recall(keys, 'a', 'jonas')).toBeNull();
    expect(await recall(keys, 'a', null)).toBeNull();
  });

  test('expire on their second', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    nowMs = START_MS + 24 * HOUR_MS - 1;
    expect(await recall(keys, 'a')).not.toBeNull();
    nowMs += 1;
    expect(await recall(keys, 'a')).toBeNull();
    nowMs = START_MS;
    expect(await recall(keys, 'a')).toBeNull();
  });

  test('that expired are purged, the others stay', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.rememberKey(keyOf('b', { expires_at: new Date(START_MS + 48 * HOUR_MS).toISOString() }));
    nowMs = START_MS + 25 * HOUR_MS;
    await keys.purgeExpired();
    expect(await keys.nextExpiryMs()).toBe(START_MS + 48 * HOUR_MS);
    nowMs = START_MS;
    expect(await recall(keys, 'a')).toBeNull();
    expect(await recall(keys, 'b')).not.toBeNull();
  });

  test('are deleted by folder for every person, by slug, and all at once', async () => {
    const keys = make();
    for (const userId of ['mika', 'jonas']) await keys.rememberKey(keyOf('a', { userId }));
    await keys.rememberKey(keyOf('b'));
    await keys.rememberKey(keyOf('c'));
    await keys.deleteKey('a');
    expect([await recall(keys, 'a'), await recall(keys, 'a', 'jonas')]).toEqual([null, null]);
    await keys.expireSlug('slug-of-b');
    expect(await recall(keys, 'b')).toBeNull();
    expect(await recall(keys, 'c')).not.toBeNull();
    await keys.deleteAllKeys();
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('expire with their folder when it gets more time or less', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.rememberKey(keyOf('b'));
    await keys.keepKeyUntil('a', new Date(START_MS + 48 * HOUR_MS).toISOString());
    nowMs = START_MS + 25 * HOUR_MS;
    expect([await recall(keys, 'a'), await recall(keys, 'b')]).toMatchObject([{}, null]);
    const server_time = new Date(nowMs - 5 * HOUR_MS).toISOString();
    await keys.keepKeyUntil('a', new Date(nowMs - 4 * HOUR_MS).toISOString(), server_time);
    expect(await keys.nextExpiryMs()).toBe(nowMs + HOUR_MS - ANSWER_MS);
  });

  test('lose the secret of a revoked link, of that folder only, and still read', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.rememberKey(keyOf('b'));
    await keys.deleteSecret('a');
    expect(await recall(keys, 'a')).toMatchObject({ secret: null, ring: keyOf('a').ring });
    expect((await recall(keys, 'b'))?.secret).toEqual(keyOf('b').secret);
  });

  test('know which secrets of their folder are dead: those of links that were replaced, or revoked', async () => {
    const keys = make();
    const [first, second] = [1, 2].map((byte) => new Uint8Array(32).fill(byte));
    for (const secret of [first, first, second, null]) await keys.rememberKey(keyOf('a', { secret: secret ?? null }));
    expect((await recall(keys, 'a'))?.spent).toEqual([first, second]);
    await keys.rememberKey(keyOf('b', { secret: first ?? null }));
    await keys.deleteSecret('b');
    expect((await recall(keys, 'b'))?.spent).toEqual([first]);
  });

  test('are never kept past the end of their folder, however slow the answer was that told of it', async () => {
    const keys = make();
    const asked_at = new Date(START_MS).toISOString();
    nowMs = START_MS + 3000;
    await keys.rememberKey(
      keyOf('a', { server_time: asked_at, expires_at: new Date(START_MS + HOUR_MS).toISOString() }),
    );
    nowMs = START_MS + HOUR_MS;
    expect(await recall(keys, 'a')).toBeNull();
  });

  test('live as long as the server says on a device whose clock is a day ahead', async () => {
    const keys = make();
    const server_time = new Date(START_MS - 30 * HOUR_MS).toISOString();
    await keys.rememberKey(keyOf('a', { server_time, expires_at: new Date(START_MS - 6 * HOUR_MS).toISOString() }));
    expect(await keys.nextExpiryMs()).toBe(START_MS + 24 * HOUR_MS - ANSWER_MS);
    expect(await recall(keys, 'a')).not.toBeNull();
  });
});

test('a later visit finds what an earlier one kept', async () => {
  await newStore().rememberKey(keyOf('a'));
  expect((await recall(newStore(), 'a'))?.ring).toEqual(keyOf('a').ring);
});

test('a database that was closed under the page is opened again', async () => {
  let opened: Awaited<ReturnType<typeof openKeyDatabase>> | undefined;
  const keys = createKeyStore({
    openDatabase: async () => {
      opened = await openKeyDatabase();
      return opened;
    },
    nowMs: () => nowMs,
  });
  await keys.rememberKey(keyOf('a'));
  opened?.close();
  expect(await recall(keys, 'a')).not.toBeNull();
  opened?.close();
  await keys.rememberKey(keyOf('b'));
  expect(await recall(newStore(), 'b')).not.toBeNull();
  opened?.close();
  await keys.deleteAllKeys();
  expect([await recall(keys, 'a'), await recall(keys, 'b')]).toEqual([null, null]);
});

describe.each(homes)('that a folder is encrypted, kept in $home', ({ make }) => {
  const isPinned = async (keys: Store, folderId = 'a', slug = 'slug-of-a') =>
    (await keys.recallFolder('jonas', { folderId, slug })).isPinned;

  test('is known by its id and by its slug, for any person', async () => {
    const keys = make();
    expect(await isPinned(keys)).toBe(false);
    await keys.rememberKey(keyOf('a'));
    expect(await isPinned(keys)).toBe(true);
    expect(await isPinned(keys, 'another id')).toBe(true);
    expect(await isPinned(keys, 'a', 'another slug')).toBe(true);
    expect(await isPinned(keys, 'b', 'slug-of-b')).toBe(false);
    expect((await look(keys, 'a', 'jonas')).known).toBeNull();
  });

  test('outlives the key, when a server says that the folder is over or had little time', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.rememberKey(keyOf('b'));
    await keys.expireSlug('slug-of-a');
    await keys.keepKeyUntil('b', new Date(START_MS).toISOString());
    await keys.purgeExpired();
    for (const id of ['a', 'b']) {
      expect(await look(keys, id)).toEqual({ known: null, isPinned: true });
    }
    expect(await keys.nextExpiryMs()).toBeNull();
    nowMs = START_MS + 31 * 24 * HOUR_MS + 1;
    await keys.purgeExpired();
    nowMs = START_MS;
    expect(await isPinned(keys)).toBe(false);
  });

  test('is deleted with the keys when a person says so', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.deleteAllKeys();
    expect(await isPinned(keys)).toBe(false);
  });

  test('changes by a person’s act on this device, for that person', async () => {
    const keys = make();
    for (const userId of ['mika', 'jonas']) await keys.rememberKey(keyOf('a', { userId }));
    await keys.changePin('mika', 'a', { mode: 'discord', kept: ['names'] });
    expect(await recall(keys, 'a')).toMatchObject({ mode: 'discord', kept: ['names'], ring: keyOf('a').ring });
    expect(await recall(keys, 'a', 'jonas')).toMatchObject({ mode: 'private', kept: [] });
  });
});

describe('a store of another form', () => {
  const openAs = async (version: number) =>
    (await import('idb')).openDB('satchel-keys', version, {
      upgrade: (database) => void database.createObjectStore('keys', { keyPath: 'id' }),
    });

  test('is made again when it is an earlier one', async () => {
    const database = await openAs(1);
    await database.put('keys', { id: 'a' });
    database.close();
    const keys = newStore();
    expect((await look(keys, 'a')).known).toBeNull();
    await keys.rememberKey(keyOf('a'));
    expect(await recall(keys, 'a')).toMatchObject({ ring: keyOf('a').ring });
  });

  test('is not taken for none when it is a later one', async () => {
    (await openAs(3)).close();
    await expect(look(newStore(), 'a')).rejects.toMatchObject({ name: 'VersionError' });
  });
});

test('keys on the disk and keys in memory alone are counted apart', async () => {
  const [disk, none] = homes.map(({ make }) => make());
  expect(await disk?.rememberKey(keyOf('a'))).toBe(true);
  expect(await none?.rememberKey(keyOf('a'))).toBe(false);
  expect(await disk?.recallKept('mika', 'a')).toMatchObject({ secret: keyOf('a').secret });
  expect(await none?.recallKept('mika', 'a')).toBeNull();
  expect(await disk?.countKeys()).toEqual({ onDisk: 1, inMemory: 0 });
  expect(await none?.countKeys()).toEqual({ onDisk: 0, inMemory: 1 });
  nowMs = START_MS + 24 * HOUR_MS;
  expect(await disk?.recallKept('mika', 'a')).toBeNull();
});
