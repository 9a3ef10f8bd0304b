import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachment, hasVersion, parseRange, rangeCounts, servedType } from './byte-range.ts';

describe('parseRange', () => {
  test.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-9', { start: 0, end: 10 }],
    ['bytes=10-', { start: 10, end: 100 }],
    ['bytes=10-1000', { start: 10, end: 100 }],
    ['bytes=-1', { start: 99, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    ['BYTES=99-99', { start: 99, end: 100 }],
  ])('%s of 100 bytes', (header, range) => {
    expect(parseRange(header, 100)).toEqual(range);
  });

  test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%s of 100 bytes cannot be satisfied', (header) => {
    expect(parseRange(header, 100)).toBe('unsatisfiable');
  });

  test.each([undefined, '', 'bytes=-', 'bytes=9-1', 'bytes=0-1,5-6', 'items=0-1', 'bytes=a-b', 'bytes=0x1-2'])(
    '%s counts as no range',
    (header) => {
      expect(parseRange(header, 100)).toBe('whole');
    },
  );

  test('every range lies inside the file', () => {
    const position = fc.option(fc.nat(300), { nil: '' as const });
    fc.assert(
      fc.property(position, position, fc.nat(200), (first, last, sizeBytes) => {
        const range = parseRange(`bytes=${first}-${last}`, sizeBytes);
        if (typeof range === 'string') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThan(range.start);
        expect(range.end).toBeLessThanOrEqual(sizeBytes);
      }),
    );
  });
});

test('If-Range lets a range count for the same version only, and never by date', () => {
  expect(rangeCounts(undefined, '"a"')).toBe(true);
  expect(rangeCounts('"a"', '"a"')).toBe(true);
  expect(rangeCounts('"b"', '"a"')).toBe(false);
  expect(rangeCounts('W/"a"', '"a"')).toBe(false);
  expect(rangeCounts('Wed, 21 Oct 2026 07:28:00 GMT', '"a"')).toBe(false);
});

test('If-None-Match takes lists, weak tags and the star', () => {
  expect(hasVersion(undefined, '"a"')).toBe(false);
  expect(hasVersion('"b", W/"a"', '"a"')).toBe(true);
  expect(hasVersion('*', '"a"')).toBe(true);
  expect(hasVersion('"b"', '"a"')).toBe(false);
});

describe('attachment', () => {
  test('gives the name in UTF-8 and in ASCII', () => {
    expect(attachment('Übung (1).pdf')).toBe(
      `attachment; filename="_bung (1).pdf"; filename*=UTF-8''%C3%9Cbung%20%281%29.pdf`,
    );
  });

  test('escapes every name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const [, plain, encoded] =
          /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([\w.%!~-]*)$/.exec(attachment(name)) ?? [];
        expect(plain).toMatch(/^[\x20-\x7e]*$/);
        expect(decodeURIComponent(encoded ?? 'no match')).toBe(name);
      }),
    );
  });
});

test.each([
  'text/javascript',
  'application/javascript;charset=utf-8',
  'Application/X-JavaScript ; a=b',
  'text/javascript1.5',
  'text/jscript',
  'text/livescript',
  'application/ecmascript',
  'text/css',
])('a file of %s is sent as text', (mimetype) => {
  expect(servedType(mimetype)).toBe('text/plain; charset=utf-8');
});

test.each(['text/html', 'image/svg+xml', 'text/cssx', 'application/json', 'image/png'])(
  'a file of %s keeps its type',
  (mimetype) => {
    expect(servedType(mimetype)).toBe(mimetype);
  },
);
