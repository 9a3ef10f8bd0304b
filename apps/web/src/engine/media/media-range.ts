import { MIB } from '@satchel/contract/limits';

/** Byte ranges of the plaintext (RFC 9110 §14), as players ask for them. */

/** An open-ended range is answered with at most this much: a player that seeks would otherwise throw most of it away. */
export const OPEN_RANGE_BYTES = 2 * MIB;

export type MediaRange =
  | { readonly kind: 'whole' }
  /** `start` inclusive, `end` exclusive, in bytes; never empty. */
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

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
  const wantedEnd = last === '' ? start + OPEN_RANGE_BYTES : Number(last) + 1;
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
