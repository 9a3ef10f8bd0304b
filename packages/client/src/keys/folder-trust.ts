import type { LinkMode } from '@satchel/contract/entities';

/**
 * What this page does with a folder, by what this device knows of it and what the server says (docs/container.md §6). The mode is
 * pinned by the device: only an act of this person on this device unpins it, never an answer of the server.
 */

/** A statement of the server that contradicts what this device knows of a folder. */
export type Claim = 'plain' | 'discord' | 'names';

/** What is asked before anything is uploaded. `servers_key`: whether the server's own key may seal. */
export type TrustQuestion = Claim | 'servers_key';

export interface FolderKnowledge {
  /** Whose keys this page has: made here or opened through the link's secret; sent by the server; none that may seal. */
  readonly ring: 'own' | 'servers' | 'none';
  /** What the folder is on this device; null when nothing here says so, as for a server's key that only reads. */
  readonly mode: 'private' | 'discord' | null;
  /** Whether file names are hidden, by the keyring; of no meaning without a mode. */
  readonly hidesNames: boolean;
  /** What this person has answered with "Keep it private". */
  readonly kept: readonly Claim[];
  /** What the address has after its `#`. */
  readonly address: 'secret' | 'key' | 'none';
  /** This device remembers the folder as encrypted, whether or not it has a key of it for this person. */
  readonly isPinned: boolean;
  /** The folder's link is another one than the one that brought `ring`: there may be a newer key. */
  readonly isReplaced: boolean;
}

export interface ServerClaim {
  readonly mode: LinkMode;
  readonly hidesNames: boolean;
}

/** Why uploads are blocked, with no question that could unblock them. */
export type SealBlock =
  | 'revoked'
  /** There is no key here that may seal. */
  | 'needs_link'
  /** The link was replaced on another device: the newest key comes with the new link only. */
  | 'new_link'
  /** The server says that the folder is not encrypted, and this device knows better, and has no key. */
  | 'not_plain';

export type Sealing =
  | { readonly kind: 'plain' }
  | { readonly kind: 'sealed'; readonly hidesNames: boolean }
  | { readonly kind: 'asked'; readonly question: TrustQuestion }
  | { readonly kind: 'blocked'; readonly block: SealBlock };

export interface FolderTrust {
  readonly readsAs: 'plain' | 'encrypted';
  readonly sealing: Sealing;
  /** What the folder counts as on this page, in all that it shows and offers. */
  readonly mode: LinkMode;
  readonly hidesNames: boolean;
  /** A claim that the server still makes, and that was answered with "Keep it private". */
  readonly keptAgainst: Claim | null;
}

const isEncryptedHere = ({ ring, address, isPinned }: FolderKnowledge): boolean =>
  ring !== 'none' || address !== 'none' || isPinned;

/** In the order in which they are asked about. */
function claimsOf({ mode, hidesNames }: FolderKnowledge, says: ServerClaim): Claim[] {
  if (mode === null || says.mode === 'revoked') return [];
  const claims: Claim[] = [];
  if (says.mode === 'plain') claims.push('plain');
  if (says.mode === 'discord' && mode === 'private') claims.push('discord');
  if (says.mode !== 'plain' && hidesNames && !says.hidesNames) claims.push('names');
  return claims;
}

const blocked = (block: SealBlock): Sealing => ({ kind: 'blocked', block });
const asked = (question: TrustQuestion): Sealing => ({ kind: 'asked', question });

/** Decides for a folder that no act of this person has pinned here. */
function sealingUnpinned(knows: FolderKnowledge, { mode }: ServerClaim): Sealing {
  if (mode === 'plain') return isEncryptedHere(knows) ? blocked('not_plain') : { kind: 'plain' };
  // A secret in the address that did not open the folder makes it private here all the same.
  const mayAsk = mode === 'discord' && knows.ring === 'servers' && knows.address !== 'secret';
  return mayAsk ? asked('servers_key') : blocked('needs_link');
}

function sealingOf(knows: FolderKnowledge, says: ServerClaim): Sealing {
  if (says.mode === 'revoked') return blocked('revoked');
  if (knows.ring === 'none' || knows.mode === null) return sealingUnpinned(knows, says);
  if (says.mode === 'private' && knows.ring === 'servers') return blocked('needs_link');
  if (says.mode === 'private' && knows.isReplaced) return blocked('new_link');
  const [question] = claimsOf(knows, says).filter((claim) => !knows.kept.includes(claim));
  if (question) return asked(question);
  return { kind: 'sealed', hidesNames: knows.hidesNames || says.hidesNames };
}

function modeHere(knows: FolderKnowledge, says: ServerClaim): LinkMode {
  if (says.mode === 'plain') return isEncryptedHere(knows) ? (knows.mode ?? 'private') : 'plain';
  const isPrivateHere = knows.mode === 'private' || (knows.ring === 'none' && knows.address === 'secret');
  return says.mode === 'discord' && isPrivateHere ? 'private' : says.mode;
}

/** Decides what the page reads, shows and seals. */
export function trustOf(knows: FolderKnowledge, says: ServerClaim): FolderTrust {
  const hidesNames = says.hidesNames || (knows.mode !== null && knows.hidesNames);
  return {
    readsAs: says.mode === 'plain' && !isEncryptedHere(knows) ? 'plain' : 'encrypted',
    sealing: sealingOf(knows, says),
    mode: modeHere(knows, says),
    hidesNames,
    keptAgainst: claimsOf(knows, says).find((claim) => knows.kept.includes(claim)) ?? null,
  };
}
