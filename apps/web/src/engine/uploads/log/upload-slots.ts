import { sweepDeadUploads } from './upload-lock.ts';

/** Where bodies of upload requests are kept while they travel: files of the origin's private file system (OPFS). */
const DIRECTORY = 'upload-slots';

/** The directory of slots, or null where OPFS is missing or refused (private windows of some browsers). */
export async function slotDirectory(): Promise<FileSystemDirectoryHandle | null> {
  try {
    const root = await navigator.storage.getDirectory();
    return await root.getDirectoryHandle(DIRECTORY, { create: true });
  } catch {
    return null;
  }
}

/** Slot names are per upload, so that uploads never meet and a dead one's slots are told from a living one's. */
export const slotName = (uploadId: string, slot: number): string => `${uploadId}.${slot}`;

async function removeSlots(directory: FileSystemDirectoryHandle, uploadId: string): Promise<void> {
  for await (const name of directory.keys()) {
    if (name.startsWith(`${uploadId}.`)) await directory.removeEntry(name).catch(() => undefined);
  }
}

/** Removes the slots of one upload that is over. */
export async function removeUploadSlots(uploadId: string): Promise<void> {
  const directory = await slotDirectory();
  if (directory) await removeSlots(directory, uploadId);
}

/** Purges the slots of dead workers: those of uploads whose lock is free. */
export async function removeStaleSlots(): Promise<void> {
  const directory = await slotDirectory();
  if (!directory) return;
  const uploadIds = new Set<string>();
  for await (const name of directory.keys()) uploadIds.add(name.slice(0, name.lastIndexOf('.')));
  if (uploadIds.size > 0) await sweepDeadUploads(uploadIds, (uploadId) => removeSlots(directory, uploadId));
}
