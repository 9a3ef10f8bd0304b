import type { LinkMode } from '@satchel/contract/entities';
import type { Role } from '@satchel/contract/roles';

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

export interface LinkFacts {
  readonly mode: LinkMode;
  /** Opening needs a passphrase, too. */
  readonly hasPassphrase: boolean;
  /** This page has a key to share. */
  readonly hasKey: boolean;
  /** The visible link contains the key. */
  readonly includesKey: boolean;
}

export function linkMeaning({ mode, hasPassphrase, hasKey, includesKey }: LinkFacts): LinkMeaning {
  if (mode !== 'private') return mode;
  if (!hasKey) return 'no_key';
  if (!includesKey) return 'key_apart';
  return hasPassphrase ? 'with_key_and_passphrase' : 'with_key';
}

/** The owner's available changes to the link. */
export type LinkControls =
  /** A plain folder's link has no key to change. */
  | 'none'
  /** All changes. */
  | 'all'
  /** Only revoking: a new link needs the key. */
  | 'revoke_only'
  /** None after revoking. */
  | 'over';

export function linkControls(role: Role, mode: LinkMode, hasFolderKey: boolean): LinkControls {
  if (role !== 'owner' || mode === 'plain') return 'none';
  if (mode === 'revoked') return 'over';
  return hasFolderKey ? 'all' : 'revoke_only';
}
