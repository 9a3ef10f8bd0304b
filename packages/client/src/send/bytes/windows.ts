import { CHUNK_TAG_BYTES } from '@satchel/contract/limits';
import type { Bytes } from '../ports.ts';
import type { Made, WindowMaker } from './window-maker.ts';

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

/** One strict write of the log covers at least a window; smaller ones wait for the disk more often. */
export const WINDOW_BYTES = 6 * 1024 * 1024;

/** The bytes of an upload, in pieces that reuse a few buffers. */
export interface Windows {
  readonly size: number;
  /** Where the window that begins at `start` ends: at the next multiple of a window's size, or with the file. */
  endOf(start: number): number;
  /**
   * The bytes from `start` up to the end of its window, or up to `end`. Their tags are on disk when this resolves.
   * @throws StartAfresh when a tag differs from the logged one; AppError when the file can't be read
   */
  make(start: number, end?: number): Promise<Bytes>;
  /** Gives the buffer back, once its bytes are sent. */
  giveBack(bytes: Bytes): void;
  /** Ends the maker, and rejects what has not been made yet. */
  close(): void;
}

export interface WindowsDeps {
  readonly maker: WindowMaker;
  /** Bytes of what is stored. */
  readonly size: number;
  readonly ledger: Pick<TagLedger, 'take' | 'flush'>;
  /** Hears up to which byte the file has been sealed. */
  readonly onSealed: (bytes: number) => void;
  /** Frees a buffer before the collector finds it. */
  readonly release?: (bytes: Bytes) => void;
  readonly windowBytes?: number;
}

export function createWindows(deps: WindowsDeps): Windows {
  const { maker, size, ledger, onSealed, release, windowBytes = WINDOW_BYTES } = deps;
  const bufferBytes = Math.min(size, windowBytes);
  let free: ArrayBuffer[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const endOf = (start: number) => Math.min(size, (Math.floor(start / windowBytes) + 1) * windowBytes);

  async function take(made: Promise<Made>, before: Promise<unknown>): Promise<Made> {
    // A window may begin in a chunk whose tag came with the window before: that one has to be in the ledger.
    await before;
    const done = await made;
    for (const { index, tag } of done.tags) ledger.take(index, tag);
    return done;
  }

  return {
    size,
    endOf,
    async make(start, most = size) {
      const end = Math.min(most, endOf(start));
      const made = maker.make(start, end, free.pop() ?? new ArrayBuffer(bufferBytes));
      made.catch(() => undefined);
      const taken = take(made, last);
      last = taken;
      const { buffer } = await taken;
      await ledger.flush();
      onSealed(end);
      return new Uint8Array(buffer, 0, end - start);
    },
    giveBack: ({ buffer }) => void free.push(buffer),
    close() {
      maker.close();
      for (const buffer of free) release?.(new Uint8Array(buffer));
      free = [];
    },
  };
}
