import { describe, expect, test } from 'vitest';
import { ceilingOf, columnsOf, isQuiet, labelledColumns, nextReading, startOf } from './chart-model.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-11-20T03:00:00.000Z');
const hour = (at: number, views = 0, downloads = 0) => ({
  hour: new Date(START_MS + at * HOUR_MS).toISOString(),
  views,
  downloads,
});
const hours = (count: number) => Array.from({ length: count }, (_, at) => hour(at, at, 1));
const after = (count: number) => new Date(START_MS + count * HOUR_MS).toISOString();

describe('columns', () => {
  test('a folder of a day has a column an hour; future columns are empty', () => {
    // From 03:40 to 03:40 of the next day: 25 clock hours.
    const columns = columnsOf(hours(9), after(24 + 40 / 60));
    expect(columns).toMatchObject({ total: 25, hoursEach: 1 });
    expect(columns.past).toHaveLength(9);
    expect(columns.past[3]).toEqual({ startMs: START_MS + 3 * HOUR_MS, views: 3, downloads: 1 });
    expect(startOf(columns, 24)).toBe(START_MS + 24 * HOUR_MS);
  });

  test('a folder of a month groups hours, and loses none', () => {
    const columns = columnsOf(hours(100), after(30 * 24));
    expect(columns.hoursEach).toBe(24);
    expect(columns.total).toBe(30);
    expect(columns.past).toHaveLength(5);
    expect(columns.past.reduce((sum, { views }) => sum + views, 0)).toBe((99 * 100) / 2);
    expect(columns.past[4]).toMatchObject({ startMs: START_MS + 96 * HOUR_MS, downloads: 4 });
  });

  test.each([
    [24, 1],
    [48, 1],
    [72, 2],
    [168, 4],
    [365 * 24, 192],
  ])('a life of %i hours has columns of %i', (life, hoursEach) => {
    const columns = columnsOf(hours(1), after(life));
    expect(columns.hoursEach).toBe(hoursEach);
    expect(columns.total).toBeLessThanOrEqual(49);
  });

  test('a folder past its end by the clock still shows all of its hours', () => {
    expect(columnsOf(hours(26), after(24)).total).toBe(26);
  });

  test('no hours give no columns', () => {
    expect(columnsOf([], after(24))).toEqual({ past: [], total: 1, hoursEach: 1 });
  });

  test('a column without views and downloads is quiet', () => {
    expect(isQuiet(columnsOf([hour(0), hour(1)], after(24)))).toBe(true);
    expect(isQuiet(columnsOf([hour(0), hour(1, 0, 1)], after(24)))).toBe(false);
  });
});

test.each([
  [0, 4],
  [4, 4],
  [5, 6],
  [10, 10],
  [11, 20],
  [21, 30],
  [61, 80],
  [81, 100],
  [101, 200],
  [999, 1000],
  [12_345, 20_000],
])('a highest column of %i has a scale to %i, with a whole half', (most, top) => {
  expect(ceilingOf([{ startMs: 0, views: 1, downloads: most }])).toBe(top);
  expect(Number.isInteger(top / 2)).toBe(true);
});

test.each([
  [24, 28, 56, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]],
  [24, 12, 56, [0, 6, 12, 18, 24]],
  [25, 30, 56, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]],
  [24, 1, 56, [0]],
])('%i columns of %i px label those that fit', (total, stepPx, labelPx, named) =>
  expect(labelledColumns(total, stepPx, labelPx)).toEqual(named),
);

describe('reading by keys', () => {
  test('the first step goes to the first or the last hour', () => {
    expect(nextReading('ArrowRight', undefined, 9)).toBe(0);
    expect(nextReading('ArrowLeft', undefined, 9)).toBe(8);
  });

  test('steps stop at the ends', () => {
    expect(nextReading('ArrowRight', 7, 9)).toBe(8);
    expect(nextReading('ArrowRight', 8, 9)).toBe(8);
    expect(nextReading('ArrowLeft', 0, 9)).toBe(0);
    expect(nextReading('Home', 5, 9)).toBe(0);
    expect(nextReading('End', 5, 9)).toBe(8);
  });

  test('other keys select nothing', () => expect(nextReading('Tab', 3, 9)).toBeUndefined());
});
