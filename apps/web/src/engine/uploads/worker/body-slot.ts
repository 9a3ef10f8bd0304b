import type { Bytes } from '@satchel/client/send/ports';
import { deviceLocks } from '../../../lib/base/device.ts';

/** Files of the origin's private file system (OPFS), one for each worker. */
const DIRECTORY = 'upload-slots';
const lockOf = (name: string) => `satchel-slot-${name}`;

/** Where a large body lies while it travels. */
export interface BodySlot {
  /** The parts as one file, which is good until the next call. */
  fill(parts: readonly Bytes[]): Promise<File>;
  /** Nothing of the last body stays on the disk. */
  empty(): Promise<void>;
}

/** Removes what workers left that were killed. */
async function sweep(directory: FileSystemDirectoryHandle, locks: LockManager): Promise<void> {
  for await (const name of directory.keys()) {
    await locks.request(lockOf(name), { ifAvailable: true }, (lock) =>
      lock ? directory.removeEntry(name).catch(() => undefined) : undefined,
    );
  }
}

async function write(handle: FileSystemFileHandle, parts: readonly Bytes[]): Promise<void> {
  const access = await handle.createSyncAccessHandle();
  try {
    access.truncate(0);
    let at = 0;
    for (const part of parts) {
      const written = access.write(part, { at });
      if (written !== part.length) throw new DOMException('The slot is full', 'QuotaExceededError');
      at += written;
    }
  } finally {
    access.close();
  }
}

/**
 * Opens this worker's slot. A page that a service worker controls keeps the bytes of every request's body for as long as it is
 * open (Chromium 156: 600 MB after 600 MB, of an array in its own process, of a Blob in the main one). Of a file it keeps
 * nothing.
 * @returns null where there is no such file system, or it is refused
 */
export async function openBodySlot(): Promise<BodySlot | null> {
  const locks = deviceLocks();
  if (locks === null) return null;
  try {
    const root = await navigator.storage.getDirectory();
    const directory = await root.getDirectoryHandle(DIRECTORY, { create: true });
    await sweep(directory, locks);
    const name = crypto.randomUUID();
    // Held for as long as this worker lives.
    void locks.request(lockOf(name), () => new Promise(() => undefined)).catch(() => undefined);
    const handle = await directory.getFileHandle(name, { create: true });
    return {
      async fill(parts) {
        await write(handle, parts);
        return handle.getFile();
      },
      empty: () => write(handle, []),
    };
  } catch {
    return null;
  }
}

/** Removes all slots: for a device that is to keep nothing. */
export async function removeBodySlots(): Promise<void> {
  try {
    const root = await navigator.storage.getDirectory();
    await root.removeEntry(DIRECTORY, { recursive: true });
  } catch {
    // There are none, or no such file system.
  }
}
