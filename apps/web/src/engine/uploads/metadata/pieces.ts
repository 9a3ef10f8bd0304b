import { type Bytes, Unreadable } from './byte-reader.ts';

/** A file without its metadata: parts of the file itself, with a few bytes made anew between them. */

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
