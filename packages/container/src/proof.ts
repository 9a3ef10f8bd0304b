import { AppError } from '@satchel/contract/errors';
import type { DecodedHeader } from './format.ts';
import type { FolderKeys } from './key.ts';
import type { FolderKeyring } from './keyring.ts';
import { type FileLabel, hashHeader, openLabel, sealLabel } from './label.ts';

/** Whether an entry of a listing is a file of this folder, as the folder's keyring says (docs/container.md §6). */

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
  /** The folder key that the label is sealed under: the newest. */
  readonly labelKeys: FolderKeys;
  /** See BoundLabel: what a new label for the same container has to say. */
  readonly keyPlace?: number;
  readonly label: FileLabel;
  /** Bytes of the plaintext. */
  readonly sizeBytes: number;
  /** What hashHeader must give for the container's header. */
  readonly header: string;
}

/** The newest key of a ring: the only one whose labels count. Who has only earlier keys can add no file (docs/container.md §6). */
const newestOf = ({ keys }: FolderKeyring): FolderKeys => keys[0] as FolderKeys;

/**
 * Opens an entry's label with the newest folder key, and finds the key that the file is sealed under.
 * @throws open.foreign when the label does not open, or names a key that the ring lacks: the entry is not this folder's file
 */
export async function proveFile(ring: FolderKeyring, { storedName, sealed }: ListedFile): Promise<FileProof> {
  if (sealed === null) throw new AppError('open.foreign');
  const labelKeys = newestOf(ring);
  const { sizeBytes, header, keyPlace, ...label } = await openLabel(labelKeys, sealed, storedName);
  if (keyPlace === undefined) return { keys: labelKeys, labelKeys, label, sizeBytes, header };
  // Places count from the oldest key, which is the last one here.
  const keys = ring.keys[ring.keys.length - 1 - keyPlace];
  if (keys === undefined) throw new AppError('open.foreign');
  return { keys, labelKeys, keyPlace, label, sizeBytes, header };
}

/**
 * Seals an entry's label again for a keyring that has got a newer key.
 * @param before the keyring without that key, whose newest key the entry's label opens with
 * @param next the same keys, and the newer one
 * @throws open.foreign when the entry is not a file of the folder, as `before` says
 */
export async function renewLabel(before: FolderKeyring, next: FolderKeyring, listed: ListedFile): Promise<string> {
  const { label, sizeBytes, header, keyPlace = before.keys.length - 1 } = await proveFile(before, listed);
  return sealLabel(newestOf(next), { ...label, sizeBytes, header, keyPlace }, listed.storedName);
}

/**
 * Compares a container's header with what the label says of it.
 * @returns name and type
 * @throws open.foreign when it is another container than the label's; open.empty when it has no chunks, and the label says
 * that the file is not empty
 */
export async function checkHeader(proof: FileProof, { header, prefix }: DecodedHeader): Promise<FileLabel> {
  const isListed = proof.header === (await hashHeader(prefix)) && proof.sizeBytes === header.originalSize;
  if (isListed) return proof.label;
  throw new AppError(header.totalChunks === 0 && proof.sizeBytes > 0 ? 'open.empty' : 'open.foreign');
}
