import { read } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { KIB } from '@satchel/contract/limits';
import { isMissing } from '../durable-file.ts';
import {
  BlobDamagedError,
  BlobMissingError,
  type BlobPart,
  type BlobParts,
  type BlobReader,
  type ByteRange,
  partsOf,
} from './blobs.ts';
import { freeChunk } from './body-batches.ts';
import { rangesOf } from './part-ranges.ts';
import { putTo, type WithBuffers } from './sending.ts';
import { createSum } from './sums/blob-sum.ts';

/** Reading blobs from a disk. */

const FIRST_READ_BYTES = 64 * KIB;

const readAt = promisify(read);

/** Known damages at a time; each is a file that a disk has changed. */
const DAMAGES_MAX = 10_000;
const DAMAGED = 'The disk has other bytes than were stored';

/**
 * Blobs that were found to be changed. Without it a client that asks for the rest of a broken download would get the
 * bytes that were kept back, and have a file that looks whole.
 */
export interface Damages {
  /** @param version changes with the blob's files: an operator may put the right ones back */
  note(blobKey: string, version: string): void;
  has(blobKey: string, version: string): boolean;
  forget(blobKey: string): void;
}

export function createDamages(): Damages {
  const versions = new Map<string, string>();
  return {
    note(blobKey, version) {
      versions.set(blobKey, version);
      const [oldest] = versions.keys();
      if (versions.size > DAMAGES_MAX) versions.delete(oldest!);
    },
    has: (blobKey, version) => versions.get(blobKey) === version,
    forget: (blobKey) => void versions.delete(blobKey),
  };
}

/** Takes the bytes of a range in their order. @throws BlobDamagedError with the last ones */
type Check = (bytes: Uint8Array) => void;

function createCheck(range: ByteRange, wanted: string, onDamaged: () => void): Check {
  let leftBytes = range.end - range.start;
  const sum = createSum();
  return (bytes) => {
    sum.add(bytes);
    leftBytes -= bytes.length;
    if (leftBytes > 0 || sum.value() === wanted) return;
    onDamaged();
    throw new BlobDamagedError(DAMAGED);
  };
}

interface Send {
  readonly range: ByteRange;
  readonly sink: Writable;
  readonly bufferBytes: () => number;
  readonly check: Check;
}

/** Reads into one buffer while the sink takes the other. */
async function sendRange(fd: number, { range, sink, bufferBytes, check }: Send): Promise<void> {
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
    check(slot.buffer.subarray(0, bytesRead));
    slot.taken = putTo(sink, slot.buffer.subarray(0, bytesRead));
  }
  await Promise.all(slots.map((slot) => slot.taken));
  // The sink has taken all; a sink that failed may still read its chunk. Left to the garbage collector, the buffers of
  // ended downloads stay for long beside those of new ones.
  for (const { buffer } of slots) freeChunk(buffer);
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

const missingOr = (error: unknown): unknown =>
  isMissing(error) ? new BlobMissingError('No such blob', { cause: error }) : error;

const openPart = (path: string): Promise<FileHandle> =>
  open(path, 'r').catch((error: unknown) => {
    throw missingOr(error);
  });

/**
 * @returns when the files of all parts but the last were changed
 * @throws BlobMissingError unless each of them has its bytes: an answer that has begun can only break off
 */
async function requireParts(parts: readonly BlobPart[], pathOf: DiskRead['pathOf']): Promise<readonly number[]> {
  const times: number[] = [];
  for (const [at, next] of parts.slice(1).entries()) {
    const part = parts[at]!;
    const { size, mtimeMs } = await stat(pathOf(part)).catch((error: unknown) => {
      throw missingOr(error);
    });
    if (size < next.start - part.start) throw new BlobMissingError('A part of the blob is shorter than its row says');
    times.push(mtimeMs);
  }
  return times;
}

export interface DiskRead {
  readonly blob: BlobParts;
  readonly sizeBytes: number;
  readonly pathOf: (part: BlobPart) => string;
  readonly withBuffers: WithBuffers;
  readonly damages: Damages;
}

/** Opens one part at a time: a transfer takes one file descriptor. Nearly all blobs have one part. */
export async function openDiskBlob({ blob, sizeBytes, pathOf, withBuffers, damages }: DiskRead): Promise<BlobReader> {
  const parts = partsOf(blob);
  const times = await requireParts(parts, pathOf);
  let current = { part: parts.at(-1)!, file: await openPart(pathOf(parts.at(-1)!)) };
  let version: string;
  try {
    const { size, mtimeMs } = await current.file.stat();
    if (size < sizeBytes - current.part.start) throw new BlobMissingError('The blob is shorter than its row says');
    version = [...times, mtimeMs].join(' ');
    if (damages.has(blob.blobKey, version)) throw new BlobDamagedError(DAMAGED);
  } catch (error) {
    await current.file.close();
    throw error;
  }

  async function fileOf(part: BlobPart): Promise<FileHandle> {
    if (current.part === part) return current.file;
    const next = { part, file: await openPart(pathOf(part)) };
    const before = current;
    current = next;
    await before.file.close();
    return next.file;
  }

  return {
    send: (range, sink, wanted = null) =>
      withBuffers(async (bufferBytes) => {
        const onDamaged = () => damages.note(blob.blobKey, version);
        const check = wanted === null ? () => undefined : createCheck(range, wanted, onDamaged);
        for (const { part, within } of rangesOf(parts, range)) {
          const { fd } = await fileOf(part);
          await sendRange(fd, { range: within, sink, bufferBytes, check });
        }
      }),
    async read(range) {
      const pieces: Uint8Array[] = [];
      for (const { part, within } of rangesOf(parts, range)) {
        const { fd } = await fileOf(part);
        pieces.push(await readRange(fd, within));
      }
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    },
    close: () => current.file.close(),
  };
}
