import { AppError } from '@satchel/contract/errors';
import type { DecodedHeader } from './format.ts';
import type { FolderKeys } from './key.ts';
import type { FolderKeyring } from './keyring.ts';
import { type FileLabel, hashHeader, isBoundLabel, openLabel, openName } from './label.ts';

/** Whether an entry of a listing is a file of this folder, as the folder's keyring says (CONTAINER §6 "Labels bind"). */

/** An entry of a listing, as far as a keyring can vouch for it. */
export interface ListedFile {
  /** The last segment of the object's path. */
  readonly storedName: string;
  /** `metadata.sealed` of the listing; null when it has none. */
  readonly sealed: string | null;
}

/** What a keyring vouches for: the key that opens a file, and the container that it must be. It can be posted to workers. */
export interface FileProof {
  /** The folder key that the file is sealed under. */
  readonly keys: FolderKeys;
  /** Null for a file that is older than labels: its own header names it. */
  readonly label: FileLabel | null;
  /** Bytes of the plaintext; null where the label doesn't say. */
  readonly sizeBytes: number | null;
  /** What hashHeader must give for the container's header; null where the label doesn't say. */
  readonly header: string | null;
  /** The earlier label, which the container's header must repeat; null for none. */
  readonly earlierLabel: string | null;
}

/**
 * Finds the folder key that an entry's label opens with, newest key first.
 * @throws open.foreign when none does: the entry is not this folder's file
 */
export async function proveFile(ring: FolderKeyring, { storedName, sealed }: ListedFile): Promise<FileProof> {
  if (sealed === null || !isBoundLabel(sealed)) return proveEarlier(ring, sealed);
  for (const keys of ring.keys) {
    const label = await openLabel(keys, sealed, storedName).catch(() => null);
    if (label === null) continue;
    const { sizeBytes, header, ...named } = label;
    return { keys, label: named, sizeBytes, header, earlierLabel: null };
  }
  throw new AppError('open.foreign');
}

/** Files older than keyrings are under the first key; their container proves itself by its tags. */
async function proveEarlier({ keys, hasEarlierFiles }: FolderKeyring, sealed: string | null): Promise<FileProof> {
  const first = keys.at(-1);
  if (!hasEarlierFiles || !first) throw new AppError('open.foreign');
  const unbound = { keys: first, sizeBytes: null, header: null, earlierLabel: sealed };
  if (sealed === null) return { ...unbound, label: null };
  const label = await openName(first, sealed).catch((error: unknown) => {
    throw new AppError('open.foreign', {}, { cause: error });
  });
  return { ...unbound, label };
}

/**
 * Compares a container's header with what the label says of it.
 * @returns name and type, the header's own where there is no label
 * @throws open.foreign when it is another container than the label's
 */
export async function checkHeader(proof: FileProof, { header, prefix }: DecodedHeader): Promise<FileLabel> {
  const isListed = proof.header === null || proof.header === (await hashHeader(prefix));
  const hasSize = proof.sizeBytes === null || proof.sizeBytes === header.originalSize;
  if (!isListed || !hasSize || header.sealed !== proof.earlierLabel) throw new AppError('open.foreign');
  return proof.label ?? { name: header.originalName, type: header.originalType };
}
