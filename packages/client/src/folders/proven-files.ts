import type { FolderKeyring } from '@satchel/container/keyring';
import type { FileProof, proveFile } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { isSealedName } from '@satchel/contract/naming';

/** Which entries of a listing are files of the folder (docs/container.md §6). */

/** The proof of a file; 'foreign' for an entry that the folder's keys don't vouch for. */
export type Verdict = FileProof | 'foreign';

/** Keyed by the inputs of a verdict: see {@link verdictFor}. */
export type Verdicts = ReadonlyMap<string, Verdict>;

export const NO_VERDICTS: Verdicts = new Map();

/** Names the inputs of a verdict. */
export const keyOf = ({ name, metadata }: FileEntry): string => JSON.stringify([name, metadata.sealed ?? null]);

/**
 * The verdicts that stay valid after the folder's keys changed: proofs by the newest key, if it is the newest still. Foreign
 * entries are tried again.
 */
export const stillProven = (verdicts: Verdicts, { keys }: FolderKeyring): Verdicts =>
  new Map([...verdicts].filter(([, verdict]) => verdict !== 'foreign' && verdict.labelKeys === keys[0]));

/** The entries whose label has been tried; when all have been, the very same list. */
export function withVerdict(entries: readonly FileEntry[], verdicts: Verdicts): readonly FileEntry[] {
  const isKnown = (entry: FileEntry) => verdicts.has(keyOf(entry));
  return entries.every(isKnown) ? entries : entries.filter(isKnown);
}

/** Opens labels in batches of this size, so that a folder of thousands does not block the page. */
const LABELS_AT_ONCE = 200;

/**
 * Tries the labels of a listing. An entry whose name does not end in .enc was not sealed: it needs no trying.
 * @param known verdicts of the same keyring, which are not tried again
 */
export async function proveEntries(
  prove: typeof proveFile,
  keyring: FolderKeyring,
  { entries, known }: { entries: readonly FileEntry[]; known: Verdicts },
): Promise<Verdicts> {
  const verdicts = new Map<string, Verdict>();
  for (let at = 0; at < entries.length; at += LABELS_AT_ONCE) {
    const proving = entries.slice(at, at + LABELS_AT_ONCE).map(async (entry) => {
      const listed = { storedName: entry.name, sealed: entry.metadata.sealed ?? null };
      const tryLabel = () =>
        isSealedName(entry.name) ? prove(keyring, listed).catch(() => 'foreign' as const) : ('foreign' as const);
      verdicts.set(keyOf(entry), known.get(keyOf(entry)) ?? (await tryLabel()));
    });
    await Promise.all(proving);
  }
  return verdicts;
}

/** What the page knows of a folder and its keys. */
export interface FolderTrust {
  /** Whether the folder is encrypted for this page, even if the server denies it. */
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
