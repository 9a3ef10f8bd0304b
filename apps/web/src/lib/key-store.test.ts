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
  key: new Uint8Array(64).fill(9),
  expires_at: new Date(START_MS + 24 * HOUR_MS).toISOString(),
  api_token: 'token-1',
  is_servers: false,
  ...over,
});
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
    expect(await keys.recallKey('mika', 'a')).toEqual(known);
    expect(await keys.recallKey('mika', 'b')).toBeNull();
    expect(await keys.recallKey('jonas', 'a')).toBeNull();
    expect(await keys.recallKey(null, 'a')).toBeNull();
  });

  test('are gone at the second of expiry', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    nowMs = START_MS + 24 * HOUR_MS - 1;
    expect(await keys.recallKey('mika', 'a')).not.toBeNull();
    nowMs += 1;
    expect(await keys.recallKey('mika', 'a')).toBeNull();
    nowMs = START_MS;
    expect(await keys.recallKey('mika', 'a')).toBeNull();
  });

  test('that expired are dropped, the others stay', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.rememberKey(keyOf('b', { expires_at: new Date(START_MS + 48 * HOUR_MS).toISOString() }));
    nowMs = START_MS + 25 * HOUR_MS;
    await keys.dropExpired();
    expect(await keys.nextExpiryMs()).toBe(START_MS + 48 * HOUR_MS);
    nowMs = START_MS;
    expect(await keys.recallKey('mika', 'a')).toBeNull();
    expect(await keys.recallKey('mika', 'b')).not.toBeNull();
  });

  test('are forgotten by folder for everybody, by slug, and all at once', async () => {
    const keys = make();
    for (const userId of ['mika', 'jonas']) await keys.rememberKey(keyOf('a', { userId }));
    await keys.rememberKey(keyOf('b'));
    await keys.rememberKey(keyOf('c'));
    await keys.forgetKey('a');
    expect([await keys.recallKey('mika', 'a'), await keys.recallKey('jonas', 'a')]).toEqual([null, null]);
    await keys.forgetSlug('slug-of-b');
    expect(await keys.recallKey('mika', 'b')).toBeNull();
    expect(await keys.recallKey('mika', 'c')).not.toBeNull();
    await keys.forgetAllKeys();
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('stay as long as their folder when it gets more time, and go with it when it gets less', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.rememberKey(keyOf('b'));
    await keys.keepKeyUntil('a', new Date(START_MS + 48 * HOUR_MS).toISOString());
    nowMs = START_MS + 25 * HOUR_MS;
    expect([await keys.recallKey('mika', 'a'), await keys.recallKey('mika', 'b')]).toMatchObject([{}, null]);
    const server_time = new Date(nowMs - 5 * HOUR_MS).toISOString();
    await keys.keepKeyUntil('a', new Date(nowMs - 4 * HOUR_MS).toISOString(), server_time);
    expect(await keys.nextExpiryMs()).toBe(nowMs + HOUR_MS - ANSWER_MS);
  });

  test('lose the secret of a revoked link, of that folder only, and still read', async () => {
    const keys = make();
    await keys.rememberKey(keyOf('a'));
    await keys.rememberKey(keyOf('b'));
    await keys.dropSecret('a');
    expect(await keys.recallKey('mika', 'a')).toMatchObject({ secret: null, key: keyOf('a').key });
    expect((await keys.recallKey('mika', 'b'))?.secret).toEqual(keyOf('b').secret);
  });

  test('are never kept past the end of their folder, however slow the answer was that told of it', async () => {
    const keys = make();
    const asked_at = new Date(START_MS).toISOString();
    nowMs = START_MS + 3000;
    await keys.rememberKey(
      keyOf('a', { server_time: asked_at, expires_at: new Date(START_MS + HOUR_MS).toISOString() }),
    );
    nowMs = START_MS + HOUR_MS;
    expect(await keys.recallKey('mika', 'a')).toBeNull();
  });

  test('live as long as the server says on a device whose clock is a day ahead', async () => {
    const keys = make();
    const server_time = new Date(START_MS - 30 * HOUR_MS).toISOString();
    await keys.rememberKey(keyOf('a', { server_time, expires_at: new Date(START_MS - 6 * HOUR_MS).toISOString() }));
    expect(await keys.nextExpiryMs()).toBe(START_MS + 24 * HOUR_MS - ANSWER_MS);
    expect(await keys.recallKey('mika', 'a')).not.toBeNull();
  });
});

test('a later visit finds what an earlier one kept', async () => {
  await newStore().rememberKey(keyOf('a'));
  expect((await newStore().recallKey('mika', 'a'))?.key).toEqual(keyOf('a').key);
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
  expect(await keys.recallKey('mika', 'a')).not.toBeNull();
  opened?.close();
  await keys.rememberKey(keyOf('b'));
  expect(await newStore().recallKey('mika', 'b')).not.toBeNull();
  opened?.close();
  await keys.forgetAllKeys();
  expect([await keys.recallKey('mika', 'a'), await keys.recallKey('mika', 'b')]).toEqual([null, null]);
});
