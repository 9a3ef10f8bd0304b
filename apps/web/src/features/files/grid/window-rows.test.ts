import { expect, test } from 'vitest';
import { rowsInView, scrollToShow } from './window-rows.ts';

const view = { viewportPx: 900, rowHeightPx: 200, rows: 400 };

test('the visible rows are rendered, with three more on either side', () => {
  expect(rowsInView({ ...view, topPx: 300 })).toEqual({ first: 0, end: 6 });
  expect(rowsInView({ ...view, topPx: -10_000 })).toEqual({ first: 47, end: 58 });
});

test('with thousands of rows, only as many as fit the window are rendered', () => {
  for (const topPx of [900, 0, -1, -39_999, -79_900]) {
    const { first, end } = rowsInView({ ...view, topPx });
    expect(end - first).toBeLessThanOrEqual(5 + 1 + 2 * 3);
  }
});

test('a window that is scrolled past the end shows the last rows', () => {
  expect(rowsInView({ ...view, rows: 6, topPx: -10_000 })).toEqual({ first: 2, end: 6 });
});

test('rows below the window are rendered from the first on', () => {
  expect(rowsInView({ ...view, topPx: 5000 }).first).toBe(0);
  expect(rowsInView({ ...view, topPx: 5000 }).end).toBeGreaterThan(0);
});

test('no rows give an empty range', () => {
  expect(rowsInView({ ...view, rows: 0, topPx: 0 })).toEqual({ first: 0, end: 0 });
});

test('a visible row needs no scrolling', () => {
  expect(scrollToShow(150, 200, 900)).toBe(0);
});

test('a row behind the bar scrolls up to below it, and one below the window just into it', () => {
  expect(scrollToShow(-50, 200, 900)).toBe(-162);
  expect(scrollToShow(800, 200, 900)).toBe(124);
});

test('a row higher than the window is shown from its top', () => {
  expect(scrollToShow(300, 1000, 900)).toBe(188);
});
