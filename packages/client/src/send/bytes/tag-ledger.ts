import { CHUNK_TAG_BYTES } from '@satchel/contract/limits';
import type { Bytes } from '../ports.ts';

/** Thrown when what was logged doesn't fit the file: the upload must begin again under a new baseCounter. */
export class StartAfresh extends Error {
  constructor(reason: string) {
    super(`The upload starts afresh: ${reason}`);
    this.name = 'StartAfresh';
  }
}

/**
 * The tags of an upload's chunks: on disk, and about to be written. Every chunk that is made passes through here
 * before a byte of it is handed on, so that a baseCounter never meets two contents.
 */
export interface TagLedger {
  /** Chunks whose tags are on disk. */
  logged(): number;
  /** Chunks, from the first on, that this worker has made from the file and found right. */
  verified(): number;
  /**
   * Takes the tag of a chunk just made.
   * @throws StartAfresh when it differs from the one known, or leaves a gap
   */
  take(index: number, tag: Bytes): void;
  /** Resolves once every tag taken is on disk. */
  flush(): Promise<void>;
}

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, at) => byte === b[at]);

/**
 * @param onDisk tags of the log, 32 bytes each, from chunk 0 on without a gap
 * @param append writes the tags of chunks from `firstChunk` on; resolves once they are durable
 */
export function createTagLedger(
  totalChunks: number,
  onDisk: Uint8Array,
  append: (firstChunk: number, tags: Bytes) => Promise<void>,
): TagLedger {
  const tags = new Uint8Array(totalChunks * CHUNK_TAG_BYTES);
  tags.set(onDisk.subarray(0, tags.length));
  let logged = Math.min(totalChunks, Math.floor(onDisk.length / CHUNK_TAG_BYTES));
  let known = logged;
  let verified = 0;
  let writing: Promise<void> | null = null;

  function take(index: number, tag: Bytes): void {
    const at = index * CHUNK_TAG_BYTES;
    if (index > known) throw new StartAfresh('a chunk before this one was never logged');
    if (index < known && !equal(tag, tags.subarray(at, at + CHUNK_TAG_BYTES))) throw new StartAfresh('content differs');
    if (index === known) {
      tags.set(tag, at);
      known += 1;
    }
    if (index === verified) verified += 1;
  }

  async function writeTaken(): Promise<void> {
    const end = known;
    await append(logged, tags.slice(logged * CHUNK_TAG_BYTES, end * CHUNK_TAG_BYTES));
    logged = end;
  }

  /** One write is under way at a time. The next one takes along every tag that has come until then. */
  async function flush(): Promise<void> {
    const end = known;
    while (logged < end) {
      writing ??= writeTaken().finally(() => {
        writing = null;
      });
      await writing;
    }
  }

  return { logged: () => logged, verified: () => verified, take, flush };
}
