import type { FolderKeys } from '@satchel/container/key';
import { openName, sealName } from '@satchel/container/label';
import { tabStorage } from '../../../lib/base/device.ts';
import { unsentStorageName } from './upload-traces.ts';

/**
 * Names of files that were not sent when the page was left. A browser can't keep the files themselves; their names survive
 * a reload of the tab, sealed where the folder hides names.
 */
export type UnsentLabel = { readonly sealed: string } | { readonly name: string };

/** @param keys the folder's keys where its names are hidden */
export const labelOf = async (name: string, keys: FolderKeys | null): Promise<UnsentLabel> =>
  keys ? { sealed: await sealName(keys, { name, type: '' }) } : { name };

/** Synchronous, for a page that is being left. */
export function keepUnsent(folderId: string, labels: readonly UnsentLabel[]): void {
  // Where storage is full or shut, the names are lost with the page.
  if (labels.length === 0) tabStorage.delete(unsentStorageName(folderId));
  else tabStorage.set(unsentStorageName(folderId), JSON.stringify(labels));
}

/** The names that were kept, without unreadable ones. */
export async function unsentNames(folderId: string, keys: FolderKeys | null): Promise<string[]> {
  const names: string[] = [];
  try {
    const labels = (tabStorage.json(unsentStorageName(folderId)) ?? []) as UnsentLabel[];
    for (const label of labels) {
      if ('name' in label) names.push(label.name);
      else if (keys) names.push((await openName(keys, label.sealed)).name);
    }
  } catch {
    // Sealed with another key, or a foreign value.
  }
  return names;
}
