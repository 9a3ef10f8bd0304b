import type { LinkMode } from '@satchel/contract/entities';
import type { Role } from '@satchel/contract/roles';

/** What the link that is shown means to whoever gets it (DESIGN R1). */
export type LinkMeaning =
  /** Opens everything; nothing is encrypted. */
  | 'plain'
  /** Opens everything; our server holds the key. */
  | 'discord'
  /** Opens nothing more. */
  | 'revoked'
  | 'with_key'
  /** Has the key in it, which opens together with a passphrase. */
  | 'with_key_and_passphrase'
  /** The key is here, and is sent apart. */
  | 'key_apart'
  /** This device has no key to send. */
  | 'no_key';

export interface LinkFacts {
  readonly mode: LinkMode;
  /** Whether opening asks for a passphrase, too. */
  readonly hasPassphrase: boolean;
  /** Whether this page has a key to hand on. */
  readonly hasKey: boolean;
  /** Whether the link that is shown has it in it. */
  readonly includesKey: boolean;
}

export function linkMeaning({ mode, hasPassphrase, hasKey, includesKey }: LinkFacts): LinkMeaning {
  if (mode !== 'private') return mode;
  if (!hasKey) return 'no_key';
  if (!includesKey) return 'key_apart';
  return hasPassphrase ? 'with_key_and_passphrase' : 'with_key';
}

/** What the owner can change about the link now. */
export type LinkControls =
  /** A plain folder's link has no key to change. */
  | 'none'
  /** All of it. */
  | 'all'
  /** Ending it only, for a new link needs the key. */
  | 'revoke_only'
  /** Nothing comes after revoking. */
  | 'over';

export function linkControls(role: Role, mode: LinkMode, hasFolderKey: boolean): LinkControls {
  if (role !== 'owner' || mode === 'plain') return 'none';
  if (mode === 'revoked') return 'over';
  return hasFolderKey ? 'all' : 'revoke_only';
}
