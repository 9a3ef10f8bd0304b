import { createStore } from '../../lib/base/external-store.ts';

/** Changes that this page made itself: live events about them are not announced. */

const folderIds = new Set<string>();
const fileNames = new Set<string>();

/** The page ignores the server's news of the folder until the returned function is called. */
export function ignoreNewsOf(folderId: string): () => void {
  folderIds.add(folderId);
  return () => void folderIds.delete(folderId);
}

export const ignoresNewsOf = (folderId: string): boolean => folderIds.has(folderId);

/** This page has uploaded, replaced or deleted a file of this stored name. */
export const noteOwnFile = (storedName: string): void => void fileNames.add(storedName);

export const isOwnFile = (storedName: string): boolean => fileNames.has(storedName);

/** The id of the folder that this page deleted last: its uploads stop. */
export const deletedFolder = createStore<string | null>(null);
