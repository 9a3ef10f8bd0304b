import { fdatasync, read, writev } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { AppError } from '@satchel/contract/errors';
import { KIB, MIB } from '@satchel/contract/limits';
import { fsyncFolder, isMissing } from '../durable-file.ts';
import {
  BlobMissingError,
  type BlobReader,
  type BlobStore,
  type BlobWriter,
  type ByteRange,
  type StoredBlob,
} from './blobs.ts';
import { freeChunk } from './body-batches.ts';

// Two buffers for a download: measured as fast as nginx, and five times as fast as a stream of 64 KiB (DESIGN §2).
const READ_BUFFER_BYTES = 512 * KIB;
const READ_BUFFER_MIN_BYTES = 16 * KIB;
const FIRST_READ_BYTES = 64 * KIB;
/** Memory for the buffers of all downloads: clients that don't read must not fill the memory. */
const SEND_BUDGET_BYTES = 32 * MIB;
const BLOB_NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Checkpoints that sync at once, first come, first served. Node has four threads for files: were they all syncing, every
 * other upload's bytes would wait.
 */
const SYNCS_AT_ONCE = 2;

const dataSync = promisify(fdatasync);
const readAt = promisify(read);

/** Turns the system errors of a full disk into storage.full; returns other errors unchanged. */
function fullOr(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  return NO_SPACE.has(code) ? new AppError('storage.full', {}, { cause: error }) : error;
}

/** Opens a new file, and makes its folder where it is the first one there. */
async function openNew(path: string): Promise<{ file: FileHandle; made: string | undefined }> {
  const create = () => open(path, 'wx', 0o600);
  try {
    return { file: await create(), made: undefined };
  } catch (error) {
    if (!isMissing(error)) throw error;
    const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return { file: await create(), made };
  }
}

async function openBlob(path: string, flags: 'r' | 'r+'): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    if (isMissing(error)) throw new BlobMissingError('No such blob', { cause: error });
    throw error;
  }
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

/** Runs at most so many at once, the others in the order in which they came. */
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

function createWriter(file: FileHandle, offsetBytes: number, inSyncTurn: InTurn): BlobWriter {
  let position = offsetBytes;
  return {
    write: async (chunks) => {
      position = await writeAll(file.fd, chunks, position);
    },
    sync: async () => {
      try {
        await inSyncTurn(() => dataSync(file.fd));
      } catch (error) {
        throw fullOr(error);
      }
    },
    close: () => file.close(),
  };
}

/** Writes `bytes` to the sink; resolves when the sink is done with them, so that their memory may be reused. */
function put(sink: Writable, bytes: Uint8Array): Promise<void> {
  const taken = new Promise<void>((resolve, reject) => {
    // A response queued behind another one on its connection never calls back when the connection closes.
    const onClose = () => reject(new Error('The receiver is gone'));
    sink.once('close', onClose);
    sink.write(bytes, (error) => {
      sink.off('close', onClose);
      if (error) reject(error);
      else resolve();
    });
  });
  // Awaited only when its buffer is needed again; until then a failure has no listener.
  taken.catch(() => undefined);
  return taken;
}

interface Send {
  readonly range: ByteRange;
  readonly sink: Writable;
  readonly bufferBytes: () => number;
}

/** Reads into one buffer while the sink takes the other. */
async function sendRange(fd: number, { range, sink, bufferBytes }: Send): Promise<void> {
  const slots = [0, 1].map(() => ({ buffer: Buffer.alloc(0), taken: Promise.resolve() }));
  let position = range.start;
  for (let turn = 0; position < range.end; turn += 1) {
    const slot = slots[turn % slots.length]!;
    await slot.taken;
    if (sink.destroyed) throw new Error('The receiver is gone');
    // A short first read: of many downloads that begin together, the last does not wait for the large reads of the others.
    const wantedBytes = Math.min(turn === 0 ? FIRST_READ_BYTES : bufferBytes(), range.end - position);
    if (slot.buffer.length < wantedBytes || slot.buffer.length > 2 * wantedBytes) {
      freeChunk(slot.buffer);
      slot.buffer = Buffer.allocUnsafeSlow(wantedBytes);
    }
    const { bytesRead } = await readAt(fd, slot.buffer, 0, wantedBytes, position);
    if (bytesRead === 0) throw new BlobMissingError('The blob ends early');
    position += bytesRead;
    slot.taken = put(sink, slot.buffer.subarray(0, bytesRead));
  }
  await Promise.all(slots.map((slot) => slot.taken));
  // The sink has taken all; a sink that failed may still read its chunk. Left to the garbage collector, the buffers of
  // ended downloads stay for long beside those of new ones.
  for (const { buffer } of slots) freeChunk(buffer);
}

