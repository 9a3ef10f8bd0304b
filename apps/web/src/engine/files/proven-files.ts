import type { FolderKeyring } from '@satchel/container/keyring';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { isSealedName } from '@satchel/contract/naming';

/** Which entries of a listing are files of the folder (CONTAINER §6 "Labels bind"). */

/** The proof of a file; 'foreign' for an entry that the folder's keys don't vouch for. */
export type Verdict = FileProof | 'foreign';

/** Keyed by the inputs of a verdict: see {@link verdictFor}. */
export type Verdicts = ReadonlyMap<string, Verdict>;

export const NO_VERDICTS: Verdicts = new Map();

/** Names the inputs of a verdict. */
export const keyOf = ({ name, metadata }: FileEntry): string => JSON.stringify([name, metadata.sealed ?? null]);

/**
 * The verdicts that stay valid after the folder's keys changed: proofs by a key that it still has. Foreign entries are
 * tried again.
 */
export const stillProven = (verdicts: Verdicts, { keys }: FolderKeyring): Verdicts =>
  new Map([...verdicts].filter(([, verdict]) => verdict !== 'foreign' && keys.includes(verdict.keys)));

/** The entries whose label has been tried; when all have been, the very same list. */
export function withVerdict(entries: readonly FileEntry[], verdicts: Verdicts): readonly FileEntry[] {
  const isKnown = (entry: FileEntry) => verdicts.has(keyOf(entry));
  return entries.every(isKnown) ? entries : entries.filter(isKnown);
}

/** What the page knows of a folder and its keys. */
export interface FolderTrust {
  /** Whether the folder is an encrypted one for this page, whatever the server says. */
  readonly encrypted: boolean;
  readonly hasKeys: boolean;
}

/**
 * The proof of an entry; null in a plain folder, which needs none, and without a key, which allows none. An unsealed file
 * in an encrypted folder is foreign, with or without a key.
 */
export function verdictFor(entry: FileEntry, { encrypted, hasKeys }: FolderTrust, verdicts: Verdicts): Verdict | null {
  if (!encrypted) return null;
  if (!isSealedName(entry.name)) return 'foreign';
  return hasKeys ? (verdicts.get(keyOf(entry)) ?? 'foreign') : null;
}

/** Tells one listing of a file from another, for what was opened under it: its label names one container. */
export const listedAs = ({ name, metadata }: FileEntry): string =>
  JSON.stringify([name, metadata.sealed ?? null, metadata.size]);
