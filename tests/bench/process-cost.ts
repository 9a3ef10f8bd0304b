import { readdirSync, readFileSync } from 'node:fs';

/** Processor time and memory of one process, or of one with all that it started, by Linux's /proc. */

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1024;

/** User and system time of all threads, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may hold spaces; utime and stime are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
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
function pssMibOf(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kib) / KIB_PER_MIB;
}

/** The most memory that a process has had at once (VmHWM), in MiB; 0 once it has ended. */
export function peakRssMib(pid: number): number {
  const [status = ''] = orNone(() => readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / KIB_PER_MIB;
}

/** The proportional sets of a process and all that it started, in MiB. */
export const treePssMib = (root: number): number => sum(treeOf(root).flatMap(({ pid }) => orNone(() => pssMibOf(pid))));

/** Processes below one, this one where left out, by their command; its direct children come first. */
export const childrenOf = (command: RegExp, root = process.pid): number[] =>
  treeOf(root)
    .map(({ pid }) => pid)
    .filter((pid) => pid !== root)
    .filter((pid) => orNone(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1')).some((line) => command.test(line)));
