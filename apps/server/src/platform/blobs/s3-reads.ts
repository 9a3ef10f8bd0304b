import type { Writable } from 'node:stream';
import { KIB } from '@satchel/contract/limits';
import { BlobMissingError, type BlobParts, type BlobReader, type ByteRange, partsOf } from './blobs.ts';
import { freeChunk } from './body-batches.ts';
import { type PartRange, rangesOf } from './part-ranges.ts';
import type { S3Objects } from './s3-objects.ts';
import { putTo, type WithBuffers } from './sending.ts';

/**
 * Reading from an S3-compatible store: in windows of a bounded size, the next one on its way while the receiver takes the
 * one before. A receiver that does not read holds no connection to the store.
 */

const FIRST_WINDOW_BYTES = 256 * KIB;
/** A blob that is this small comes with the request that asks whether it is there. */
const SMALL_BYTES = 256 * KIB;

/** The windows of a range, each within one part. */
function* windowsOf(ranges: Iterable<PartRange>, windowBytes: () => number): Generator<PartRange> {
  let bytes = FIRST_WINDOW_BYTES;
  for (const range of ranges) {
    const { start, end } = range.within;
    for (let at = start; at < end; bytes = windowBytes()) {
      const stop = Math.min(end, at + bytes);
      yield { ...range, within: { start: at, end: stop } };
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
        return bytes;
      };
      let taken = Promise.resolve();
      for (let next = ask(); next; ) {
        const bytes = await next.catch((error: unknown) => {
          throw sink.destroyed ? new Error('The receiver is gone') : error;
        });
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
