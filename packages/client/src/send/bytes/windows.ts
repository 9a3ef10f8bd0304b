import type { Bytes } from '../ports.ts';
import type { TagLedger } from './tag-ledger.ts';
import type { Made, WindowMaker } from './window-maker.ts';

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
