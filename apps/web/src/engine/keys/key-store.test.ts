import { WAIT_MS } from '@satchel/contract/testing/pace';
import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { createKeyStore, type KeyToRemember } from '@satchel/client/keys/key-store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { followKeyChanges } from './key-news.ts';
import { changePin, openKeyDatabase, openKeyRows } from './key-store.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;
let nowMs = START_MS;
/** How far the server's clock is ahead of the device's; null before an answer has told it. */
let aheadMs: number | null = 0;
const clocks = {
  nowMs: () => nowMs,
  serverTimeMs: () => (aheadMs === null ? null : nowMs + aheadMs),
};

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
const newStore = () => createKeyStore({ openRows: () => openKeyRows(), ...clocks });

beforeEach(() => {
  nowMs = START_MS;
  aheadMs = 0;
  globalThis.indexedDB = new IDBFactory();
});

const homes = [
  { home: 'IndexedDB', make: newStore },
  {
    home: 'memory, without IndexedDB',
    make: () => createKeyStore({ openRows: async () => null, ...clocks }),
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
    await keys.purgeExpired(nowMs);
    nowMs = START_MS;
    expect(await recall(keys, 'a')).toBeNull();
  });

  test('that expired are purged, the others stay', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.rememberKey(keyOf('b', { expires_at: new Date(START_MS + 48 * HOUR_MS).toISOString() }));
    await keys.purgeExpired(START_MS + 25 * HOUR_MS);
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
    await keys.keepKeyUntil('a', new Date(nowMs + HOUR_MS).toISOString());
    nowMs += HOUR_MS;
    expect(await recall(keys, 'a')).toBeNull();
  });

  test('lose the secret of a revoked link, of that folder only, and still read', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.rememberKey(keyOf('b'));
    await keys.deleteSecret('a');
    expect(await recall(keys, 'a')).toMatchObject({ secret: null, ring: keyOf('a').ring });
    expect((await recall(keys, 'b'))?.secret).toEqual(keyOf('b').secret);
  });

  test('know which secrets of their folder are dead: the ones of links that were replaced, or revoked', async () => {
    const keys = make();
    const [first, second] = [1, 2].map((byte) => new Uint8Array(32).fill(byte));
    for (const secret of [first, first, second, null]) await keys.rememberKey(keyOf('a', { secret: secret ?? null }));
    expect((await recall(keys, 'a'))?.spent).toEqual([first, second]);
    await keys.rememberKey(keyOf('b', { secret: first ?? null }));
    await keys.deleteSecret('b');
    expect((await recall(keys, 'b'))?.spent).toEqual([first]);
  });

  test.each([
    { device: '3 h behind when the keys came, and set right since', stepMs: 3 * HOUR_MS },
    { device: '3 h ahead when the keys came, and set right since', stepMs: -3 * HOUR_MS },
    { device: 'right, and set years ahead by mistake', stepMs: 20_000 * HOUR_MS },
  ])('end by the server’s clock alone on a device that was $device', async ({ stepMs }) => {
    const keys = make();
    // The server says 12:00 all the time.
    nowMs = START_MS - stepMs;
    aheadMs = stepMs;
    await keys.rememberKey(keyOf('a', { expires_at: new Date(START_MS + HOUR_MS).toISOString() }));
    nowMs = START_MS;
    aheadMs = 0;
    await keys.purgeExpired(START_MS);
    expect(await recall(keys, 'a')).not.toBeNull();
    await keys.purgeExpired(START_MS + HOUR_MS);
    expect(await recall(keys, 'a')).toBeNull();
  });

  test('can be used while the server’s time is not known, with any device clock', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    aheadMs = null;
    nowMs = START_MS + 25 * HOUR_MS;
    expect(await recall(keys, 'a')).not.toBeNull();
    aheadMs = 0;
    expect(await recall(keys, 'a')).toBeNull();
    aheadMs = -5 * HOUR_MS;
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
    openRows: () =>
      openKeyRows(async () => {
        opened = await openKeyDatabase();
        return opened;
      }),
    ...clocks,
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
    await keys.purgeExpired(nowMs);
    for (const id of ['a', 'b']) {
      expect(await look(keys, id)).toEqual({ known: null, isPinned: true });
    }
    nowMs = START_MS + 31 * 24 * HOUR_MS + 1;
    await keys.purgeExpired(nowMs);
    nowMs = START_MS;
    expect(await isPinned(keys)).toBe(false);
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('is not forgotten because a server says that it is years later', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    aheadMs = 20_000 * HOUR_MS;
    await keys.purgeExpired(nowMs + aheadMs);
    expect(await look(keys, 'a')).toEqual({ known: null, isPinned: true });
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

describe('an open page', () => {
  const HOUR_LATER = new Date(START_MS + HOUR_MS).toISOString();
  /** What the server says of the time; null when it can't be reached. */
  let serverMs: number | null = null;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: START_MS });
    vi.stubGlobal('fetch', async () => {
      if (serverMs === null) throw new TypeError('Failed to fetch');
      return Response.json({ server_time: new Date(serverMs).toISOString() });
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  test('keeps an owner’s only key when the device’s clock, 3 h behind until then, is set right', async () => {
    vi.resetModules();
    const page = await import('./key-store.ts');
    vi.setSystemTime(START_MS - 3 * HOUR_MS);
    await page.rememberKey(keyOf('a', { expires_at: new Date(START_MS + 2 * HOUR_MS).toISOString() }));
    serverMs = START_MS + HOUR_MS;
    vi.setSystemTime(serverMs);
    vi.resetModules();
    const later = await import('./key-store.ts');
    await later.watchKeyExpiry();
    expect(await recall(newStore(), 'a')).not.toBeNull();
    await vi.advanceTimersByTimeAsync(0);
    expect(await later.recallKept('mika', 'a')).not.toBeNull();
  });

  test('purges nothing while the server can’t be asked, and asks again', async () => {
    vi.resetModules();
    serverMs = null;
    await newStore().rememberKey(keyOf('a', { expires_at: HOUR_LATER }));
    const page = await import('./key-store.ts');
    vi.setSystemTime(START_MS + 2 * HOUR_MS);
    await page.watchKeyExpiry();
    expect(await page.countKeys()).toEqual({ onDisk: 1, inMemory: 0 });
    serverMs = START_MS + 2 * HOUR_MS;
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    await vi.waitFor(async () => expect(await page.countKeys()).toEqual({ onDisk: 0, inMemory: 0 }), WAIT_MS);
  });
});

test('a changed pin is heard in every tab', async () => {
  const heard = new Promise((resolve) => {
    const unfollow = followKeyChanges('a', (change) => {
      unfollow();
      resolve(change);
    });
  });
  await changePin('mika', 'a', { kept: ['discord'] });
  expect(await heard).toBe('pin');
});
