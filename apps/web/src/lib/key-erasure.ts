import { deleteDB, openDB } from 'idb';
import { dropFragments } from './folder-link.ts';
import { KEY_DATABASE } from './folder-pins.ts';
import { forgetFragments, tellForgotten } from './forgotten-entries.ts';
import { forgetAllKeys, forgetMemory } from './key-store.ts';
import { openedCache } from './opened-cache.ts';

/** It holds nothing, and lives for a moment. */
const BLANK_DATABASE = 'satchel-erasure';

/** A database that another tab keeps open goes when it is closed there; to wait for it would be to wait for that tab. */
const drop = (name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    deleteDB(name, { blocked: () => resolve() }).then(resolve, reject);
  });

/** Has Chromium write out what its log holds, and put its tables together: it does both when a database is deleted. */
async function stir(): Promise<void> {
  const database = await openDB(BLANK_DATABASE, 1, { upgrade: (blank) => void blank.createObjectStore('blank') });
  await database.put('blank', 0, 0);
  database.close();
  await drop(BLANK_DATABASE);
}

/**
 * Removes the keys' database with its rows. A row that is deleted stays in the files of Chromium's LevelDB, readable, until
 * they happen to be put together; so they are made to be, before (the row is in the log), and twice after.
 */
async function eraseDatabase(): Promise<void> {
  if (!('indexedDB' in globalThis)) return;
  await stir();
  await drop(KEY_DATABASE);
  await stir();
  await stir();
}

/** What this page has opened, and the keys that it alone holds: another tab has erased those of the device. */
export async function dropKeys(): Promise<void> {
  openedCache.clear();
  dropFragments();
  await forgetMemory();
}

/**
 * Erases every folder key of this device: its rows, the files that they were written to, and what this page and the
 * site's other open tabs have of them, in memory and in their addresses.
 * @throws what IndexedDB said when the keys could not be erased
 */
export async function eraseKeys(): Promise<void> {
  await dropKeys();
  forgetFragments();
  tellForgotten();
  await forgetAllKeys();
  // No page finds the keys any more. That their bytes go from the disk, too, is as much as a page can try.
  await eraseDatabase().catch(() => console.warn('The files that held the keys could not be tidied up.'));
}
