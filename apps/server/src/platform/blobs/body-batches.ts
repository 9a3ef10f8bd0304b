import type { Readable } from 'node:stream';
import { KIB, MIB } from '@satchel/contract/limits';
import { createReceiveBuffers } from './receive-buffers.ts';

// Sockets deliver 64 KiB at a time; writes of this size made uploads fast.
const BATCH_MIN_BYTES = 512 * KIB;
const BATCH_MAX_BYTES = 4 * MIB;
const READ_BYTES = 64 * KIB;
/** The bytes of a slow sender are handed on at least this often. */
const QUIET_MS = 1000;

/** Why a body ended: completely, its sender left, it was longer than allowed, or the server stopped reading. */
export type BodyEnd = 'complete' | 'aborted' | 'too_long' | 'stopped';

export interface BodyBatches {
  /** The next bytes, once the last ones are written; empty after a second without any, null after the last ones. */
  next(): Promise<readonly Uint8Array[] | null>;
  /** Null while more bytes may come. */
  end(): BodyEnd | null;
  /** Stops reading. With `keep`, bytes that have arrived are still returned. */
  stop(keep: boolean): void;
  /** Stops reading, once nothing is being written any more. */
  close(): void;
}

/**
 * Gives the memory of a chunk back once its bytes are written. Left to the garbage collector, the chunks of an upload
 * made it mark the whole heap every 20 MiB: a quarter of the upload's processor time. A chunk that is a part of its
 * buffer stays: the bytes beside it have other readers, as in Node's pool, of which no chunk is the whole.
 * @param chunk has no other reader, as each chunk of Node's HTTP parser
 */
export function freeChunk({ buffer, length }: Uint8Array): void {
  if (length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/**
 * Collects a request's body into batches, and pauses the request while it holds its share of the receive buffers.
 * @param limitBytes a longer body ends as `too_long`
 */
export function createBodyBatches(body: Readable, limitBytes: number, buffers = createReceiveBuffers()): BodyBatches {
  const share = buffers.enter();
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let writingBytes = 0;
  let receivedBytes = 0;
  let end: BodyEnd | null = null;
  let wake = () => {};

  /** True when a further read would exceed the share, however little: many senders' reads add up. */
  const isFull = () => queuedBytes >= BATCH_MAX_BYTES || queuedBytes + writingBytes + READ_BYTES > share.limitBytes();
  /** True for a batch that is worth a write. */
  const isDue = () => body.isPaused() || queuedBytes >= Math.min(BATCH_MIN_BYTES, share.limitBytes() / 2);

  const onData = (chunk: Uint8Array) => {
    receivedBytes += chunk.length;
    if (receivedBytes > limitBytes) return finish('too_long', false);
    queue.push(chunk);
    queuedBytes += chunk.length;
    share.take(chunk.length);
    if (isFull()) body.pause();
    if (isDue()) wake();
  };

  function takeQueue(): Uint8Array[] {
    const taken = queue;
    queue = [];
    queuedBytes = 0;
    return taken;
  }

  function endWrite(): void {
    share.giveBack(writingBytes);
    writingBytes = 0;
  }

  function finish(reason: BodyEnd, keep: boolean): void {
    if (!keep) {
      share.giveBack(queuedBytes);
      takeQueue();
    }
    end ??= reason;
    body.off('data', onData);
    wake();
  }

  const resume = () => {
    if (body.isPaused() && !isFull()) body.resume();
  };

  async function next(): Promise<readonly Uint8Array[] | null> {
    endWrite();
    resume();
    if (end === null && !isDue()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, QUIET_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    if (end !== null && queue.length === 0) return null;
    writingBytes = queuedBytes;
    const batch = takeQueue();
    resume();
    return batch;
  }

  body.on('data', onData);
  body.once('end', () => finish('complete', true));
  body.once('close', () => finish('aborted', true));
  // A 'close' event follows; without a listener, the error would end the process.
  body.on('error', () => undefined);
  if (body.destroyed) finish('aborted', true);
  const close = () => {
    finish('stopped', false);
    endWrite();
  };
  return { next, end: () => end, stop: (keep) => finish('stopped', keep), close };
}
