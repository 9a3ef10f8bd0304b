import { deleteDB, openDB } from 'idb';
import { openedCache } from '../files/opened-cache.ts';
import { deleteFragments } from '../links/folder-link.ts';
import { KEY_DATABASE } from './folder-pins.ts';
import { announceKeysDeleted, deleteHistoryFragments } from './history-fragments.ts';
import { deleteAllKeys, deleteKeysInMemory } from './key-store.ts';

/** An empty, short-lived database. */
const BLANK_DATABASE = 'satchel-erasure';
/** A browser that is busy may skip a compaction: it is forced again after these times, while the page is open. */
const AGAIN_MS = [2000, 5000, 10_000, 20_000, 40_000];

/** Does not wait for a database that another tab keeps open: it is deleted when that tab closes it. */
const deleteDatabase = (name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    deleteDB(name, { blocked: () => resolve() }).then(resolve, reject);
  });

/** Makes Chromium flush its log and compact its tables: it does both when a database is deleted. */
async function compactStorage(): Promise<void> {
  const database = await openDB(BLANK_DATABASE, 1, { upgrade: (blank) => void blank.createObjectStore('blank') });
  await database.put('blank', 0, 0);
  database.close();
  await deleteDatabase(BLANK_DATABASE);
}

/**
 * Deletes the keys' database with its rows. A deleted row stays readable in the files of Chromium's LevelDB until they are
 * compacted; so compaction is forced once before (the row is in the log) and twice after.
 */
async function deleteKeyDatabase(): Promise<void> {
  if (!('indexedDB' in globalThis)) return;
  await compactStorage();
  await deleteDatabase(KEY_DATABASE);
  await compactStorage();
  await compactStorage();
  for (const ms of AGAIN_MS) setTimeout(() => void compactStorage().catch(() => undefined), ms);
}

/** Deletes this page's opened files and in-memory keys, after another tab deleted the keys of the device. */
export async function deleteKeysInPage(): Promise<void> {
  openedCache.clear();
  deleteFragments();
  await deleteKeysInMemory();
}

/**
 * Deletes every folder key of this device: the rows, the files that held them, and the copies of this page and the site's
 * other open tabs, in memory and in their addresses.
 * @throws what IndexedDB said when the keys could not be deleted
 */
export async function deleteKeys(): Promise<void> {
  await deleteKeysInPage();
  deleteHistoryFragments();
  announceKeysDeleted();
  await deleteAllKeys();
  // The rows are deleted. Purging their bytes from the disk is best effort.
  await deleteKeyDatabase().catch(() => console.warn('The files of the deleted keys could not be purged.'));
}
