import { readUserCode } from '@satchel/contract/device-code';
import { tabStorage } from '../../lib/base/device.ts';

/** The code of a waiting command line, for the minute in which its person signs in. */
const KEY = 'satchel.device_code';

export const keepCode = (code: string): void => tabStorage.set(KEY, code);
export const forgetCode = (): void => tabStorage.delete(KEY);

/**
 * The code that the person came with: after the # of the address, or before they signed in.
 * @returns null where it is still to be typed
 */
export const givenCode = (hash: string): string | null => readUserCode(hash) ?? readUserCode(tabStorage.get(KEY) ?? '');
