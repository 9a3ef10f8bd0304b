import { AppError } from '@satchel/contract/errors';
import type { DecodedHeader } from './format.ts';
import type { FolderKeys } from './key.ts';
import type { FolderKeyring } from './keyring.ts';
import { type FileLabel, hashHeader, openLabel } from './label.ts';

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
  readonly label: FileLabel;
  /** Bytes of the plaintext. */
  readonly sizeBytes: number;
  /** What hashHeader must give for the container's header. */
  readonly header: string;
}

/**
 * Finds the folder key that an entry's label opens with, newest key first.
 * @throws open.foreign when none does: the entry is not this folder's file
 */
export async function proveFile(ring: FolderKeyring, { storedName, sealed }: ListedFile): Promise<FileProof> {
  if (sealed === null) throw new AppError('open.foreign');
  for (const keys of ring.keys) {
    const label = await openLabel(keys, sealed, storedName).catch(() => null);
    if (label === null) continue;
    const { sizeBytes, header, ...named } = label;
    return { keys, label: named, sizeBytes, header };
  }
  throw new AppError('open.foreign');
}

/**
 * Compares a container's header with what the label says of it.
 * @returns name and type
 * @throws open.foreign when it is another container than the label's
 */
export async function checkHeader(proof: FileProof, { header, prefix }: DecodedHeader): Promise<FileLabel> {
  const isListed = proof.header === (await hashHeader(prefix)) && proof.sizeBytes === header.originalSize;
  if (!isListed) throw new AppError('open.foreign');
  return proof.label;
}
