/** One measured way of doing a thing, and the bound that it is compared with in the same run. */
export interface Row {
  readonly name: string;
  /** MiB a second, one figure a round. */
  readonly measured: readonly number[];
  readonly bounds: readonly { readonly name: string; readonly measured: readonly number[]; readonly atLeast: number }[];
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

export const mibPerSecond = (bytes: number, ms: number): number => bytes / 1024 ** 2 / (ms / 1000);

/** Prints the rows and says whether every ratio keeps its limit. */
export function report(rows: readonly Row[]): boolean {
  let good = true;
  for (const row of rows) {
    console.log(
      `\n${row.name}: ${median(row.measured).toFixed(0)} MiB/s (${row.measured.map((v) => v.toFixed(0)).join(', ')})`,
    );
    for (const bound of row.bounds) {
      const ratio = median(row.measured) / median(bound.measured);
      const kept = ratio >= bound.atLeast;
      good &&= kept;
      console.log(
        `  ${kept ? 'ok  ' : 'LOW '} ${ratio.toFixed(2)} × ${bound.name} (${median(bound.measured).toFixed(0)} MiB/s), at least ${bound.atLeast}`,
      );
    }
  }
  return good;
}
