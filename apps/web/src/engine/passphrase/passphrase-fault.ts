import { PASSPHRASE_MIN_CHARACTERS } from '@satchel/contract/limits';
import { COMMON_PASSPHRASES } from './common-passphrases.ts';

/**
 * Why a new passphrase is refused. An attacker with the link and the server's data can guess offline without a limit, so a
 * common passphrase protects nothing. An existing passphrase is not checked: it opens its folder whatever it is.
 */
export type PassphraseFault = 'missing' | 'short' | 'repeated' | 'folder_name' | 'common';

/** The form for comparison: normalized, lower case, trimmed. */
const plainForm = (text: string): string => text.normalize('NFC').trim().toLowerCase();

/** Why `passphrase` must not be set for a folder of this name; null when it may. */
export function passphraseFault(passphrase: string, folderName: string | null): PassphraseFault | null {
  const plain = plainForm(passphrase);
  const characters = Array.from(plain);
  if (characters.length === 0) return 'missing';
  if (characters.length < PASSPHRASE_MIN_CHARACTERS) return 'short';
  if (new Set(characters).size === 1) return 'repeated';
  if (folderName !== null && plain === plainForm(folderName)) return 'folder_name';
  return COMMON_PASSPHRASES.has(plain) ? 'common' : null;
}
