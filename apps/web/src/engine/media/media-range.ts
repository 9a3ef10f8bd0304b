import { KIB, MIB } from '@satchel/contract/limits';

/** Byte ranges of the plaintext (RFC 9110 §14), as players ask for them. */

/** What is fetched first of a range: of more, a player that jumps again throws most away. */
export const PIECE_MIN_BYTES = 512 * KIB;
/** What a piece grows to while the player reads on: on a far line each further request is a wait. */
export const PIECE_MAX_BYTES = 2 * MIB;

export type MediaRange =
  | { readonly kind: 'whole' }
  /** `start` inclusive, `end` exclusive, in bytes; never empty. */
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

/**
 * The ends of the pieces that a range is fetched in, exclusive. A piece is twice as long as the one before it, and ends with
 * a chunk, so that the next one opens no chunk again.
 */
export function* pieceEnds(start: number, end: number, chunkBytes: number): Generator<number> {
  let at = start;
  for (let bytes = PIECE_MIN_BYTES; at < end; bytes = Math.min(2 * bytes, PIECE_MAX_BYTES)) {
    at = Math.min(end, Math.ceil((at + bytes) / chunkBytes) * chunkBytes);
    yield at;
  }
}

/**
 * Parses a Range header. A header that is malformed or names several ranges is ignored.
 * @param header value of the Range header, or null
 * @param sizeBytes size of the plaintext
 */
export function parseRange(header: string | null, sizeBytes: number): MediaRange {
  const match = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  // RFC 9110 §14.2: "A server MAY ignore the Range header field."
  if (!match) return { kind: 'whole' };
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? { kind: 'whole' } : suffixRange(Number(last), sizeBytes);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return { kind: 'whole' };
  if (start >= sizeBytes) return { kind: 'unsatisfiable' };
  // To the end, where it names none: WebKit's player stands still after a seek when it gets less.
  const wantedEnd = last === '' ? sizeBytes : Number(last) + 1;
  return { kind: 'part', start, end: Math.min(sizeBytes, wantedEnd) };
}

function suffixRange(lengthBytes: number, sizeBytes: number): MediaRange {
  if (lengthBytes === 0 || sizeBytes === 0) return { kind: 'unsatisfiable' };
  return { kind: 'part', start: Math.max(0, sizeBytes - lengthBytes), end: sizeBytes };
}

const NOT_PLAIN_ASCII = /[^\x20-\x7e]|["\\%]/g;

/**
 * Content-Disposition that saves a file under `name` (RFC 6266, RFC 8187).
 */
export function attachmentHeader(name: string): string {
  const wellFormed = name.toWellFormed();
  const extended = encodeURIComponent(wellFormed).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${wellFormed.replace(NOT_PLAIN_ASCII, '_')}"; filename*=UTF-8''${extended}`;
}
