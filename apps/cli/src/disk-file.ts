import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { KIB } from '@satchel/contract/limits';

/**
 * Makes a File of a file on disk. Node's `openAsBlob` counts bytes in 32 bits: its Blob of a file of 5 GiB has only the first GiB,
 * and a slice across 2 GiB is empty (nodejs/node#52585).
 */

type Bytes = Uint8Array<ArrayBuffer>;

/** A file on disk, and what it looked like when it was chosen. */
interface Stored {
  readonly path: string;
  readonly facts: Facts;
}

type Facts = Pick<Stats, 'ino' | 'size' | 'mtimeMs'>;

interface Part {
  readonly of: Stored | Blob;
  readonly start: number;
  readonly end: number;
}

/** Length of a read where the reader of the stream brings no buffer. */
const READ_BYTES = 256 * KIB;

const isSame = (one: Facts, other: Facts): boolean =>
  one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;

/** Browsers throw the same error. */
const unreadable = (cause?: unknown) => new DOMException(`the file can’t be read: ${cause}`, 'NotReadableError');

/** @throws NotReadableError where the file has changed since it was chosen */
async function openUnchanged({ path, facts }: Stored): Promise<FileHandle> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(error);
  });
  if (isSame(facts, await handle.stat())) return handle;
  await handle.close();
  throw unreadable('it has changed');
}

/** Reads parts from first to last. Opening a part compares its file with what was chosen, even where the part has no bytes. */
function readParts(parts: readonly Part[]) {
  const rest = parts.values();
  let part: Part | undefined;
  let handle: FileHandle | null = null;
  let at = 0;

  async function close(): Promise<void> {
    const opened = handle;
    handle = null;
    part = undefined;
    await opened?.close();
  }

  async function advance(): Promise<boolean> {
    await close();
    part = rest.next().value;
    if (part === undefined) return false;
    at = part.start;
    if (!(part.of instanceof Blob)) handle = await openUnchanged(part.of);
    return true;
  }

  async function readSome({ of }: Part, into: Bytes): Promise<number> {
    if (handle !== null) return (await handle.read(into, 0, into.length, at)).bytesRead;
    into.set(new Uint8Array(await (of as Blob).slice(at, at + into.length).arrayBuffer()));
    return into.length;
  }

  return {
    close,
    /** Fills some of `into`. The file is closed at the end, and where this fails. @returns how many bytes; 0 at the end */
    async fill(into: Bytes): Promise<number> {
      try {
        while (part === undefined || at === part.end) if (!(await advance())) return 0;
        const count = await readSome(part, into.subarray(0, Math.min(into.length, part.end - at)));
        if (count === 0) throw unreadable('it is shorter than it was');
        at += count;
        return count;
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, { start, end }) => sum + end - start, 0);

/** The parts that hold the bytes from `from` up to `to`. */
function cut(parts: readonly Part[], from: number, to: number): Part[] {
  let before = 0;
  return parts.flatMap(({ of, start, end }) => {
    const first = start + Math.max(0, from - before);
    const last = Math.min(end, start + to - before);
    before += end - start;
    return first < last ? [{ of, start: first, end: last }] : [];
  });
}

/** A position as `slice` takes it: from the end where it is negative. */
const within = (position: number, sizeBytes: number): number =>
  Math.min(sizeBytes, Math.max(0, position < 0 ? sizeBytes + position : position));

/** A File of parts of files on disk, of Blobs and of bytes. Reading fails with NotReadableError once a file has changed. */
export class DiskFile extends File {
  readonly #parts: readonly Part[];

  /** @param parts what a File takes, and parts of files on disk */
  constructor(parts: readonly (BlobPart | Part)[], name: string, options?: FilePropertyBag) {
    super([], name, options);
    this.#parts = parts.flatMap((part): readonly Part[] => {
      if (part instanceof DiskFile) return part.#parts;
      if (typeof part === 'object' && 'of' in part) return [part];
      const blob = part instanceof Blob ? part : new Blob([part]);
      return [{ of: blob, start: 0, end: blob.size }];
    });
    Object.defineProperty(this, 'size', { value: sizeOf(this.#parts) });
  }

  override slice(start = 0, end = this.size, type = ''): Blob {
    return new DiskFile(cut(this.#parts, within(start, this.size), within(end, this.size)), '', { type });
  }

  override stream(): ReadableStream<Bytes> {
    const reader = readParts(this.#parts);
    return new ReadableStream({
      type: 'bytes',
      autoAllocateChunkSize: READ_BYTES,
      async pull(controller) {
        const request = controller.byobRequest as ReadableStreamBYOBRequest;
        const { buffer, byteOffset, byteLength } = request.view as Bytes;
        const count = await reader.fill(new Uint8Array(buffer, byteOffset, byteLength));
        if (count === 0) controller.close();
        request.respond(count);
      },
      cancel: () => reader.close(),
    });
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(this.size);
    const reader = readParts(this.#parts);
    let [at, count] = [0, 0];
    do {
      count = await reader.fill(bytes.subarray(at));
      at += count;
    } while (count > 0);
    return bytes.buffer;
  }

  override async bytes(): Promise<Bytes> {
    return new Uint8Array(await this.arrayBuffer());
  }

  override async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer());
  }
}

/**
 * A file by its path.
 * @param name and type of the File
 * @throws where it can't be opened
 */
export async function openDiskFile(path: string, name: string, type: string): Promise<File> {
  const handle = await open(path, 'r');
  const { ino, size, mtimeMs } = await handle.stat().finally(() => handle.close());
  const stored = { path, facts: { ino, size, mtimeMs } };
  return new DiskFile([{ of: stored, start: 0, end: size }], name, { type, lastModified: Math.floor(mtimeMs) });
}
