/** A slice of the storage bar. */
export interface Share {
  readonly of: 'this_folder' | 'other_folders' | 'previews' | 'uploads';
  readonly sizeBytes: number;
}

interface Storage {
  readonly usedBytes: number;
  /** Bytes that running uploads reserve. */
  readonly reservedBytes: number;
  /** Bytes of the open folder; null when another person owns it. */
  readonly folderBytes: number | null;
  /** Bytes of all folders of the account; null until they are known. */
  readonly foldersBytes: number | null;
}

/**
 * Splits an account's storage into slices that add up to used and reserved. What is stored beside the files are their
 * previews; a slice of nothing is left out, except the folder's own slice and, if there is none, the slice of all folders.
 */
export function storageShares({ usedBytes, reservedBytes, folderBytes, foldersBytes }: Storage): readonly Share[] {
  // The folder's and the account's figures come from two requests; a file may appear or disappear between them.
  const ownBytes = Math.min(folderBytes ?? 0, usedBytes);
  const shares: Share[] = folderBytes === null ? [] : [{ of: 'this_folder', sizeBytes: ownBytes }];
  const restBytes = usedBytes - ownBytes;
  const otherBytes = foldersBytes === null ? restBytes : Math.min(restBytes, Math.max(0, foldersBytes - ownBytes));
  if (otherBytes > 0 || folderBytes === null) shares.push({ of: 'other_folders', sizeBytes: otherBytes });
  if (restBytes > otherBytes) shares.push({ of: 'previews', sizeBytes: restBytes - otherBytes });
  if (reservedBytes > 0) shares.push({ of: 'uploads', sizeBytes: reservedBytes });
  return shares;
}

/** How often a slice is at least as wide as the narrowest one. In a bar that is almost empty, a larger slice is the wider one, too. */
export const leastSteps = ({ sizeBytes }: Share, shares: readonly Share[]): number =>
  1 + shares.filter((other) => other.sizeBytes > 0 && other.sizeBytes < sizeBytes).length;
