/** A part of what an account holds. */
export interface Share {
  readonly of: 'this_folder' | 'other_folders' | 'uploads';
  readonly sizeBytes: number;
}

interface Storage {
  readonly usedBytes: number;
  /** What uploads that are under way will need (DESIGN §6). */
  readonly reservedBytes: number;
  /** Of the folder that is looked at; null when it is somebody else's. */
  readonly folderBytes: number | null;
}

/** What takes an account's storage: the parts add up to what is used and reserved, and only what is reserved may be absent. */
export function storageShares({ usedBytes, reservedBytes, folderBytes }: Storage): readonly Share[] {
  // The folder's figure and the account's come by two requests, between which a file may have come or gone.
  const ownBytes = Math.min(folderBytes ?? 0, usedBytes);
  const shares: Share[] = folderBytes === null ? [] : [{ of: 'this_folder', sizeBytes: ownBytes }];
  shares.push({ of: 'other_folders', sizeBytes: usedBytes - ownBytes });
  if (reservedBytes > 0) shares.push({ of: 'uploads', sizeBytes: reservedBytes });
  return shares;
}
