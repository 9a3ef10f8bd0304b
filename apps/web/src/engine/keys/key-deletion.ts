import { deleteDB, openDB } from 'idb';
import { deviceDatabases } from '../../lib/base/device.ts';
import { openedCache } from '../files/opened-cache.ts';
import { deleteHistoryFragments, tellKeysDeleted } from './history-fragments.ts';
import { deleteFragments } from './kept-fragment.ts';
import { ERASURE_PREFIX, KEY_DATABASE } from './key-databases.ts';
import { deleteAllKeys, deleteKeysInMemory } from './key-store.ts';

/** The rest of the empty databases are deleted after these times, while the page is open. */
const AGAIN_MS = [500, 2000, 10_000, 40_000, 45_000];
const EMPTY_DATABASES = Array.from({ length: 2 + AGAIN_MS.length }, (_, at) => `${ERASURE_PREFIX}${at}`);

/** Does not wait for a database that another tab keeps open: it is deleted when that tab closes it. */
const deleteDatabase = (name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    deleteDB(name, { blocked: () => resolve() }).then(resolve, reject);
  });

async function createEmpty(name: string): Promise<void> {
  const database = await openDB(name, 1, { upgrade: (empty) => void empty.createObjectStore('empty') });
  // LevelDB has entries of it, however early it writes its files.
  await database.put('empty', 0, 0);
  database.close();
}

/**
 * Deletes the keys' database with its rows, which stay readable in the files of Chromium's LevelDB until LevelDB rewrites them.
 * Where a database is deleted, Chromium writes the log to a file and rewrites each file that reaches over the entries of that
 * database. It does so on other threads: the rows and their deletion may come into one file, which the deletion of the keys'
 * database no longer rewrites. So empty databases are made before it, which the same file has. Each one that is deleted later
 * has the file rewritten, as long as the last of them lies beyond it. One is deleted before: then the rows have their file already.
 */
async function deleteKeyDatabase(): Promise<void> {
  if (deviceDatabases() === null) return;
  for (const name of EMPTY_DATABASES) await createEmpty(name);
  const [before, after, ...later] = EMPTY_DATABASES as [string, string, ...string[]];
  for (const name of [before, KEY_DATABASE, after]) await deleteDatabase(name);
  for (const [at, name] of later.entries()) setTimeout(() => void deleteDatabase(name).catch(() => {}), AGAIN_MS[at]);
}

/** Continues where a page was closed before it had deleted the last empty database. */
export async function finishErasure(): Promise<void> {
  for (const name of EMPTY_DATABASES) await deleteDatabase(name);
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
  tellKeysDeleted();
  await deleteAllKeys();
  // The rows are deleted. Purging their bytes from the disk is best effort.
  await deleteKeyDatabase().catch(() => console.warn('The files of the deleted keys could not be purged.'));
}
