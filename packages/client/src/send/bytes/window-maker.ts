import { decodeHeader } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import { createSealer } from '@satchel/container/seal';
import { AppError } from '@satchel/contract/errors';
import type { Bytes } from '../ports.ts';
import { createPlainFile } from './plain-file.ts';
import { createSealedFile, type VirtualFile } from './virtual-file.ts';

/** What the stored bytes of a file are made of. */
export interface Ingredients {
  readonly file: Blob;
  /** The folder's keys and the container's header; both null in a plain folder. */
  readonly keys: FolderKeys | null;
  readonly prefix: Bytes | null;
}

export interface ChunkTag {
  readonly index: number;
  readonly tag: Bytes;
}

/** The bytes of a window, at the beginning of the buffer that was given, and the tags of the chunks that were made for it. */
export interface Made {
  readonly buffer: ArrayBuffer;
  readonly tags: readonly ChunkTag[];
}

/** Makes the bytes of one upload, in whichever thread. */
export interface WindowMaker {
  /**
   * Makes the bytes from `start` up to `end` into `buffer`, which is the maker's until this settles. Answers come in the order
   * of the calls.
   * @throws AppError upload.changed_file, upload.stream_size, upload.no_header
   */
  make(start: number, end: number, buffer: ArrayBuffer): Promise<Made>;
  /** Rejects what has not been made yet. */
  close(): void;
}

async function openFile({ file, keys, prefix }: Ingredients, release: (piece: Bytes) => void): Promise<VirtualFile> {
  if (prefix === null) return createPlainFile(file);
  const decoded = decodeHeader(prefix);
  if (!decoded || !keys) throw new AppError('upload.no_header');
  return createSealedFile(await createSealer(keys, decoded, release), file);
}

/**
 * Makes windows in this thread.
 * @param release frees a piece of ciphertext that was copied, before the collector finds it
 */
export function createWindowMaker(ingredients: Ingredients, release: (piece: Bytes) => void = () => {}): WindowMaker {
  const opened = openFile(ingredients, release);
  opened.catch(() => undefined);
  let isClosed = false;
  /** A virtual file has one cursor: ranges are made one after the other. */
  let last: Promise<unknown> = Promise.resolve();

  async function make(start: number, end: number, buffer: ArrayBuffer): Promise<Made> {
    if (isClosed) throw new AppError('unexpected');
    const tags: ChunkTag[] = [];
    const bytes = new Uint8Array(buffer, 0, end - start);
    let at = 0;
    const virtual = await opened;
    await virtual.range(start, end, {
      onChunk: (index, tag) => tags.push({ index, tag }),
      write(part) {
        bytes.set(part, at);
        at += part.length;
      },
    });
    if (at !== bytes.length) throw new AppError('upload.stream_size');
    return { buffer, tags };
  }

  return {
    make(start, end, buffer) {
      const mine = last.then(() => make(start, end, buffer));
      last = mine.catch(() => undefined);
      return mine;
    },
    close() {
      isClosed = true;
      void last.then(async () => (await opened).close()).catch(() => undefined);
    },
  };
}
