import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Processor time and memory of one process, or of one with all that it started, by Linux's /proc. */

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1024;
const LOOK_EVERY_MS = 500;

/** User and system time of all threads, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may hold spaces; utime and stime are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same to the nanosecond, of the threads that still are. */
export const threadSeconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => orNone(() => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')))
    .reduce((seconds, stat) => seconds + Number(stat.split(' ')[0]) / 1e9, 0);

const mibOf = (text: string, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN) / KIB_PER_MIB;

export interface Cost {
  readonly cpuSeconds: number;
  /** The highest resident set, in MiB. */
  readonly rssMib: number;
  /** The highest proportional set that was seen twice a second, in MiB. */
  readonly pssMib: number;
}

/** What a process takes while `work` runs. */
export async function costOf<Result>(
  pid: number,
  work: () => Promise<Result>,
): Promise<{ result: Result; cost: Cost }> {
  // proc(5): writing 5 resets the peak of the resident set.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  let pssMib = 0;
  const look = () => {
    pssMib = Math.max(pssMib, mibOf(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss'));
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  const before = cpuSeconds(pid);
  try {
    const result = await work();
    const rssMib = mibOf(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmHWM');
    return { result, cost: { cpuSeconds: cpuSeconds(pid) - before, rssMib, pssMib } };
  } finally {
    clearInterval(timer);
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
}

/** What `read` returns, or nothing for a process that has ended. */
function orNone<Result>(read: () => Result): Result[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}

/** A process and all that it has started: a browser is some ten processes. */
function treeOf(root: number): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => orNone(() => readFileSync(`/proc/${name}/stat`, 'latin1')))
    .map((stat) => ({
      pid: Number.parseInt(stat, 10),
      parent: Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]),
    }));
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0);

/** User and system time of a process and all that it started, in seconds. */
export const treeCpuSeconds = (root: number): number =>
  sum(treeOf(root).flatMap(({ pid }) => orNone(() => cpuSeconds(pid))));

/** The proportional set of a process, in MiB. */
export const pssMibOf = (pid: number): number => mibOf(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss');

/** The same of a process and all that it started. */
export const treePssMib = (root: number): number => sum(treeOf(root).flatMap(({ pid }) => orNone(() => pssMibOf(pid))));

/** Processes below one, this one where left out, by their command; those that it started itself come first. */
export const childrenOf = (command: RegExp, root = process.pid): number[] =>
  treeOf(root)
    .map(({ pid }) => pid)
    .filter((pid) => pid !== root)
    .filter((pid) => orNone(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1')).some((line) => command.test(line)));
