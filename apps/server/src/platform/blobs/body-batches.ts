import type { Readable } from 'node:stream';
import { KIB, MIB } from '@satchel/contract/limits';

// Sockets deliver 64 KiB at a time; writes of this size made uploads fast (DESIGN §2).
const BATCH_MIN_BYTES = 512 * KIB;
const BATCH_MAX_BYTES = 4 * MIB;
/** The bytes of a slow sender are handed on at least this often. */
const QUIET_MS = 1000;

/** Why a body ended: completely, its sender left, it was longer than allowed, or the server stopped reading. */
export type BodyEnd = 'complete' | 'aborted' | 'too_long' | 'stopped';

export interface BodyBatches {
  /** The next bytes; empty after a second without any, null after the last ones. */
  next(): Promise<readonly Uint8Array[] | null>;
  /** Null while more bytes may come. */
  end(): BodyEnd | null;
  /** Stops reading. With `keep`, bytes that have arrived are still returned. */
  stop(keep: boolean): void;
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
 * Collects a request's body into batches, and pauses the request while a batch waits to be written.
 * @param limitBytes a longer body ends as `too_long`
 */
export function createBodyBatches(body: Readable, limitBytes: number): BodyBatches {
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let receivedBytes = 0;
  let end: BodyEnd | null = null;
  let wake = () => {};

  const onData = (chunk: Uint8Array) => {
    receivedBytes += chunk.length;
    if (receivedBytes > limitBytes) return finish('too_long', false);
    queue.push(chunk);
    queuedBytes += chunk.length;
    if (queuedBytes >= BATCH_MAX_BYTES) body.pause();
    if (queuedBytes >= BATCH_MIN_BYTES) wake();
  };

  function finish(reason: BodyEnd, keep: boolean): void {
    if (!keep) queue = [];
    end ??= reason;
    body.off('data', onData);
    wake();
  }

  async function next(): Promise<readonly Uint8Array[] | null> {
    if (end === null && queuedBytes < BATCH_MIN_BYTES) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, QUIET_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    if (end !== null && queue.length === 0) return null;
    const batch = queue;
    queue = [];
    queuedBytes = 0;
    if (body.isPaused()) body.resume();
    return batch;
  }

  body.on('data', onData);
  body.once('end', () => finish('complete', true));
  body.once('close', () => finish('aborted', true));
  // A 'close' event follows; without a listener, the error would end the process.
  body.on('error', () => undefined);
  if (body.destroyed) finish('aborted', true);
  return { next, end: () => end, stop: (keep) => finish('stopped', keep) };
}
