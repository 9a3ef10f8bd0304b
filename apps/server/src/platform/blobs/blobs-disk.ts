import { fdatasync, writev } from 'node:fs';
import { type FileHandle, open, readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '@satchel/contract/errors';
import { createDurableFolders, fsyncFolder, isMissing, makeFolders, unlessMissing } from '../durable-file.ts';
import {
  type Append,
  BlobMissingError,
  type BlobPart,
  type BlobParts,
  type BlobStore,
  type BlobWriter,
  PREFIXES,
  type StoredPart,
  WHOLE,
} from './blobs.ts';
import { openDiskBlob } from './disk-reads.ts';
import { createSendBudget, DISK_BUDGET } from './sending.ts';

/**
 * Blobs as files. Bytes that come while an upload lasts are appended to a file that no other process ever writes: the
 * part grows, and what is acknowledged of it stays. So the disk has one file for nearly every blob, and no row for it.
 */

const BLOB_NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BLOB_NAME_LENGTH = 36;
/** The folder of a blob's further parts. */
const PARTS_SUFFIX = '.parts';
/** Checkpoints of a slow sender. */
const CHECKPOINT_MS = 1000;
/** Parts of this process that it may append to again, for uploads whose requests follow each other. */
const OWN_PARTS_MAX = 10_000;
/** File-system calls of one deletion at once: other requests need some, too. */
const DELETIONS_AT_ONCE = 10;
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Checkpoints that sync at once, first come, first served. Node has four threads for files: were they all syncing, every
 * other upload's bytes would wait.
 */
const SYNCS_AT_ONCE = 2;

const dataSync = promisify(fdatasync);

/** Turns the system errors of a full disk into storage.full; returns other errors unchanged. */
function fullOr(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  return NO_SPACE.has(code) ? new AppError('storage.full', {}, { cause: error }) : error;
}

/** Writes everything at `position`, also when the system takes only parts. */
function writeAll(fd: number, chunks: readonly Uint8Array[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const step = (rest: readonly Uint8Array[], at: number) => {
      writev(fd, rest, at, (error, writtenBytes) => {
        if (error) return reject(fullOr(error));
        const left = after(rest, writtenBytes);
        if (left.length === 0) return resolve(at + writtenBytes);
        step(left, at + writtenBytes);
      });
    };
    step(chunks, position);
  });
}

/** The rest of `chunks` after their first `bytes`. */
function after(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skip = bytes;
  let index = 0;
  for (const chunk of chunks) {
    if (skip < chunk.length) break;
    skip -= chunk.length;
    index += 1;
  }
  const [first, ...others] = chunks.slice(index);
  return first === undefined ? [] : [first.subarray(skip), ...others];
}

type InTurn = (work: () => Promise<void>) => Promise<void>;

/** Runs at most `atOnce` tasks at once, the others in the order in which they came. */
function createTurns(atOnce: number): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running === atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** A file that is open for appending. */
interface OpenPart {
  readonly part: BlobPart;
  readonly path: string;
  readonly file: FileHandle;
  /** False for a new file. */
  readonly hasRow: boolean;
  /** False while the name of the file is not durable. */
  readonly isNamed: boolean;
}

interface WriterDeps {
  readonly inSyncTurn: InTurn;
  /** Makes the name of a new file durable. */
  readonly syncName: (path: string) => Promise<void>;
  readonly onClosed: (end: PartEnd) => Promise<void>;
}

/**
 * `sound`: this process may continue in the file. `doubtful`: a sync failed. The system may then take bytes for written that it
 * has dropped, and the next sync would succeed without them; what was synced before stays. `empty`: nothing of the file was
 * ever durable, so that nothing of it is acknowledged.
 */
type PartEnd = 'sound' | 'doubtful' | 'empty';

function createWriter({ part, path, file, ...opened }: OpenPart, offsetBytes: number, deps: WriterDeps): BlobWriter {
  let position = offsetBytes - part.start;
  let { hasRow, isNamed } = opened;
  let hasFailed = false;
  return {
    write: async (chunks) => {
      position = await writeAll(file.fd, chunks, position);
    },
    sync: async () => {
      try {
        await deps.inSyncTurn(() => dataSync(file.fd));
        if (!isNamed) await deps.syncName(path);
        isNamed = true;
        if (hasRow || part.name === WHOLE) return [];
        hasRow = true;
        return [part];
      } catch (error) {
        hasFailed = true;
        throw fullOr(error);
      }
    },
    discard: async (fromBytes) => {
      if (fromBytes - part.start < position) await file.truncate(Math.max(0, fromBytes - part.start));
    },
    close: async () => {
      await file.close();
      await deps.onClosed(!isNamed ? 'empty' : hasFailed ? 'doubtful' : 'sound');
    },
  };
}

