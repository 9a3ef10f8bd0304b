import { KIB, MIB } from '@satchel/contract/limits';

/** Byte ranges of the plaintext (RFC 9110 §14), as players ask for them. */

/** What an open-ended range is answered with after a jump: of more, a player that jumps again throws most away. */
export const OPEN_RANGE_MIN_BYTES = 512 * KIB;
/** What it grows to while the player reads on: on a far line each further request is a wait. */
export const OPEN_RANGE_MAX_BYTES = 2 * MIB;
/** How many players are followed. */
const PLAYERS_MAX = 32;

export type MediaRange =
  | { readonly kind: 'whole' }
  /** `start` inclusive, `end` exclusive, in bytes; never empty. */
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

/**
 * Follows players, to end their open-ended ranges: each is twice as long as the one before it while a player reads on, and
 * ends with a chunk, so that the next range opens no chunk again.
 */
export function createReadAhead() {
  const players = new Map<string, { readonly end: number; readonly bytes: number }>();
  /** @returns the end of the range from `start` on, exclusive; it may lie beyond the file */
  return function endOf(id: string, start: number, chunkBytes: number): number {
    const before = players.get(id);
    const bytes = before?.end === start ? Math.min(2 * before.bytes, OPEN_RANGE_MAX_BYTES) : OPEN_RANGE_MIN_BYTES;
    const end = Math.ceil((start + bytes) / chunkBytes) * chunkBytes;
    players.delete(id);
    players.set(id, { end, bytes });
    const [oldest] = players.keys();
    if (players.size > PLAYERS_MAX && oldest !== undefined) players.delete(oldest);
    return end;
  };
}

/**
 * Parses a Range header. A header that is malformed or names several ranges is ignored.
 * @param header value of the Range header, or null
 * @param sizeBytes size of the plaintext
 * @param openEnd where a range without an end that begins at a byte ends, exclusive
 */
export function parseRange(
  header: string | null,
  sizeBytes: number,
  openEnd: (start: number) => number = (start) => start + OPEN_RANGE_MAX_BYTES,
): MediaRange {
  const match = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  // RFC 9110 §14.2: "A server MAY ignore the Range header field."
  if (!match) return { kind: 'whole' };
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? { kind: 'whole' } : suffixRange(Number(last), sizeBytes);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return { kind: 'whole' };
  if (start >= sizeBytes) return { kind: 'unsatisfiable' };
  const wantedEnd = last === '' ? openEnd(start) : Number(last) + 1;
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
