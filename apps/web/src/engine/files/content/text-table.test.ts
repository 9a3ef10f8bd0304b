import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXT_SHOWN_BYTES } from '../read-text.ts';
import { TABLE_MAX_COLUMNS, TABLE_MAX_ROWS } from './content-messages.ts';
import { readTable } from './text-table.ts';

test.each([
  [
    'semicolons, with commas in figures',
    'name;price\r\na;1,50\r\nb;2,75',
    [
      ['name', 'price'],
      ['a', '1,50'],
      ['b', '2,75'],
    ],
  ],
  ['a delimiter that its first line names', 'sep=;\na;b,c', [['a', 'b,c']]],
  [
    'rows of several lengths',
    'a,b,c\nd\n\ne,f',
    [
      ['a', 'b', 'c'],
      ['d', '', ''],
      ['e', 'f', ''],
    ],
  ],
  ['a quote that never ends', 'a,"b\nc', [['a', 'b\nc']]],
  ['one column', 'a\nb', [['a'], ['b']]],
  ['nothing', '', []],
])('a table with %s is read', (_name, text, rows) => {
  expect(readTable(text)).toEqual({ rows, isCut: false });
});

test('a formula is a text like any other', () => {
  const text = '=HYPERLINK("https://evil.example"),+1,@SUM(A1)\n"=cmd|\'/c calc\'!A0",-2,';
  expect(readTable(text).rows[1]?.[0]).toBe("=cmd|'/c calc'!A0");
});

test('a table has bounds', () => {
  const long = readTable('a,b\n'.repeat(TABLE_MAX_ROWS + 1));
  expect([long.rows.length, long.isCut]).toEqual([TABLE_MAX_ROWS, true]);
  const wide = readTable('a,'.repeat(TEXT_SHOWN_BYTES / 2));
  expect([wide.rows[0]?.length, wide.isCut]).toEqual([TABLE_MAX_COLUMNS, true]);
  expect(readTable(`${'x'.repeat(100_000)},b`).rows[0]?.[0]?.length).toBeLessThan(1100);
});

test('rows of any text have one width', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\r', '\n') }), (text) => {
      const { rows } = readTable(text);
      expect(new Set(rows.map(({ length }) => length)).size).toBeLessThanOrEqual(1);
    }),
  );
});
