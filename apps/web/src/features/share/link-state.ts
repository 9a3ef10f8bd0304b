import type { FolderCompleteData } from '@satchel/contract/api';

/** What recipients of the visible link can open. */
export type LinkMeaning =
  /** Opens everything; the folder is plain. */
  | 'plain'
  /** Opens everything; our server has the key. */
  | 'discord'
  /** Opens nothing more: the link was revoked. */
  | 'revoked'
  | 'with_key'
  /** Contains the key, which needs the passphrase, too. */
  | 'with_key_and_passphrase'
  /** This page has the key; the link doesn't contain it. */
  | 'key_apart'
  /** This device has no key. */
  | 'no_key';

interface LinkFacts {
  readonly folder: Pick<FolderCompleteData, 'folder_link_mode' | 'temp_key_passphrase'>;
  /** This page has a key to share. */
  readonly hasKey: boolean;
  /** The visible link contains the key. */
  readonly includesKey: boolean;
}

export function linkMeaning({ folder, hasKey, includesKey }: LinkFacts): LinkMeaning {
  if (folder.folder_link_mode !== 'private') return folder.folder_link_mode;
  if (!hasKey) return 'no_key';
  if (!includesKey) return 'key_apart';
  return folder.temp_key_passphrase ? 'with_key_and_passphrase' : 'with_key';
}
