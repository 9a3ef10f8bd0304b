import {
  createKeyStore,
  type FolderName,
  type KeyRows,
  type KeyStore,
  type KeyToRemember,
  type RememberedKey,
  type Row,
} from '@satchel/client/keys/key-store';
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { askServerTime, serverNowMs, toldServerTimeMs } from '../../lib/api/server-clock.ts';
import { pinInMemory, unpinAllInMemory } from './folder-pins.ts';
import { KEY_DATABASE } from './key-databases.ts';
import { tellKeyChange } from './key-news.ts';

/** The keys of this browser, in IndexedDB. */

interface KeySchema extends DBSchema {
  keys: { key: [string, string]; value: Row };
}

/** Timers hold at most 2³¹ − 1 ms; a longer wait takes several timers. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** Before the server is asked for its time again that did not answer. */
const ASK_AGAIN_MS = 300_000;

/** Opens the database that keys are kept in. */
export async function openKeyDatabase(name: string = KEY_DATABASE): Promise<IDBPDatabase<KeySchema>> {
  return openDB<KeySchema>(name, 2, {
    upgrade: (database, before) => {
      // An object store with an earlier layout is deleted and created again.
      if (before > 0) database.deleteObjectStore('keys');
      database.createObjectStore('keys', { keyPath: ['user_id', 'folder_id'] });
    },
    // Another tab with a newer version must not wait for this one.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase | null)?.close(),
  });
}

function databaseRows(database: IDBPDatabase<KeySchema>): KeyRows {
  return {
    put: async (row) => {
      // The address loses the key once this resolves, so the key must be on the disk by then.
      const transaction = database.transaction('keys', 'readwrite', { durability: 'strict' });
      await Promise.all([transaction.store.put(row), transaction.done]);
    },
    change: async (matches, to) => {
      const transaction = database.transaction('keys', 'readwrite');
      for (let cursor = await transaction.store.openCursor(); cursor; cursor = await cursor.continue()) {
        if (!matches(cursor.value)) continue;
        const changed = to(cursor.value);
        await (changed ? cursor.update(changed) : cursor.delete());
      }
      await transaction.done;
    },
    all: () => database.getAll('keys'),
  };
}

/**
 * The rows of the database; null where the browser has none.
 * @throws when a later version of this page wrote them
 */
export const openKeyRows = (open: () => Promise<IDBPDatabase<KeySchema>> = openKeyDatabase): Promise<KeyRows | null> =>
  open().then(databaseRows, (error: unknown) => {
    if ((error as Partial<DOMException> | null)?.name === 'VersionError') throw error;
    return null;
  });

const store = createKeyStore({
  openRows: openKeyRows,
  nowMs: Date.now,
  serverTimeMs: toldServerTimeMs,
});
let expiryTimer: ReturnType<typeof setTimeout> | undefined;

/** Purges what has expired by the server's clock, which is asked now. False when it can't be asked, or the disk fails. */
const purgeByServer = (): Promise<boolean> =>
  askServerTime()
    .then(store.purgeExpired)
    .then(
      () => true,
      () => false,
    );

/**
 * Purges expired keys now and each later one on its second, as long as the page is open. Call it once at start. Nothing is
 * purged by this device's clock alone: the key may be the only one, and the clock may be wrong, or have been set.
 */
export async function watchKeyExpiry(): Promise<void> {
  clearTimeout(expiryTimer);
  // As long as the server's time is not known, anything may be due.
  const isDue = (endsMs: number) => endsMs <= (toldServerTimeMs() ?? Number.POSITIVE_INFINITY);
  let nextMs = await store.nextExpiryMs();
  if (nextMs !== null && isDue(nextMs) && (await purgeByServer())) nextMs = await store.nextExpiryMs();
  if (nextMs === null) return;
  const waitMs = isDue(nextMs) ? ASK_AGAIN_MS : nextMs - serverNowMs();
  clearTimeout(expiryTimer);
  expiryTimer = setTimeout(watchKeyExpiry, Math.min(TIMER_MAX_MS, Math.max(1000, waitMs)));
}

/**
 * Keeps a folder's secret and keys on this device until the folder expires; in memory where there is no IndexedDB.
 * @returns whether they are on the disk, so that the page may delete them from its address
 */
export async function rememberKey(key: KeyToRemember): Promise<boolean> {
  const isKept = await store.rememberKey(key);
  if (!isKept) pinInMemory(key);
  void watchKeyExpiry();
  // A key from the server is remembered on every visit: nothing has changed.
  if (!key.is_servers) tellKeyChange(key.folderId, 'link');
  return isKept;
}

/** Changes what the folder is on this device, and tells every tab. */
export const changePin: KeyStore['changePin'] = async (userId, folderId, change) => {
  await store.changePin(userId, folderId, change);
  tellKeyChange(folderId, 'pin');
};

/** The keys that this device has of a folder for a person. Null when there are none, or they can't be read. */
export async function recallKey(userId: string | null, name: FolderName): Promise<RememberedKey | null> {
  return (await store.recallFolder(userId, name).catch(() => null))?.known ?? null;
}

/** Keeps what this device remembers of a folder for as long as the folder lives, by what the server says of it now. */
export async function keepKeyUntil(folderId: string, expires_at: string): Promise<void> {
  await store.keepKeyUntil(folderId, expires_at);
  void watchKeyExpiry();
}

export const { countKeys, recallFolder, recallKept, keepPending } = store;
export const { deleteSecret, deleteKey, expireSlug, deleteAllKeys } = store;

/** When a person deleted the keys of this device, in any tab. */
export async function deleteKeysInMemory(): Promise<void> {
  unpinAllInMemory();
  await store.deleteKeysInMemory();
}
