import type { RangeReader } from '@satchel/client/open/read-range';
import { showUnseen } from '@satchel/contract/unseen';
import {
  type Entry,
  Reader,
  WARNING_MISMATCHED_ZIP64_END_OF_CENTRAL_DIRECTORY,
  WARNING_TRAILING_CENTRAL_DIRECTORY_DATA,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-custom.js';

/**
 * Lists what is in a zip by the directory at its end. Nothing is unpacked, and no figure in it is believed: each is shown as
 * what the zip says.
 */

export interface ZipLine {
  /** Path as the zip says, with what can't be seen made visible. It is shown, never used. */
  readonly path: string;
  readonly isDirectory: boolean;
  readonly isLocked: boolean;
  readonly packedBytes: number;
  readonly sizeBytes: number;
}

export interface ZipListing {
  readonly lines: readonly ZipLine[];
  /** How many entries the zip says that it has. */
  readonly claimedCount: number;
  /** Whether there are more entries than were read. */
  readonly isCut: boolean;
  /** Whether the directory is not what the end of the zip says. */
  readonly isDamaged: boolean;
}

/** The record that ends a zip, with the longest comment. */
const TAIL_BYTES = 22 + 0xffff;
/** The most bytes and reads before the end record. */
export const DIRECTORY_MAX_BYTES = 2 * 1024 ** 2;
const READS_MAX = 16;
/** No more entries are listed. */
export const LINES_MAX = 5000;
const PATH_MAX_CHARS = 400;

/** Names like "../a" are listed as they are, and another zip in the comment is what programs unpack. */
const OPTIONS = { strictness: 'tolerant', maxAppendedDataSize: 0xffff } as const;
const FALSE_DIRECTORY: readonly string[] = [
  WARNING_TRAILING_CENTRAL_DIRECTORY_DATA,
  WARNING_MISMATCHED_ZIP64_END_OF_CENTRAL_DIRECTORY,
];

/** Reads the end of a zip once, and before it no more than the bounds say, even if the zip says that it has more. */
class BoundedReader extends Reader<RangeReader> {
  /** Whether less was read than the zip says that there is. */
  isCut = false;
  readonly #read: RangeReader;
  #tail = new Uint8Array();
  #bytesLeft = DIRECTORY_MAX_BYTES;
  #readsLeft = READS_MAX;

  constructor(read: RangeReader, sizeBytes: number) {
    super(read);
    this.#read = read;
    this.size = sizeBytes;
  }

  override async init(): Promise<void> {
    await super.init?.();
    this.#tail = await this.#read(Math.max(0, this.size - TAIL_BYTES), this.size);
  }

  override async readUint8Array(fromByte: number, length: number): Promise<Uint8Array> {
    const tailStart = this.size - this.#tail.length;
    if (fromByte >= tailStart) return this.#tail.subarray(fromByte - tailStart, fromByte - tailStart + length);
    if (this.#readsLeft === 0) throw new RangeError('the zip leads to too many places');
    const wantedBytes = Math.min(length, this.size - fromByte);
    const readBytes = Math.min(wantedBytes, this.#bytesLeft);
    if (readBytes < wantedBytes) this.isCut = true;
    this.#readsLeft -= 1;
    this.#bytesLeft -= readBytes;
    return this.#read(fromByte, fromByte + readBytes);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const MISLEADING = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function shownPath(path: string): string {
  const cut = path.length > PATH_MAX_CHARS ? `${path.slice(0, PATH_MAX_CHARS)}…` : path;
  return showUnseen(cut.toWellFormed().replace(MISLEADING, '\ufffd'));
}

const lineOf = ({ filename, directory, encrypted, compressedSize, uncompressedSize }: Entry): ZipLine => ({
  path: shownPath(filename),
  // As old programs of Windows write it.
  isDirectory: directory || filename.endsWith('\\'),
  isLocked: encrypted,
  packedBytes: compressedSize,
  sizeBytes: uncompressedSize,
});

/**
 * The entries of a zip, as its directory says.
 * @throws TypeError when it is no zip, or its first entry can't be read
 */
export async function readZip(read: RangeReader, sizeBytes: number): Promise<ZipListing> {
  const reader = new BoundedReader(read, sizeBytes);
  const zip = new ZipReader(reader, OPTIONS);
  const lines: ZipLine[] = [];
  let claimedCount = 0;
  const onprogress = (_index: number, count: number) => {
    claimedCount = count;
  };
  try {
    for await (const entry of zip.getEntriesGenerator({ onprogress })) {
      if (lines.length === LINES_MAX) return { lines, claimedCount, isCut: true, isDamaged: false };
      lines.push(lineOf(entry));
    }
  } catch (error) {
    if (lines.length === 0) throw new TypeError('not a zip', { cause: error });
    // The end of what was read may lie within the last name.
    if (reader.isCut) lines.pop();
    return { lines, claimedCount, isCut: reader.isCut, isDamaged: !reader.isCut };
  }
  const isDamaged = zip.warnings?.some(({ reason }) => FALSE_DIRECTORY.includes(reason)) ?? false;
  return { lines, claimedCount, isCut: false, isDamaged };
}
