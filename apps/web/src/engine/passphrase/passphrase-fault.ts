import { t } from '@lingui/core/macro';
import { COMMON_PASSPHRASES } from './common-passphrases.ts';

/**
 * Why a new passphrase is refused. An attacker with the link and the server's data can guess offline without a limit, so a
 * common passphrase protects nothing. An existing passphrase is not checked: it opens its folder whatever it is.
 */
export type PassphraseFault = 'missing' | 'short' | 'repeated' | 'folder_name' | 'common';

export const PASSPHRASE_MIN_CHARACTERS = 8;

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

/** The reason in words, except for an empty one: that text depends on the form. */
export function passphraseFaultText(fault: Exclude<PassphraseFault, 'missing'>): string {
  if (fault === 'short') return t`Use at least ${PASSPHRASE_MIN_CHARACTERS} characters.`;
  if (fault === 'repeated') return t`This is one character again and again. Choose another passphrase.`;
  if (fault === 'folder_name') return t`This is the folder’s name, which others can see. Choose another passphrase.`;
  return t`This is one of the passphrases that are guessed first. Choose another passphrase.`;
}
