/** The folder keys of this device (key-store.ts). */
export const KEY_DATABASE = 'satchel-keys';
/** Begins the names of the empty databases by which deleted keys leave the disk (key-deletion.ts). */
export const ERASURE_PREFIX = 'satchel-erasure-';
