/** A slice of the storage bar. */
export interface Share {
  readonly of: 'this_folder' | 'other_folders' | 'uploads';
  readonly sizeBytes: number;
}

interface Storage {
  readonly usedBytes: number;
  /** Bytes that running uploads reserve (DESIGN §6). */
  readonly reservedBytes: number;
  /** Bytes of the open folder; null when another person owns it. */
  readonly folderBytes: number | null;
}

/** Splits an account's storage into slices that add up to used and reserved; only the reserved slice may be absent. */
export function storageShares({ usedBytes, reservedBytes, folderBytes }: Storage): readonly Share[] {
  // The folder's and the account's figures come from two requests; a file may appear or disappear between them.
  const ownBytes = Math.min(folderBytes ?? 0, usedBytes);
  const shares: Share[] = folderBytes === null ? [] : [{ of: 'this_folder', sizeBytes: ownBytes }];
  shares.push({ of: 'other_folders', sizeBytes: usedBytes - ownBytes });
  if (reservedBytes > 0) shares.push({ of: 'uploads', sizeBytes: reservedBytes });
  return shares;
}
