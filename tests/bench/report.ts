import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

/** Rows of the bench: what was measured, beside which bound of the same run, and whether it is within its limit. */
export interface Row {
  readonly name: string;
  readonly unit: 'MB' | 's' | 'ms' | '/s' | 'CPU-s' | 'ms CPU';
  /** One figure a round. */
  readonly measured: readonly number[];
  /** Absolute limits on any machine: on a person's waiting time, on memory, on requests a second. */
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Limits are for the ratio. Without one, the bound is only for comparison. */
  readonly bounds: readonly Bound[];
}

interface Bound {
  readonly name: string;
  readonly measured: readonly number[];
  readonly atMost?: number;
}

/** What the runner adds: load average when the row began. */
export interface Finished {
  readonly load: number;
  readonly rows: readonly Row[];
  /** Why there are no rows. */
  readonly failure?: { readonly name: string; readonly message: string };
}

export const ROUNDS = Number(process.env.ROUNDS ?? 3);

/** Runs every way of doing a task once a round, one after the other, so that what else the machine does meets all of them. */
export async function byTurns<Way extends string, Result>(
  ways: Readonly<Record<Way, (round: number) => Promise<Result>>>,
): Promise<Record<Way, Result[]>> {
  const names = Object.keys(ways) as Way[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Way, Result[]>;
  for (let round = 0; round < ROUNDS; round += 1) for (const name of names) results[name].push(await ways[name](round));
  return results;
}

const median = (values: readonly number[]): number => percentile(values, 50);

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor((sorted.length * percent) / 100), sorted.length - 1)] ?? Number.NaN;
}

const NONE = '–';
/** Small numbers keep their decimals. */
const shown = (value: number) => (Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) : '∞');

const figure = (values: readonly number[], unit: string) =>
  `${shown(median(values))} ${unit}${values.length > 1 ? ` (${values.map(shown).join(', ')})` : ''}`;

interface Limits {
  readonly atLeast?: number;
  readonly atMost?: number;
}

const hasLimit = ({ atLeast, atMost }: Limits) => atLeast !== undefined || atMost !== undefined;

/** Also false for what is no number. */
const isWithin = (value: number, { atLeast, atMost }: Limits) =>
  (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);

interface Line {
  readonly cells: readonly string[];
  readonly isReached: boolean;
}

function lineOf({ name, unit, measured }: Row, bound: Bound | null, limits: Limits, isRatio: boolean): Line {
  const ratio = bound ? median(measured) / median(bound.measured) : null;
  const isReached = !hasLimit(limits) || isWithin((isRatio ? ratio : median(measured)) ?? Number.NaN, limits);
  const { atLeast, atMost } = limits;
  const limit = atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
  return {
    isReached,
    cells: [
      name,
      figure(measured, unit),
      bound ? `${bound.name}: ${figure(bound.measured, unit)}` : NONE,
      ratio === null ? NONE : ratio.toFixed(2),
      hasLimit(limits) ? `${limit} ${isRatio ? 'times' : unit}` : NONE,
      hasLimit(limits) ? (isReached ? 'yes' : '**no**') : NONE,
    ],
  };
}

/** A line for each limit, and for each bound without one. An absolute limit shares its line with the first such bound. */
function linesOf(row: Row): Line[] {
  const { atLeast, atMost } = row;
  const limits: Limits = { ...(atLeast !== undefined && { atLeast }), ...(atMost !== undefined && { atMost }) };
  const [limited, others] = [row.bounds.filter(hasLimit), row.bounds.filter((bound) => !hasLimit(bound))];
  const lines = limited.map((bound) => lineOf(row, bound, bound, true));
  if (hasLimit(limits) || lines.length === 0) lines.unshift(lineOf(row, others.shift() ?? null, limits, false));
  return [...lines, ...others.map((bound) => lineOf(row, bound, {}, true))];
}

const HEADS = ['Row', 'Figure', 'Bound in the same run', 'Ratio', 'Limit', 'Reached', 'Load'];
const toLine = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** Prints the table as Markdown, and returns whether every figure is within its limit. */
export function report(all: readonly Finished[]): boolean {
  let isGood = true;
  const lines: string[] = [];
  for (const { load, rows, failure } of all) {
    const found = rows.flatMap(linesOf);
    if (failure)
      found.push({
        isReached: false,
        cells: [failure.name, `failed: ${failure.message}`, NONE, NONE, NONE, '**no**'],
      });
    for (const { cells, isReached } of found) {
      lines.push(toLine([...cells, load.toFixed(2)]));
      isGood &&= isReached;
    }
  }
  console.log(`\n${[toLine(HEADS), toLine(HEADS.map(() => '---')), ...lines].join('\n')}`);
  return isGood;
}

const firstLine = (program: string, args: readonly string[]) =>
  spawnSync(program, args, { encoding: 'utf8' }).stdout?.split('\n', 1)[0]?.trim() || NONE;

/** The machine and the versions, in one line. */
export function describeRun(): string {
  const commit = firstLine('git', ['-C', import.meta.dirname, 'describe', '--always', '--dirty']);
  const browser = process.env.CHROMIUM_PATH ? firstLine(process.env.CHROMIUM_PATH, ['--version']) : 'no browser';
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return `${new Date().toISOString()}, ${commit}, ${machine}, Node ${process.version}, ${browser}`;
}
