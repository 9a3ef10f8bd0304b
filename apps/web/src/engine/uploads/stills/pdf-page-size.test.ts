import { expect, test } from 'vitest';
import { beginsAsPdf, fillEdge, isBlank } from './pdf-page-size.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('a PDF is known by its mark, also behind what a program wrote before it', () => {
  expect([beginsAsPdf(bytes('%PDF-1.7\n')), beginsAsPdf(bytes(`${' '.repeat(900)}%PDF-1.4`))]).toEqual([true, true]);
  expect([
    beginsAsPdf(bytes(`${' '.repeat(1020)}%PDF-1.4`)),
    beginsAsPdf(bytes('<html>')),
    beginsAsPdf(bytes('')),
  ]).toEqual([false, false, false]);
});

test('a page of any size fills the square with its shape kept', () => {
  expect(fillEdge(595, 842, 480)).toMatchObject({ widthPx: 339, heightPx: 480 });
  expect(fillEdge(150, 100, 480)).toEqual({ scale: 3.2, widthPx: 480, heightPx: 320 });
  expect(fillEdge(20_000, 1, 480)).toMatchObject({ widthPx: 480, heightPx: 1 });
  expect(fillEdge(1, 1, 480)).toEqual({ scale: 480, widthPx: 480, heightPx: 480 });
});

test.each([
  [0, 100],
  [100, -1],
  [Number.NaN, 100],
  [Number.POSITIVE_INFINITY, 100],
])('a page of %d × %d points can’t be drawn', (widthPt, heightPt) => {
  expect(fillEdge(widthPt, heightPt, 480)).toBeNull();
});

test('a page is blank while all of it is white', () => {
  const page = new Uint8ClampedArray(400).fill(255);
  expect(isBlank(page)).toBe(true);
  page[200] = 254;
  expect(isBlank(page)).toBe(false);
});
