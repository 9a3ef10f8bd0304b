import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createDurableFolders, fsyncFolder, isMissing, unlessMissing } from '../durable-file.ts';
import {
  DELETED,
  deleteSecretFile,
  nameBeforeDeletion,
  readSecretFile,
  UNFINISHED,
  writeSecretFile,
} from './secret-file.ts';

/**
 * Identifies a key share. Each link of a folder has its own, so that a link can be replaced: the new key share is
 * written before the database knows it, and the old one is deleted after the database has deleted its row.
 */
export interface KeyShareId {
  readonly folder_id: string;
  readonly share_id: string;
}

/**
 * Stores the key shares of private links outside the database, whose log would keep them (docs/container.md §3). They may be on
 * another machine, so most of the server has this interface only.
 */
export interface KeyShares {
  /** Writes a key share; it is durable when this resolves. */
  write(id: KeyShareId, share: string): Promise<void>;
  /** Deletes one key share; a second call does nothing. */
  delete(id: KeyShareId): Promise<void>;
  /** Deletes all key shares of a folder; a write that is under way then fails. */
  deleteAll(folderId: string): Promise<void>;
}

/** Key shares on this machine. */
export interface LocalKeyShares extends KeyShares {
  /** The key share, or null when there is none. */
  read(id: KeyShareId): Promise<string | null>;
  /**
   * Walks once through all key shares with their age, one directory at a time. Each walk begins where the last one
   * stopped, so that several short walks reach every key share.
   */
  walk(): AsyncGenerator<readonly AgedKeyShare[]>;
  /** All key shares at once; large stores use `walk`. */
  list(): Promise<AgedKeyShare[]>;
}

export interface AgedKeyShare extends KeyShareId {
  readonly ageMs: number;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ID = new RegExp(`^${UUID}$`);
/** Name of a key share file, or of what a crash left of one. */
const FILE_NAME = new RegExp(`^(${UUID})\\.(${UUID})(?:\\${UNFINISHED})?(?:\\${DELETED})?$`);

function fileNameOf({ folder_id, share_id }: KeyShareId): string {
  // The name becomes a path, so it may hold ids only.
  if (!ID.test(folder_id) || !ID.test(share_id)) throw new Error('Not a share’s id');
  return `${folder_id}.${share_id}`;
}

/** Directory of a folder's key shares: one of 4,096, each small even with a million key shares. */
const PART_NAME = /^[0-9a-f]{3}$/;
const partOf = (fileName: string): string => fileName.slice(0, 3);

function idOf(fileName: string): KeyShareId | null {
  const [, folder_id, share_id] = FILE_NAME.exec(fileName) ?? [];
  return folder_id && share_id ? { folder_id, share_id } : null;
}

const namesIn = (dir: string): Promise<string[]> => unlessMissing(readdir(dir), []);

/** All key shares of a directory; of a key share and its leftovers of a crash, the youngest file counts. */
async function sharesIn(dir: string): Promise<AgedKeyShare[]> {
  const shares = new Map<string, AgedKeyShare>();
  for (const name of await namesIn(dir)) {
    const id = idOf(name);
    const found = id && (await stat(join(dir, name)).catch(() => null));
    if (!id || !found) continue;
    const key = fileNameOf(id);
    const ageMs = Math.min(Date.now() - found.mtimeMs, shares.get(key)?.ageMs ?? Number.POSITIVE_INFINITY);
    shares.set(key, { ...id, ageMs });
  }
  return [...shares.values()];
}

/**
 * Key shares on the disk of this machine: one 0600 file each, in a tree by the first characters of the folder id that
 * only this user can enter, so that one folder's shares are found without reading the others. A deletion overwrites a
 * file before it unlinks it.
 * @param options.dir KEYS_DIR
 * @param options.report is called for a key share that was unlinked without being overwritten
 */
export function createKeyShares({ dir, report }: { dir: string; report: (error: unknown) => void }): LocalKeyShares {
  const folders = createDurableFolders(dir);
  const folderOf = (fileName: string) => join(dir, partOf(fileName));
  /** The directory at which the last walk stopped. */
  let last = '';

  async function write(id: KeyShareId, share: string): Promise<void> {
    const name = fileNameOf(id);
    const folder = folderOf(name);
    await folders.require(folder);
    await writeSecretFile(join(folder, name), share, report).catch((error: unknown) => {
      if (isMissing(error)) folders.forget(folder);
      throw error;
    });
    await fsyncFolder(folder);
  }

  async function read(id: KeyShareId): Promise<string | null> {
    const name = fileNameOf(id);
    return readSecretFile(join(folderOf(name), name));
  }

  /**
   * Deletes files of one directory: all of them, even when one fails. A half-deleted file of a crash counts under its
   * former name.
   */
  async function deleteShareFiles(folder: string, names: readonly string[]): Promise<void> {
    const paths = new Set(names.map((name) => join(folder, nameBeforeDeletion(name))));
    const outcomes = await Promise.allSettled([...paths].map((path) => deleteSecretFile(path, report)));
    await fsyncFolder(folder);
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  async function deleteShare(id: KeyShareId): Promise<void> {
    const name = fileNameOf(id);
    await deleteShareFiles(folderOf(name), [name, name + UNFINISHED]);
  }

  async function deleteAll(folderId: string): Promise<void> {
    if (!ID.test(folderId)) return;
    const folder = folderOf(folderId);
    const own = (await namesIn(folder)).filter((name) => idOf(name)?.folder_id === folderId);
    if (own.length > 0) await deleteShareFiles(folder, own);
  }

  async function* walk(): AsyncGenerator<readonly AgedKeyShare[]> {
    const parts = (await namesIn(dir)).filter((name) => PART_NAME.test(name)).sort();
    const from = Math.max(
      0,
      parts.findIndex((part) => part > last),
    );
    for (const part of [...parts.slice(from), ...parts.slice(0, from)]) {
      last = part;
      yield await sharesIn(join(dir, part));
    }
    last = '';
  }

  async function list(): Promise<AgedKeyShare[]> {
    const parts = (await namesIn(dir)).filter((name) => PART_NAME.test(name));
    const shares: AgedKeyShare[] = [];
    for (const part of parts) shares.push(...(await sharesIn(join(dir, part))));
    return shares;
  }

  return { write, read, delete: deleteShare, deleteAll, walk, list };
}
