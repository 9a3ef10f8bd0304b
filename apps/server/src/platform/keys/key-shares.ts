import { mkdir, readdir, rename, stat } from 'node:fs/promises';
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
  /**
   * Shares and how old they are, a part of the tree at a time, once around. Each walk begins where the last one was left,
   * so that several short ones come to every share.
   */
  walk(): AsyncGenerator<readonly AgedShare[]>;
  /** Every share: for a store of any size there is `walk`. */
  list(): Promise<AgedShare[]>;
}

export interface AgedShare extends ShareId {
  readonly ageMs: number;
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

/** The part of the tree that has a folder's shares: one of 4,096, of which each stays small with a million shares. */
const PART_NAME = /^[0-9a-f]{3}$/;
const partOf = (fileName: string): string => fileName.slice(0, 3);
const MOVED_AT_ONCE = 100;

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

async function makeFolder(dir: string): Promise<void> {
  const made = await mkdir(dir, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  // Whatever was made above it is durable, too: `made` is the topmost new folder.
  for (let each = dir; each.length >= made.length; each = dirname(each)) await fsyncFolder(dirname(each));
}

/**
 * Moves shares that lie directly in `dir`, as they did before there was a tree, into their parts. A file stays in its
 * blocks, so erasing it later overwrites them. What a crash or a power cut leaves is moved by the next start; a file has
 * one of the two names at any time, so nothing waits for the disk before the end.
 */
async function moveIntoTree(dir: string): Promise<void> {
  const names = (await namesIn(dir)).filter((name) => idOf(name) !== null);
  if (names.length === 0) return;
  for (const part of new Set(names.map(partOf))) await mkdir(join(dir, part), { recursive: true, mode: 0o700 });
  for (let from = 0; from < names.length; from += MOVED_AT_ONCE) {
    const some = names.slice(from, from + MOVED_AT_ONCE);
    await Promise.all(some.map((name) => rename(join(dir, name), join(dir, partOf(name), name))));
  }
  await fsyncFolder(dir);
}

/** All of a part's shares; of a share and what a crash left of it the youngest counts. */
async function sharesIn(dir: string): Promise<AgedShare[]> {
  const shares = new Map<string, AgedShare>();
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

/** Calls `work` until it has been done once; those who come in the meantime wait for the same. */
function onceDone(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/**
 * Shares on this machine's disk: one 0600 file each, in a tree that only this user enters, by the first characters of their
 * folder's id: what belongs to one folder is found without looking through the others'. An erased share is overwritten
 * before it is unlinked.
 * @param options.dir KEYS_DIR
 * @param options.report told of shares that were unlinked without being overwritten
 */
export function createKeyShares({ dir, report }: { dir: string; report: (error: unknown) => void }): KeptShares {
  const whenReady = onceDone(() => moveIntoTree(dir));
  const folderOf = (fileName: string) => join(dir, partOf(fileName));
  /** The part that the last walk came to last. */
  let last = '';

  async function write(id: ShareId, share: string): Promise<void> {
    const name = fileNameOf(id);
    await whenReady();
    await makeFolder(folderOf(name));
    await writeSecretFile(join(folderOf(name), name), share, report);
    await fsyncFolder(folderOf(name));
  }

  async function read(id: ShareId): Promise<string | null> {
    const name = fileNameOf(id);
    await whenReady();
    return readSecretFile(join(folderOf(name), name));
  }

  /** Files of one part. All of them, whichever fails; what a crash left half deleted counts under the name that it had. */
  async function eraseFiles(folder: string, names: readonly string[]): Promise<void> {
    const paths = new Set(names.map((name) => join(folder, nameBeforeDeletion(name))));
    const erased = await Promise.allSettled([...paths].map((path) => deleteSecretFile(path, report)));
    await fsyncFolder(folder);
    const failed = erased.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  async function erase(id: ShareId): Promise<void> {
    const name = fileNameOf(id);
    await whenReady();
    await eraseFiles(folderOf(name), [name, name + UNFINISHED]);
  }

  async function eraseAll(folderId: string): Promise<void> {
    if (!ID.test(folderId)) return;
    await whenReady();
    const folder = folderOf(folderId);
    const own = (await namesIn(folder)).filter((name) => idOf(name)?.folder_id === folderId);
    if (own.length > 0) await eraseFiles(folder, own);
  }

  async function* walk(): AsyncGenerator<readonly AgedShare[]> {
    await whenReady();
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

  async function list(): Promise<AgedShare[]> {
    await whenReady();
    const parts = (await namesIn(dir)).filter((name) => PART_NAME.test(name));
    const shares: AgedShare[] = [];
    for (const part of parts) shares.push(...(await sharesIn(join(dir, part))));
    return shares;
  }

  return { write, read, erase, eraseAll, walk, list };
}
