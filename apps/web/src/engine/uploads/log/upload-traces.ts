import { deviceDatabases, tabStorage } from '../../../lib/base/device.ts';

/** Whether an earlier page left uploads behind: asked on every visit of an owner, so without the code that reads them. */

/** The log of uploads (engine/uploads/log/upload-log.ts). */
export const UPLOAD_LOG = { name: 'satchel-uploads', store: 'uploads' } as const;
/** Storage name of a folder's unsent names (engine/uploads/log/unsent-names.ts). */
export const unsentStorageName = (folderId: string): string => `satchel.waiting.${folderId}`;

function countLogged(): Promise<number> {
  return new Promise((resolve, reject) => {
    const opening = deviceDatabases()?.open(UPLOAD_LOG.name);
    if (opening === undefined) return resolve(0);
    // No log exists yet: abort, so that opening it creates none.
    opening.onupgradeneeded = () => opening.transaction?.abort();
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const counting = database.transaction(UPLOAD_LOG.store).objectStore(UPLOAD_LOG.store).count();
      counting.onsuccess = () => resolve(counting.result);
      counting.onerror = () => reject(counting.error);
      database.close();
    };
  });
}

/** Never rejects: a browser that keeps nothing has no traces. */
export async function hasUploadTraces(folderId: string): Promise<boolean> {
  if (tabStorage.get(unsentStorageName(folderId)) !== null) return true;
  return countLogged().then(
    (count) => count > 0,
    () => false,
  );
}
