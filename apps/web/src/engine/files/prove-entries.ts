import type { FolderKeyring } from '@satchel/container/keyring';
import type { proveFile } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { isSealedName } from '@satchel/contract/naming';
import { keyOf, type Verdict, type Verdicts } from './proven-files.ts';

/** Labels are opened this many at a time, so that a folder of thousands does not hold up the page. */
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
