import { type ByteReader, type Bytes, READ_MAX_BYTES, Unreadable } from './byte-reader.ts';

/** A file without its metadata: parts of the file itself, with a few new bytes between them. */

type Piece =
  | { readonly start: number; readonly end: number }
  | { readonly bytes: Bytes }
  | { readonly fill: number; readonly length: number };

/** A picture that takes more is none that a camera made. */
const PIECES_MAX = 10_000;
const FILL_BYTES = 64 * 1024;

export interface Pieces {
  /** Takes a part of the file as it is. */
  keep(start: number, end: number): void;
  add(bytes: Bytes): void;
  /** One byte, many times. */
  fill(byte: number, length: number): void;
  /** Whether what was taken is the whole file. */
  isWhole(sizeBytes: number): boolean;
  /** What a Blob is made of. Nothing is read: parts of the file stay where they are. */
  parts(file: Blob): BlobPart[];
}

/** One Blob, so often named as the length takes. */
function filled(byte: number, length: number): BlobPart[] {
  const one = new Blob([new Uint8Array(Math.min(FILL_BYTES, length)).fill(byte)]);
  const times = Math.floor(length / FILL_BYTES);
  return [...Array.from({ length: times }, () => one), one.slice(0, length - times * FILL_BYTES)];
}

export function createPieces(): Pieces {
  const pieces: Piece[] = [];
  const put = (piece: Piece) => {
    if (pieces.length === PIECES_MAX) throw new Unreadable('too many parts');
    pieces.push(piece);
  };
  return {
    keep(start, end) {
      const last = pieces.at(-1);
      if (end <= start) return;
      if (last && 'end' in last && last.end === start) pieces[pieces.length - 1] = { start: last.start, end };
      else put({ start, end });
    },
    add: (bytes) => put({ bytes }),
    fill: (fill, length) => void (length > 0 && put({ fill, length })),
    isWhole(sizeBytes) {
      const [one] = pieces;
      return pieces.length === 1 && one !== undefined && 'end' in one && one.start === 0 && one.end === sizeBytes;
    },
    parts: (file) =>
      pieces.flatMap((piece): BlobPart[] => {
        if ('bytes' in piece) return [piece.bytes];
        return 'end' in piece ? [file.slice(piece.start, piece.end)] : filled(piece.fill, piece.length);
      }),
  };
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Bytes to write over a part of a file in which nothing may move: `content`, then one byte repeated. */
export interface Overwrite extends Range {
  readonly content: Bytes;
  readonly fill: number;
}

export const zeros = (start: number, end: number): Overwrite => ({ start, end, content: new Uint8Array(0), fill: 0 });

async function isThere(reader: ByteReader, { start, end, content, fill }: Overwrite): Promise<boolean> {
  for (let at = start; at < end; ) {
    const bytes = await reader.read(at, Math.min(READ_MAX_BYTES, end - at));
    const base = at - start;
    if (bytes.some((byte, index) => byte !== (content[base + index] ?? fill))) return false;
    at += bytes.length;
  }
  return true;
}

/**
 * Takes the file up to `endsAt` with those parts written over. What stands there already is kept, so that a file with
 * nothing to remove stays the very file that was chosen.
 * @throws Unreadable where two of them meet
 */
export async function writeOver(
  reader: ByteReader,
  pieces: Pieces,
  overwrites: readonly Overwrite[],
  endsAt: number,
): Promise<void> {
  let at = 0;
  for (const overwrite of overwrites.toSorted((a, b) => a.start - b.start)) {
    const { start, end, content, fill } = overwrite;
    if (start < at || start + content.length > end) throw new Unreadable('metadata over metadata');
    if (await isThere(reader, overwrite)) continue;
    pieces.keep(at, start);
    if (content.length > 0) pieces.add(content);
    pieces.fill(fill, end - start - content.length);
    at = end;
  }
  pieces.keep(at, endsAt);
}
