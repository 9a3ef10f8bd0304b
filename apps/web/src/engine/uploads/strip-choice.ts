import { keepChoice, keptChoice } from '../../lib/base/device.ts';
import { createStore } from '../../lib/base/external-store.ts';

/** Whether pictures are sent without what tells of their maker: on, until this device's person says otherwise. */

const STORAGE_NAME = 'satchel.keeps-metadata';

export const stripsMetadata = createStore<boolean>(keptChoice(STORAGE_NAME) !== 'yes');

/** Takes effect for every file that is begun from now on, in this tab and in tabs opened later. */
export function setStripsMetadata(strips: boolean): void {
  keepChoice(STORAGE_NAME, strips ? null : 'yes');
  stripsMetadata.set(strips);
}
