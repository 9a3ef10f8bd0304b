import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fsyncFolder, isMissing } from './durable-file.ts';
import {
  DELETED,
  deleteSecretFile,
  nameBeforeDeletion,
  readSecretFile,
  UNFINISHED,
  writeSecretFile,
} from './secret-file.ts';

/**
 * A share of a folder's. Each link has one of its own, so that a link can be replaced: the new share is there before the
 * database knows it, and the old one is erased once the database has forgotten it.
 */
export interface ShareId {
  readonly folder_id: string;
  readonly share_id: string;
}

/**
 * Where the shares of private links live: outside the database, whose log would remember them (CONTAINER §3). They may be
 * on another machine, so this is all that most of the server can do.
 */
export interface KeyShares {
  /** Writes a share, durable when this resolves. */
  write(id: ShareId, share: string): Promise<void>;
  /** Erases one share; a second time does nothing. */
  erase(id: ShareId): Promise<void>;
  /** Erases whatever shares a folder has; one that is being written then can't be finished. */
  eraseAll(folderId: string): Promise<void>;
}

/** Shares that are on this machine. */
export interface KeptShares extends KeyShares {
  /** The share, or null when there is none. */
  read(id: ShareId): Promise<string | null>;
  /** Every share, and how old it is. */
  list(): Promise<(ShareId & { ageMs: number })[]>;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ID = new RegExp(`^${UUID}$`);
/** Of a share, or of what a crash left of one. */
const FILE_NAME = new RegExp(`^(${UUID})(?:\\.(${UUID}))?(?:\\${UNFINISHED})?(?:\\${DELETED})?$`);

function fileNameOf({ folder_id, share_id }: ShareId): string {
  // The name becomes a path, so nothing but ids of ours may be in one.
  if (!ID.test(folder_id) || !ID.test(share_id)) throw new Error('Not a share’s id');
  // Before a folder could have a second link, its only share had the folder's name.
  return share_id === folder_id ? folder_id : `${folder_id}.${share_id}`;
}

function idOf(fileName: string): ShareId | null {
  const [, folder_id, share_id = folder_id] = FILE_NAME.exec(fileName) ?? [];
  return folder_id && share_id ? { folder_id, share_id } : null;
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

/**
 * Shares on this machine's disk: one 0600 file each, in a folder that only this user enters. An erased share is overwritten
 * before it is unlinked.
 * @param options.dir KEYS_DIR
 * @param options.report told of shares that were unlinked without being overwritten
 */
export function createKeyShares({ dir, report }: { dir: string; report: (error: unknown) => void }): KeptShares {
  const pathOf = (id: ShareId) => join(dir, fileNameOf(id));

  async function write(id: ShareId, share: string): Promise<void> {
    const made = await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeSecretFile(pathOf(id), share, report);
    await fsyncFolder(dir);
    if (made !== undefined) await fsyncFolder(dirname(dir));
  }

  async function read(id: ShareId): Promise<string | null> {
    return readSecretFile(pathOf(id));
  }

  /** All of them, whichever fails; what a crash left half deleted counts under the name that it had. */
  async function eraseFiles(names: readonly string[]): Promise<void> {
    const paths = new Set(names.map((name) => join(dir, nameBeforeDeletion(name))));
    const erased = await Promise.allSettled([...paths].map((path) => deleteSecretFile(path, report)));
    await fsyncFolder(dir);
    const failed = erased.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  async function erase(id: ShareId): Promise<void> {
    await eraseFiles([fileNameOf(id), fileNameOf(id) + UNFINISHED]);
  }

  async function eraseAll(folderId: string): Promise<void> {
    const own = (await namesIn(dir)).filter((name) => idOf(name)?.folder_id === folderId);
    if (own.length > 0) await eraseFiles(own);
  }

  async function list(): Promise<(ShareId & { ageMs: number })[]> {
    const shares = new Map<string, ShareId & { ageMs: number }>();
    for (const name of await namesIn(dir)) {
      const id = idOf(name);
      const found = id && (await stat(join(dir, name)).catch(() => null));
      if (!id || !found) continue;
      const key = fileNameOf(id);
      // Of a share and what a crash left of it the youngest counts.
      const ageMs = Math.min(Date.now() - found.mtimeMs, shares.get(key)?.ageMs ?? Number.POSITIVE_INFINITY);
      shares.set(key, { ...id, ageMs });
    }
    return [...shares.values()];
  }

  return { write, read, erase, eraseAll, list };
}