/** Parts that this process made and has closed, with durable names: no other process ever writes into them. */
function createOwnParts() {
  const paths = new Set<string>();
  return {
    add(path: string): void {
      paths.add(path);
      if (paths.size <= OWN_PARTS_MAX) return;
      const [oldest] = paths;
      paths.delete(oldest!);
    },
    /** @returns whether it is one of them, as it no longer is until it is added again */
    take: (path: string): boolean => paths.delete(path),
  };
}

/** @param options.isLocal false for a directory that several nodes reach */
export function createDiskBlobs(options: { dir: string; isLocal?: boolean; sendBudgetBytes?: number }): BlobStore {
  const { dir, sendBudgetBytes = DISK_BUDGET.budgetBytes } = options;
  const withBuffers = createSendBudget({ ...DISK_BUDGET, budgetBytes: sendBudgetBytes });
  const inSyncTurn = createTurns(SYNCS_AT_ONCE);
  const own = createOwnParts();
  const wholePathOf = (blobKey: string) => join(dir, blobKey.slice(0, 2), blobKey);
  const pathOf = (blobKey: string, name: string) =>
    name === WHOLE ? wholePathOf(blobKey) : join(wholePathOf(blobKey) + PARTS_SUFFIX, name);
  const shardOf = (blobKey: string) => dirname(wholePathOf(blobKey));

  const folders = createDurableFolders(dir);

  /** Opens a new file. The name of its shard is durable then; its own name and its folder's name are not. */
  async function openNew(path: string, shard: string): Promise<FileHandle> {
    const create = async () => {
      await folders.require(shard);
      if (dirname(path) !== shard) await makeFolders(dirname(path));
      return open(path, 'wx', 0o600);
    };
    return create().catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      folders.forget(shard);
      return create();
    });
  }

  /** Makes the name of a file durable, and its folder's name, too: an older folder's name may not be durable yet. */
  async function syncName(path: string): Promise<void> {
    const folder = dirname(path);
    await fsyncFolder(folder);
    if (folder.endsWith(PARTS_SUFFIX)) await fsyncFolder(dirname(folder));
  }

  async function put(blobKey: string, chunks: readonly Uint8Array[]): Promise<void> {
    const path = wholePathOf(blobKey);
    try {
      const file = await openNew(path, shardOf(blobKey));
      const fill = async () => {
        await writeAll(file.fd, chunks, 0);
        await dataSync(file.fd);
      };
      await fill().finally(() => file.close());
      await syncName(path);
    } catch (error) {
      throw fullOr(error);
    }
  }

  /** Opens the last part again when it is this process's own, without the bytes that were never acknowledged. */
  async function reopen(blobKey: string, part: BlobPart, offsetBytes: number): Promise<OpenPart | null> {
    const path = pathOf(blobKey, part.name);
    if (!own.take(path)) return null;
    const file = await unlessMissing(open(path, 'r+'), null);
    if (file === null) return null;
    const keptBytes = offsetBytes - part.start;
    try {
      if ((await file.stat()).size > keptBytes) await file.truncate(keptBytes);
    } catch (error) {
      await file.close();
      throw error;
    }
    return { part, path, file, hasRow: true, isNamed: true };
  }

  /** Begins a part that no other writer has: the first one of a blob is WHOLE. */
  async function begin({ blobKey, epoch, offsetBytes }: Append): Promise<OpenPart> {
    const make = async (name: string) => {
      const path = pathOf(blobKey, name);
      const file = await openNew(path, shardOf(blobKey));
      return { part: { start: offsetBytes, name }, path, file, hasRow: false, isNamed: false };
    };
    if (offsetBytes > 0) return make(String(epoch));
    return make(WHOLE).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return make(String(epoch));
      throw error;
    });
  }

  /** A file that is extended instead of its missing bytes would return zeros as the bytes of a user. */
  async function requireAcknowledged({ blobKey, offsetBytes, last }: Append): Promise<void> {
    if (offsetBytes === 0) return;
    const { size } = await stat(pathOf(blobKey, last.name)).catch((error: unknown) => {
      if (isMissing(error)) throw new BlobMissingError('No such blob', { cause: error });
      throw error;
    });
    if (size < offsetBytes - last.start) throw new BlobMissingError('The blob is shorter than what was acknowledged');
  }

  async function append(where: Append): Promise<BlobWriter> {
    const { blobKey, offsetBytes } = where;
    const last = offsetBytes === 0 ? { start: 0, name: WHOLE } : where.last;
    await requireAcknowledged(where);
    try {
      const opened = (await reopen(blobKey, last, offsetBytes)) ?? (await begin(where));
      return createWriter(opened, offsetBytes, {
        inSyncTurn,
        syncName,
        onClosed: async (end) => {
          if (end === 'empty') await unlinkIfThere(opened.path);
          if (end === 'sound') own.add(opened.path);
        },
      });
    } catch (error) {
      throw fullOr(error);
    }
  }

  const unlinkIfThere = (path: string) => unlessMissing(unlink(path), undefined);
  const namesIn = (folder: string) => unlessMissing(readdir(folder), null);

  /** Also deletes parts that the database doesn't know: a killed process may have begun one without acknowledging it. */
  async function unlinkBlob(blobKey: string): Promise<void> {
    const path = wholePathOf(blobKey);
    own.take(path);
    await unlinkIfThere(path);
    const folder = path + PARTS_SUFFIX;
    const names = await namesIn(folder);
    if (names === null) return;
    for (const name of names) {
      own.take(join(folder, name));
      await unlinkIfThere(join(folder, name));
    }
    await rmdir(folder);
  }

  async function deleteBlobs(blobs: readonly BlobParts[]): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>();
    const each = async (
      keys: readonly string[],
      act: (key: string) => Promise<void>,
      about: (key: string) => string[],
    ) => {
      for (let from = 0; from < keys.length; from += DELETIONS_AT_ONCE) {
        const some = keys.slice(from, from + DELETIONS_AT_ONCE);
        const results = await Promise.allSettled(some.map(act));
        for (const [index, result] of results.entries()) {
          if (result.status === 'rejected') for (const key of about(some[index]!)) failed.set(key, result.reason);
        }
      }
    };
    const keys = blobs.map(({ blobKey }) => blobKey);
    await each(keys, unlinkBlob, (key) => [key]);
    // The caller deletes the rows next: a blob that a power cut restores would have no row and stay. Also synced when
    // the file was missing: the deletion that unlinked it may not have synced yet.
    const shards = Map.groupBy(keys, shardOf);
    await each([...shards.keys()], fsyncFolder, (shard) => shards.get(shard)!);
    return failed;
  }

  const storedPart = async (blobKey: string, name: string): Promise<StoredPart | null> => {
    // Skips a part that was deleted after its folder was read.
    const found = await stat(pathOf(blobKey, name)).catch(() => null);
    return found && { blob_key: blobKey, name, sizeBytes: found.size, ageMs: Date.now() - found.mtimeMs };
  };

  async function* list(prefix: string): AsyncGenerator<StoredPart> {
    const shards = prefix.length < 2 ? PREFIXES.filter((each) => each.startsWith(prefix)) : [prefix.slice(0, 2)];
    for (const shard of shards) yield* listShard(join(dir, shard), prefix);
  }

  async function* listShard(shard: string, prefix: string): AsyncGenerator<StoredPart> {
    const isOne = prefix.length === BLOB_NAME_LENGTH;
    for (const entry of isOne ? [prefix, prefix + PARTS_SUFFIX] : ((await namesIn(shard)) ?? [])) {
      const blobKey = entry.slice(0, BLOB_NAME_LENGTH);
      if (!BLOB_NAME.test(blobKey) || !entry.startsWith(prefix)) continue;
      const names = entry === blobKey ? [WHOLE] : ((await namesIn(join(shard, entry))) ?? []);
      for (const name of names) {
        const part = await storedPart(blobKey, name);
        if (part) yield part;
      }
    }
  }

  return {
    isLocal: options.isLocal ?? true,
    checkpointMs: CHECKPOINT_MS,
    put,
    append,
    open: (blob, sizeBytes) =>
      openDiskBlob({ blob, sizeBytes, pathOf: ({ name }) => pathOf(blob.blobKey, name), withBuffers }),
    delete: deleteBlobs,
    async deleteParts(parts) {
      for (const { blob_key, name } of parts) await unlinkIfThere(pathOf(blob_key, name));
    },
    fileOf: ({ blobKey, parts }) => (parts.length === 0 ? wholePathOf(blobKey) : null),
    list,
  };
}
