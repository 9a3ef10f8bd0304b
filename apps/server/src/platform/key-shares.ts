import { mkdir, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fsyncFolder, isMissing, writePrivately } from './durable-file.ts';

/** Where the shares of private links live: outside the database, whose log would remember them (CONTAINER §3). */
export interface KeyShares {
  /** Writes the share of a folder, durable when this resolves. */
  write(folderId: string, share: string): Promise<void>;
  /** The share, or null when there is none. */
  read(folderId: string): Promise<string | null>;
  /** Erases it; a second time does nothing. */
  erase(folderId: string): Promise<void>;
  /** Every folder id that has a share, and how old each share is. */
  list(): Promise<{ folder_id: string; ageMs: number }[]>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function unlinkQuietly(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/**
 * Shares on this machine's disk: one 0600 file per folder, in a folder that only this user enters.
 * @param options.dir KEYS_DIR
 */
export function createKeyShares({ dir }: { dir: string }): KeyShares {
  const fileOf = (folderId: string) => {
    // The name becomes a path, so nothing but an id of ours may be one.
    if (!UUID.test(folderId)) throw new Error('Not a folder id');
    return join(dir, folderId);
  };

  async function write(folderId: string, share: string): Promise<void> {
    const target = fileOf(folderId);
    const made = await mkdir(dir, { recursive: true, mode: 0o700 });
    await writePrivately(`${target}.new`, share);
    await rename(`${target}.new`, target);
    await fsyncFolder(dir);
    if (made !== undefined) await fsyncFolder(dirname(dir));
  }

  async function read(folderId: string): Promise<string | null> {
    try {
      return await readFile(fileOf(folderId), 'utf8');
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async function erase(folderId: string): Promise<void> {
    await unlinkQuietly(fileOf(folderId));
    // Left behind when the process was killed between writing and renaming.
    await unlinkQuietly(`${fileOf(folderId)}.new`);
    await fsyncFolder(dir);
  }

  async function list(): Promise<{ folder_id: string; ageMs: number }[]> {
    const names = await readdir(dir).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const shares = new Map<string, number>();
    for (const name of names) {
      const folderId = name.replace(/\.new$/, '');
      if (!UUID.test(folderId)) continue;
      const found = await stat(join(dir, name)).catch(() => null);
      if (found) shares.set(folderId, Math.min(Date.now() - found.mtimeMs, shares.get(folderId) ?? Infinity));
    }
    return [...shares].map(([folder_id, ageMs]) => ({ folder_id, ageMs }));
  }

  return { write, read, erase, list };
}
