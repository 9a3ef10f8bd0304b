import { createStore } from '../../../lib/base/external-store.ts';

/** Whether pictures are sent without what tells of their maker: on, until this device's person says otherwise. */

const STORAGE_NAME = 'satchel.keeps-metadata';

function remembered(): boolean {
  try {
    return localStorage.getItem(STORAGE_NAME) !== 'yes';
  } catch {
    return true;
  }
}

export const stripsMetadata = createStore<boolean>(remembered());

/** Takes effect for every file that is begun from now on, in this tab and in those opened later. */
export function setStripsMetadata(strips: boolean): void {
  try {
    if (strips) localStorage.removeItem(STORAGE_NAME);
    else localStorage.setItem(STORAGE_NAME, 'yes');
  } catch {
    // Storage may be forbidden; the choice then lasts for this page.
  }
  stripsMetadata.set(strips);
}
