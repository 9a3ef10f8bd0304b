import type { Writable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { KIB } from '@satchel/contract/limits';
import {
  BlobDamagedError,
  BlobMissingError,
  type BlobParts,
  type BlobReader,
  type ByteRange,
  partsOf,
} from './blobs.ts';
import { freeChunk } from './body-batches.ts';
import { type PartRange, rangesOf } from './part-ranges.ts';
import { BLOCK_BYTES, type S3Objects } from './s3-objects.ts';
import { parsePartName } from './s3-writer.ts';
import { putTo, type WithBuffers } from './sending.ts';

/**
 * Reading from an S3-compatible store: in windows of a bounded size, the next one on its way while the receiver takes the
 * one before. A receiver that does not read holds no connection to the store.
 */

const FIRST_WINDOW_BYTES = 256 * KIB;
/** A blob that is this small comes with the request that asks whether it is there. */
const SMALL_BYTES = 256 * KIB;

interface Window extends PartRange {
  /** The checksum that the part has to have from its start to the end of this window; null before its end, or unknown. */
  readonly crc: number | null;
  readonly isFirstOfPart: boolean;
}

/** The windows of a range, each within one part. */
function* windowsOf(ranges: Iterable<PartRange>, windowBytes: () => number): Generator<Window> {
  let bytes = FIRST_WINDOW_BYTES;
  for (const range of ranges) {
    const { start, end } = range.within;
    const known = parsePartName(range.part.name);
    const isWholePart = known !== null && start === 0 && end === known.sizeBytes;
    for (let at = start; at < end; bytes = windowBytes()) {
      // Ends with a block, since the store is asked for whole ones.
      const lastBlock = Math.floor((at + bytes) / BLOCK_BYTES) * BLOCK_BYTES;
      const stop = Math.min(end, lastBlock > at ? lastBlock : at + bytes);
      const crc = isWholePart && stop === end ? known.crc : null;
      yield { ...range, within: { start: at, end: stop }, crc, isFirstOfPart: at === start };
      at = stop;
    }
  }
}

export interface S3Read {
  readonly blob: BlobParts;
  readonly sizeBytes: number;
  readonly objects: Pick<S3Objects, 'get' | 'sizeOf'>;
  readonly keyOf: (name: string) => string;
  readonly withBuffers: WithBuffers;
}

/** Small blobs of one part are read when they are opened: most of what is asked for is one, and one request serves it. */
export async function openS3Blob({ blob, sizeBytes, objects, keyOf, withBuffers }: S3Read): Promise<BlobReader> {
  const parts = partsOf(blob);
  const last = parts.at(-1)!;
  const isSmall = parts.length === 1 && sizeBytes > 0 && sizeBytes <= SMALL_BYTES;
  const small = isSmall ? await objects.get(keyOf(last.name), { start: 0, end: sizeBytes }) : null;
  if (!isSmall && (await objects.sizeOf(keyOf(last.name))) < sizeBytes - last.start) {
    throw new BlobMissingError('The blob is shorter than its row says');
  }

  const fetch = ({ part, within }: PartRange, signal?: AbortSignal): Promise<Buffer<ArrayBuffer>> =>
    small
      ? Promise.resolve(Buffer.from(small.subarray(within.start, within.end)))
      : objects.get(keyOf(part.name), within, signal);

  async function sendWindows(range: ByteRange, sink: Writable, windowBytes: () => number): Promise<void> {
    const leaving = new AbortController();
    const onClose = () => leaving.abort();
    sink.once('close', onClose);
    try {
      if (sink.destroyed) throw new Error('The receiver is gone');
      const windows = windowsOf(rangesOf(parts, range), windowBytes);
      const ask = () => {
        const { value: window } = windows.next();
        if (!window) return null;
        const bytes = fetch(window, leaving.signal);
        bytes.catch(() => undefined);
        return { window: window as Window, bytes };
      };
      let taken = Promise.resolve();
      let crc = 0;
      for (let next = ask(); next; ) {
        const { window } = next;
        const bytes = await next.bytes.catch((error: unknown) => {
          throw sink.destroyed ? new Error('The receiver is gone') : error;
        });
        crc = crc32(bytes, window.isFirstOfPart ? 0 : crc);
        // Before the part's last bytes are sent: a receiver never has all of a changed part.
        if (window.crc !== null && window.crc !== crc)
          throw new BlobDamagedError('The store has other bytes than were stored');
        await taken;
        if (sink.destroyed) throw new Error('The receiver is gone');
        taken = putTo(sink, bytes).then(() => freeChunk(bytes));
        taken.catch(() => undefined);
        next = ask();
      }
      await taken;
    } finally {
      sink.off('close', onClose);
      leaving.abort();
    }
  }

  return {
    send: (range, sink) => withBuffers((windowBytes) => sendWindows(range, sink, windowBytes)),
    async read(range) {
      const pieces: Uint8Array[] = [];
      for (const within of rangesOf(parts, range)) pieces.push(await fetch(within));
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    },
    close: async () => undefined,
  };
}
