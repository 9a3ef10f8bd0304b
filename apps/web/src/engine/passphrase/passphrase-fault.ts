import { t } from '@lingui/core/macro';
import { COMMON_PASSPHRASES } from './common-passphrases.ts';

/**
 * What a new passphrase is refused for. Whoever has link and server can guess at home without a limit, so what is guessed
 * first protects nothing. An old passphrase opens its folder whatever it is: nothing here is asked then.
 */
export type PassphraseFault = 'missing' | 'short' | 'repeated' | 'folder_name' | 'common';

export const PASSPHRASE_MIN_CHARACTERS = 8;

/** As it is compared: what looks the same is the same, and neither capitals nor blanks around it help. */
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

/** The reason in words, but for one that was not typed at all: that depends on where it is asked for. */
export function passphraseFaultText(fault: Exclude<PassphraseFault, 'missing'>): string {
  if (fault === 'short') return t`Use at least ${PASSPHRASE_MIN_CHARACTERS} characters.`;
  if (fault === 'repeated') return t`This is one character again and again. Choose another passphrase.`;
  if (fault === 'folder_name') return t`This is the folder’s name, which others can see. Choose another passphrase.`;
  return t`This is one of the passphrases that are guessed first. Choose another passphrase.`;
}
