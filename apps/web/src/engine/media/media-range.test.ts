import { anyCharacter } from '@satchel/contract/testing/any-text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachmentHeader, PIECE_MAX_BYTES, PIECE_MIN_BYTES, parseRange, pieceEnds } from './media-range.ts';

const SIZE = 10 * 1024 ** 2;
const part = (start: number, end: number) => ({ kind: 'part', start, end });

describe('a Range header', () => {
  test('of the first two bytes, with which Safari begins, is answered with exactly two', () => {
    expect(parseRange('bytes=0-1', SIZE)).toEqual(part(0, 2));
  });

  test('with an open end goes to the file’s end', () => {
    expect(parseRange('bytes=0-', SIZE)).toEqual(part(0, SIZE));
    expect(parseRange(`bytes=${SIZE - 5}-`, SIZE)).toEqual(part(SIZE - 5, SIZE));
  });

  test('with an end is answered whole, but never beyond the file', () => {
    expect(parseRange(`bytes=10-${SIZE - 1}`, SIZE)).toEqual(part(10, SIZE));
    expect(parseRange('bytes=10-99999999999', SIZE)).toEqual(part(10, SIZE));
  });

  test('of a suffix gives the file’s end', () => {
    expect(parseRange('bytes=-500', SIZE)).toEqual(part(SIZE - 500, SIZE));
    expect(parseRange('bytes=-99999999999', SIZE)).toEqual(part(0, SIZE));
  });

  test('beyond the file is unsatisfiable', () => {
    for (const header of [`bytes=${SIZE}-`, `bytes=${SIZE}-${SIZE + 5}`, 'bytes=-0']) {
      expect(parseRange(header, SIZE)).toEqual({ kind: 'unsatisfiable' });
    }
  });

  test('that is absent, malformed or asks for several ranges is ignored', () => {
    for (const header of [
      null,
      '',
      'bytes=',
      'bytes=-',
      'bytes=5-3',
      'bytes=0-1,5-9',
      'items=0-1',
      'bytes=a-b',
      'bytes=1',
    ]) {
      expect(parseRange(header, SIZE)).toEqual({ kind: 'whole' });
    }
  });

  test('never gives a range that is empty or outside the file', () => {
    const number = fc.oneof(fc.constant(''), fc.nat({ max: 2 ** 31 }).map(String));
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 2 ** 31 }), (first, last, size) => {
        const range = parseRange(`bytes=${first}-${last}`, size);
        if (range.kind !== 'part') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThan(range.start);
        expect(range.end).toBeLessThanOrEqual(size);
      }),
    );
  });
});

describe('the pieces of a range', () => {
  const GIB = 1024 ** 3;
  const CHUNK = 1024 ** 2;

  test('are short at first, also far above 4 GiB, and grow while the player reads on', () => {
    const place = 8 * GIB + 12_345;
    const ends = pieceEnds(place, 10 * GIB, 16);
    const places = [place, ...Array.from({ length: 4 }, () => ends.next().value ?? 0)];
    const lengths = places.slice(1).map((end, index) => end - (places[index] ?? 0));
    const wanted = [PIECE_MIN_BYTES, 2 * PIECE_MIN_BYTES, PIECE_MAX_BYTES, PIECE_MAX_BYTES];
    for (const [index, length] of lengths.entries()) expect(Math.abs(length - (wanted[index] ?? 0))).toBeLessThan(16);
    expect(pieceEnds(place, 10 * GIB, CHUNK).next().value).toBe(8 * GIB + CHUNK);
  });

  test('end with a chunk, so that none is opened twice, and the last with the range', () => {
    const range = fc.tuple(fc.nat({ max: 10 * GIB }), fc.integer({ min: 1, max: 20 * CHUNK }));
    fc.assert(
      fc.property(range, fc.constantFrom(32 * 1024, CHUNK, 4 * CHUNK), ([start, bytes], chunkBytes) => {
        const ends = [...pieceEnds(start, start + bytes, chunkBytes)];
        expect(ends.at(-1)).toBe(start + bytes);
        for (const [index, end] of ends.slice(0, -1).entries()) {
          const from = index === 0 ? start : (ends[index - 1] ?? 0);
          expect(end % chunkBytes).toBe(0);
          expect(end - from).toBeGreaterThanOrEqual(PIECE_MIN_BYTES);
          expect(end - from).toBeLessThan(PIECE_MAX_BYTES + chunkBytes);
        }
      }),
    );
  });
});

describe('an attachment’s name', () => {
  test('is encoded as RFC 8187 says, with a plain one for those who cannot read it', () => {
    expect(attachmentHeader("Ü (1)'*.txt")).toBe(
      `attachment; filename="_ (1)'*.txt"; filename*=UTF-8''%C3%9C%20%281%29%27%2A.txt`,
    );
    expect(attachmentHeader('a"b\\c%d')).toBe(`attachment; filename="a_b_c_d"; filename*=UTF-8''a%22b%5Cc%25d`);
  });

  test('of any text is one line that a header takes, and reads back', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        const header = attachmentHeader(name);
        expect(new Headers({ 'Content-Disposition': header }).get('Content-Disposition')).toBe(header);
        expect(decodeURIComponent(/''(.*)$/.exec(header)?.[1] ?? '?')).toBe(name.toWellFormed());
      }),
    );
  });
});
