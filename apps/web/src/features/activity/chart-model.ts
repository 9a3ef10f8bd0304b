import type { ActivityHour } from '@satchel/contract/api';

/** A column of the chart: one hour, or several when the folder's lifetime has more hours than the chart has columns. */
export interface Column {
  readonly startMs: number;
  readonly views: number;
  readonly downloads: number;
}

export interface Columns {
  /** From the folder's first hour to the present one. */
  readonly past: readonly Column[];
  /** Number of columns at the end of the folder's lifetime. */
  readonly total: number;
  readonly hoursEach: number;
}

const HOUR_MS = 3_600_000;
/** The most columns that a wide screen can show apart. */
const COLUMNS_MAX = 49;
const DAY_PARTS = [1, 2, 3, 4, 6, 12];

/** Hours a column: a divisor of a day or whole days, so that columns begin at the same time every day. */
function hoursOfEach(hours: number): number {
  const fits = (each: number) => Math.ceil(hours / each) <= COLUMNS_MAX;
  return DAY_PARTS.find(fits) ?? 24 * Math.ceil(hours / 24 / COLUMNS_MAX);
}

/**
 * The columns of a folder's life.
 * @param activity every hour so far, without gaps
 */
export function columnsOf(activity: readonly ActivityHour[], expiresAt: string): Columns {
  const startMs = Date.parse(activity[0]?.hour ?? expiresAt);
  const hours = Math.max(activity.length, Math.ceil((Date.parse(expiresAt) - startMs) / HOUR_MS), 1);
  const hoursEach = hoursOfEach(hours);
  const past = Array.from({ length: Math.ceil(activity.length / hoursEach) }, (_, at) => {
    const joined = activity.slice(at * hoursEach, (at + 1) * hoursEach);
    return {
      startMs: startMs + at * hoursEach * HOUR_MS,
      views: joined.reduce((sum, { views }) => sum + views, 0),
      downloads: joined.reduce((sum, { downloads }) => sum + downloads, 0),
    };
  });
  return { past, total: Math.ceil(hours / hoursEach), hoursEach };
}

/** Start time of column `at`, also of a future one. */
export const startOf = ({ past, hoursEach }: Columns, at: number): number =>
  (past[0]?.startMs ?? 0) + at * hoursEach * HOUR_MS;

export const isQuiet = ({ past }: Columns): boolean =>
  past.every(({ views, downloads }) => views === 0 && downloads === 0);

const SMALL = [4, 6, 8, 10];
const LARGE = [1, 2, 3, 4, 5, 6, 8, 10];

/** Top of the scale: round, at least the highest column, and with a whole number in its middle. */
export function ceilingOf(columns: readonly Column[]): number {
  const most = Math.max(0, ...columns.flatMap(({ views, downloads }) => [views, downloads]));
  if (most <= 10) return SMALL.find((top) => top >= most) ?? 10;
  const power = 10 ** Math.floor(Math.log10(most));
  return (LARGE.find((digit) => digit * power >= most) ?? 10) * power;
}

const EVERY = [1, 2, 3, 4, 6, 8, 12, 24];

/** The columns that the axis labels: as many as fit. */
export function labelledColumns(total: number, stepPx: number, labelPx: number): readonly number[] {
  const every = EVERY.find((count) => count * stepPx >= labelPx) ?? Math.max(24, Math.ceil(labelPx / stepPx));
  return Array.from({ length: Math.floor(total / every) + 1 }, (_, at) => at * every);
}

/** The column that a key selects; undefined for keys that select none. */
export function nextReading(key: string, at: number | undefined, count: number): number | undefined {
  const last = count - 1;
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, (at ?? -1) + 1);
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, (at ?? count) - 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}
