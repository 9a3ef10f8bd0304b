import { t } from '@lingui/core/macro';
import { PASSPHRASE_MIN_CHARACTERS } from '@satchel/contract/limits';

/** Why a new passphrase is refused. For an empty one each form has its own text. */
export function passphraseFaultText(fault: 'short' | 'repeated' | 'folder_name' | 'common'): string {
  if (fault === 'short') return t`Use at least ${PASSPHRASE_MIN_CHARACTERS} characters.`;
  if (fault === 'repeated') return t`This repeats one character. Choose another passphrase.`;
  if (fault === 'folder_name') return t`This is the folder’s name, which others can see. Choose another passphrase.`;
  return t`This is one of the passphrases that are guessed first. Choose another passphrase.`;
}
