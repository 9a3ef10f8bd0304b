import { read } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { KIB } from '@satchel/contract/limits';
import { isMissing } from '../durable-file.ts';
import { BlobMissingError, type BlobPart, type BlobParts, type BlobReader, type ByteRange, partsOf } from './blobs.ts';
import { freeChunk } from './body-batches.ts';
import { rangesOf } from './part-ranges.ts';
import { putTo, type WithBuffers } from './sending.ts';

/** Reading blobs from a disk. */

const FIRST_READ_BYTES = 64 * KIB;

const readAt = promisify(read);

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
    slot.taken = putTo(sink, slot.buffer.subarray(0, bytesRead));
  }
  await Promise.all(slots.map((slot) => slot.taken));
  // The sink has taken all; a sink that failed may still read its chunk. Left to the garbage collector, the buffers of
  // ended downloads stay for long beside the memory of new ones.
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

/** @throws BlobMissingError unless each part but the last has its bytes: an answer that has begun can only break off */
async function requireParts(parts: readonly BlobPart[], pathOf: DiskRead['pathOf']): Promise<void> {
  for (const [at, next] of parts.slice(1).entries()) {
    const part = parts[at]!;
    const { size } = await stat(pathOf(part)).catch((error: unknown) => {
      throw missingOr(error);
    });
    if (size < next.start - part.start) throw new BlobMissingError('A part of the blob is shorter than its row says');
  }
}

export interface DiskRead {
  readonly blob: BlobParts;
  readonly sizeBytes: number;
  readonly pathOf: (part: BlobPart) => string;
  readonly withBuffers: WithBuffers;
}

/** Opens one part at a time: a transfer takes one file descriptor. Nearly all blobs have one part. */
export async function openDiskBlob({ blob, sizeBytes, pathOf, withBuffers }: DiskRead): Promise<BlobReader> {
  const parts = partsOf(blob);
  await requireParts(parts, pathOf);
  let current = { part: parts.at(-1)!, file: await openPart(pathOf(parts.at(-1)!)) };
  try {
    const { size } = await current.file.stat();
    if (size < sizeBytes - current.part.start) throw new BlobMissingError('The blob is shorter than its row says');
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
    send: (range, sink) =>
      withBuffers(async (bufferBytes) => {
        for (const { part, within } of rangesOf(parts, range)) {
          const { fd } = await fileOf(part);
          await sendRange(fd, { range: within, sink, bufferBytes });
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
