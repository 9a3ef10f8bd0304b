import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { rememberHandle } from './dropped-handles.ts';

/**
 * Handles of files that are being uploaded, where the browser gives some: after a reload one click continues, since the
 * person need not choose the file again. A handle holds the file's path on this device and no byte of it; it is deleted
 * with its upload. The browser asks the person before a later page may read by it.
 */

/** TypeScript's DOM library lacks it (File System Access). */
interface Permission {
  requestPermission?(wanted: { readonly mode: 'read' }): Promise<PermissionState>;
}

interface KeptHandle {
  /** See `identify` in upload-log.ts. */
  readonly place: string;
  readonly handle: FileSystemFileHandle;
  readonly expiresAtMs: number;
}

interface HandleSchema extends DBSchema {
  handles: { key: string; value: KeptHandle; indexes: { expiresAtMs: number } };
}

const connect = (): Promise<IDBPDatabase<HandleSchema>> =>
  openDB<HandleSchema>('satchel-file-handles', 1, {
    upgrade: (db) =>
      void db.createObjectStore('handles', { keyPath: 'place' }).createIndex('expiresAtMs', 'expiresAtMs'),
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  });

async function withStore<Result>(work: (db: IDBPDatabase<HandleSchema>) => Promise<Result>): Promise<Result> {
  const db = await connect();
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

export const keepHandles = (kept: readonly KeptHandle[]): Promise<void> =>
  withStore(async (db) => {
    const tx = db.transaction('handles', 'readwrite');
    await Promise.all([...kept.map((one) => tx.store.put(one)), tx.done]);
  });

export const handlesAt = (places: readonly string[]): Promise<ReadonlyMap<string, FileSystemFileHandle>> =>
  withStore(async (db) => {
    const all = await Promise.all(places.map((place) => db.get('handles', place)));
    return new Map(all.flatMap((one) => (one ? [[one.place, one.handle]] : [])));
  });

export const forgetHandles = (places: readonly string[]): Promise<void> =>
  withStore(async (db) => {
    const tx = db.transaction('handles', 'readwrite');
    await Promise.all([...places.map((place) => tx.store.delete(place)), tx.done]);
  });

/** Deletes the handles whose folders have expired; with infinity, all of them. */
export const purgeHandles = (nowMs: number): Promise<void> =>
  withStore(async (db) => {
    const tx = db.transaction('handles', 'readwrite');
    const keys = await tx.store.index('expiresAtMs').getAllKeys(IDBKeyRange.upperBound(nowMs));
    await Promise.all([...keys.map((key) => tx.store.delete(key)), tx.done]);
  });

/**
 * The file behind a handle, once the person allows it: call it in a click.
 * @returns null when the person says no, or the file is no longer there
 */
export async function readHandle(handle: FileSystemFileHandle): Promise<File | null> {
  const asking = (handle as Permission).requestPermission?.({ mode: 'read' });
  if (asking && (await asking.catch(() => 'denied')) !== 'granted') return null;
  const file = await handle.getFile().catch(() => null);
  if (file) rememberHandle(file, handle);
  return file;
}