/** Runs a send, which asks before each read how large its buffer may be: the more sends run, the smaller. */
type WithBuffers = (send: (bufferBytes: () => number) => Promise<void>) => Promise<void>;

function createSendBudget(budgetBytes: number): WithBuffers {
  let sends = 0;
  const bufferBytes = () =>
    Math.max(READ_BUFFER_MIN_BYTES, Math.min(READ_BUFFER_BYTES, Math.floor(budgetBytes / (2 * sends))));
  return async (send) => {
    sends += 1;
    try {
      await send(bufferBytes);
    } finally {
      sends -= 1;
    }
  };
}

async function readRange(fd: number, { start, end }: ByteRange): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(end - start);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await readAt(fd, bytes, at, bytes.length - at, start + at);
    if (bytesRead === 0) throw new BlobMissingError('The blob ends early');
    at += bytesRead;
  }
  return bytes;
}

async function createReader(file: FileHandle, withBuffers: WithBuffers): Promise<BlobReader> {
  const { size } = await file.stat();
  return {
    sizeBytes: size,
    send: (range, sink) => withBuffers((bufferBytes) => sendRange(file.fd, { range, sink, bufferBytes })),
    read: (range) => readRange(file.fd, range),
    close: () => file.close(),
  };
}

/**
 * Blobs as files below `dir`, for one process at a time: an older request has stopped writing before a newer one
 * begins, which only the same process can ensure.
 */
export function createDiskBlobs(options: { dir: string; sendBudgetBytes?: number }): BlobStore {
  const { dir, sendBudgetBytes = SEND_BUDGET_BYTES } = options;
  const withBuffers = createSendBudget(sendBudgetBytes);
  const inSyncTurn = createTurns(SYNCS_AT_ONCE);
  const pathOf = (blobKey: string) => join(dir, blobKey.slice(0, 2), blobKey);

  /** @param fill writes the bytes of the blob, durably */
  async function make(blobKey: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
    const path = pathOf(blobKey);
    const shard = dirname(path);
    try {
      const { file, made } = await openNew(path);
      await fill(file).finally(() => file.close());
      await fsyncFolder(shard);
      if (made !== undefined) for (const parent of [dir, dirname(dir)]) await fsyncFolder(parent);
    } catch (error) {
      throw fullOr(error);
    }
  }

  const create = (blobKey: string) => make(blobKey, async () => undefined);
  const put = (blobKey: string, chunks: readonly Uint8Array[]) =>
    make(blobKey, async ({ fd }) => {
      await writeAll(fd, chunks, 0);
      await dataSync(fd);
    });

  async function append(blobKey: string, offsetBytes: number): Promise<BlobWriter> {
    const file = await openBlob(pathOf(blobKey), 'r+');
    try {
      const { size } = await file.stat();
      // A file that is extended instead would return zeros as the bytes of a user.
      if (size < offsetBytes) throw new BlobMissingError('The blob is shorter than what was acknowledged');
      if (size > offsetBytes) await file.truncate(offsetBytes);
      return createWriter(file, offsetBytes, inSyncTurn);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async function deleteBlob(blobKey: string): Promise<void> {
    const path = pathOf(blobKey);
    try {
      await unlink(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    // The caller deletes the row next: a blob that a power cut restores would have no row and stay. Also synced when
    // the file was missing: the deletion that unlinked it may not have synced yet.
    await fsyncFolder(dirname(path));
  }

  async function list(prefix: string): Promise<StoredBlob[]> {
    const shard = join(dir, prefix);
    const names = await readdir(shard).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const stored: StoredBlob[] = [];
    for (const name of names) {
      if (!BLOB_NAME.test(name) || !name.startsWith(prefix)) continue;
      // Skips a blob that was deleted after its folder was read.
      const found = await stat(join(shard, name)).catch(() => null);
      if (found) stored.push({ blob_key: name, sizeBytes: found.size });
    }
    return stored;
  }

  const openReader = async (blobKey: string) => createReader(await openBlob(pathOf(blobKey), 'r'), withBuffers);
  return { create, put, append, open: openReader, delete: deleteBlob, list };
}
