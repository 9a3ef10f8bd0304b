/** Where the shares of private links live: outside the database, whose log would remember them (CONTAINER §3). */
export interface KeyShares {
  /** Writes the share of a folder, durable when this resolves. */
  write(folderId: string, share: string): Promise<void>;
  /** The share, or null when there is none. */
  read(folderId: string): Promise<string | null>;
  /** Erases it; a second time does nothing. */
  erase(folderId: string): Promise<void>;
  /** Every folder id that has a share. */
  list(): Promise<{ folder_id: string; modifiedAtMs: number }[]>;
}
