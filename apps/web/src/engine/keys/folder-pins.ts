import type { FolderName } from '@satchel/client/keys/key-store';
import { deviceDatabases } from '../../lib/base/device.ts';
import { KEY_DATABASE } from './key-databases.ts';

/**
 * Whether this device knows a folder as an encrypted one: asked on every visit of a plain folder, so without the code that
 * reads keys (engine/keys/key-store).
 */

const STORE = 'keys';

/** Pins of this page, where the browser keeps none. */
const ownPins: FolderName[] = [];

const isOf = ({ folderId, slug }: FolderName, other: FolderName): boolean =>
  folderId === other.folderId || slug === other.slug;

export function pinInMemory({ folderId, slug }: FolderName): void {
  ownPins.push({ folderId, slug });
}

export function unpinAllInMemory(): void {
  ownPins.length = 0;
}

interface Pin {
  readonly folder_id: string;
  readonly slug: string;
}

/** Null where the browser has no such database. */
function openDatabase(): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    const opening = deviceDatabases()?.open(KEY_DATABASE);
    if (opening === undefined) return resolve(null);
    // No database exists yet: abort, so that opening it creates none.
    opening.onupgradeneeded = () => opening.transaction?.abort();
    opening.onerror = () => resolve(null);
    opening.onsuccess = () => resolve(opening.result);
  });
}

function readPins(database: IDBDatabase): Promise<readonly Pin[]> {
  return new Promise((resolve, reject) => {
    const reading = database.transaction(STORE).objectStore(STORE).getAll();
    reading.onsuccess = () => resolve(reading.result as Pin[]);
    reading.onerror = () => reject(reading.error);
    database.close();
  });
}

/**
 * Whether the folder, or its slug, is remembered as encrypted, for this or for another person.
 * @throws when there is a database that can't be read: what it says of the folder is not known then
 */
export async function isPinnedHere(name: FolderName): Promise<boolean> {
  if (ownPins.some((pin) => isOf(pin, name))) return true;
  const database = await openDatabase().catch(() => null);
  const pins = database ? await readPins(database) : [];
  return pins.some(({ folder_id: folderId, slug }) => isOf({ folderId, slug }, name));
}
