import { freeChunk } from './body-batches.ts';

/**
 * Reads of a socket whose bytes are used in parts, as a frame's payload is without its head. The memory of a read is
 * given back with its last reader; left to the garbage collector, it made V8 mark the whole heap every 20 MiB.
 */
export interface SharedReads {
  /** Counts the first reader of a read, which ends with `giveBack(read)`. A read that is a part of its buffer is never freed. */
  open(read: Uint8Array): void;
  /** Counts a further reader, of a part of an open read. */
  lend(part: Uint8Array): void;
  /** A reader of a read or of its part is done, and reads it no more. */
  giveBack(bytes: Uint8Array): void;
}

/** For the reads of one socket. */
export function createSharedReads(): SharedReads {
  const open = new Map<ArrayBufferLike, { readonly read: Uint8Array; readers: number }>();
  return {
    open(read) {
      if (read.length > 0 && read.length === read.buffer.byteLength) open.set(read.buffer, { read, readers: 1 });
    },
    lend({ buffer }) {
      const entry = open.get(buffer);
      if (entry) entry.readers += 1;
    },
    giveBack({ buffer }) {
      const entry = open.get(buffer);
      if (!entry) return;
      entry.readers -= 1;
      if (entry.readers > 0) return;
      open.delete(buffer);
      freeChunk(entry.read);
    },
  };
}
