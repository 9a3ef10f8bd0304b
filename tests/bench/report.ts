/** A measured way of doing a task, and the bounds of the same run to compare it with. */
export interface Row {
  readonly name: string;
  readonly unit: 'MiB/s' | 'MiB' | 'ms' | '/s' | 'CPU-s' | 'ms CPU' | '×';
  /** One figure a round. */
  readonly measured: readonly number[];
  /** An absolute limit on any machine: on a person's waiting time, or on memory. */
  readonly atMost?: number;
  /** Without a limit, the bound is only for comparison. */
  readonly bounds: readonly {
    readonly name: string;
    readonly measured: readonly number[];
    readonly atLeast?: number;
    readonly atMost?: number;
  }[];
}

export const median = (values: readonly number[]): number => percentile(values, 50);

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor((sorted.length * percent) / 100), sorted.length - 1)] ?? Number.NaN;
}

export const mibPerSecond = (bytes: number, ms: number): number => bytes / 1024 ** 2 / (ms / 1000);

/** Small numbers keep their decimals. */
const shown = (value: number) => value.toFixed(value < 10 ? 2 : 0);

function reportLine(isKept: boolean, bad: string, text: string): boolean {
  console.log(`  ${isKept ? 'ok  ' : bad} ${text}`);
  return isKept;
}

/** Prints the rows and returns whether every figure is within its limits. */
export function report(rows: readonly Row[]): boolean {
  let good = true;
  for (const { name, unit, measured, atMost, bounds } of rows) {
    const figure = median(measured);
    const rounds = measured.length > 1 ? ` (${measured.map(shown).join(', ')})` : '';
    console.log(`\n${name}: ${shown(figure)} ${unit}${rounds}`);
    if (atMost !== undefined) good = reportLine(figure <= atMost, 'HIGH', `at most ${atMost} ${unit}`) && good;
    for (const bound of bounds) {
      const ratio = figure / median(bound.measured);
      const text = `${ratio.toFixed(2)} × ${bound.name} (${shown(median(bound.measured))} ${unit})`;
      const { atLeast, atMost: atMostTimes } = bound;
      if (atLeast !== undefined) good = reportLine(ratio >= atLeast, 'LOW ', `${text}, at least ${atLeast}`) && good;
      else if (atMostTimes !== undefined)
        good = reportLine(ratio <= atMostTimes, 'HIGH', `${text}, at most ${atMostTimes}`) && good;
      else console.log(`       ${text}`);
    }
  }
  return good;
}
