import type { FolderKeys } from '@satchel/container/key';
import { openName, sealName } from '@satchel/container/label';
import { waitingStorageName } from './upload-traces.ts';

/**
 * Files whose turn had not come when the page was left. The browser lets no page keep the files themselves; their names
 * survive a reload of the tab, sealed where the folder hides names.
 */
export type WaitingLabel = { readonly sealed: string } | { readonly name: string };

/** @param keys the folder's keys where its names are hidden */
export const labelOf = async (name: string, keys: FolderKeys | null): Promise<WaitingLabel> =>
  keys ? { sealed: await sealName(keys, { name, type: '' }) } : { name };

/** Quick enough for a page that is going away. */
export function keepWaiting(folderId: string, labels: readonly WaitingLabel[]): void {
  try {
    if (labels.length === 0) sessionStorage.removeItem(waitingStorageName(folderId));
    else sessionStorage.setItem(waitingStorageName(folderId), JSON.stringify(labels));
  } catch {
    // Storage may be full or forbidden; the names are then lost with the page.
  }
}

/** The names that were kept; those that can't be read are left out. */
export async function waitingNames(folderId: string, keys: FolderKeys | null): Promise<string[]> {
  const names: string[] = [];
  try {
    const labels = JSON.parse(sessionStorage.getItem(waitingStorageName(folderId)) ?? '[]') as WaitingLabel[];
    for (const label of labels) {
      if ('name' in label) names.push(label.name);
      else if (keys) names.push((await openName(keys, label.sealed)).name);
    }
  } catch {
    // Of another key, or not ours at all.
  }
  return names;
}
