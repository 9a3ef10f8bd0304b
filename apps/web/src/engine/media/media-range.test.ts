import { anyCharacter } from '@satchel/contract/testing/any-text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  attachmentHeader,
  createReadAhead,
  OPEN_RANGE_MAX_BYTES,
  OPEN_RANGE_MIN_BYTES,
  parseRange,
} from './media-range.ts';

const SIZE = 10 * 1024 ** 2;
const part = (start: number, end: number) => ({ kind: 'part', start, end });

describe('a Range header', () => {
  test('of the first two bytes, with which Safari begins, is answered with exactly two', () => {
    expect(parseRange('bytes=0-1', SIZE)).toEqual(part(0, 2));
  });

  test('with an open end is capped', () => {
    expect(parseRange('bytes=0-', SIZE)).toEqual(part(0, OPEN_RANGE_MAX_BYTES));
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

describe('a range without an end', () => {
  const GIB = 1024 ** 3;
  const CHUNK = 1024 ** 2;

  test('is short after a jump, also far above 4 GiB, and grows while the player reads on', () => {
    const endOf = createReadAhead();
    const place = 8 * GIB + 12_345;
    const lengths = [place];
    for (const start of lengths.slice()) lengths.push(endOf('film', start, 16));
    for (let turn = 0; turn < 3; turn++) lengths.push(endOf('film', lengths.at(-1) ?? 0, 16));
    const steps = lengths.slice(1).map((end, index) => end - (lengths[index] ?? 0));
    const wanted = [OPEN_RANGE_MIN_BYTES, 2 * OPEN_RANGE_MIN_BYTES, OPEN_RANGE_MAX_BYTES, OPEN_RANGE_MAX_BYTES];
    for (const [index, step] of steps.entries()) expect(Math.abs(step - (wanted[index] ?? 0))).toBeLessThan(16);
    expect(endOf('film', 0, 16)).toBe(OPEN_RANGE_MIN_BYTES);
    expect(parseRange(`bytes=${place}-`, 10 * GIB, (start) => endOf('other', start, CHUNK))).toEqual(
      part(place, 8 * GIB + CHUNK),
    );
  });

  test('ends with a chunk, so that none is opened twice by a player that reads on', () => {
    const jumps = fc.array(fc.nat({ max: 10 * GIB }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(jumps, fc.constantFrom(32 * 1024, CHUNK, 4 * CHUNK), (places, chunkBytes) => {
        const endOf = createReadAhead();
        for (const place of places) {
          const end = endOf('film', place, chunkBytes);
          expect(end % chunkBytes).toBe(0);
          expect(end - place).toBeGreaterThanOrEqual(OPEN_RANGE_MIN_BYTES);
          expect(end - place).toBeLessThan(OPEN_RANGE_MAX_BYTES + chunkBytes);
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
