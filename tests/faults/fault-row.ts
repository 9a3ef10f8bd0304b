import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../support/site.ts';
import type { KeptFiles } from './kept-files.ts';

const KIB = 1024;
const FILES_READ = 4;

/** A row of the table that `npm run test:faults` prints. */
export interface FaultRow {
  readonly fault: string;
  /** Calls while it lasted. */
  readonly runs: number;
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
  /** From the end of the fault until a file was taken and read again; null where there is nothing to wait for. */
  readonly recoveredMs: number | null;
  /** What else was seen; of a row that did not run, what it takes. */
  readonly note: string;
  /** The longest that a person waited for an answer, where the row has a limit for it. */
  readonly longestMs?: number;
  readonly isNotRun?: true;
}

/** What rows of S3 take. */
export const GATEWAY = 'an S3 gateway (apt-get install radosgw ceph-mon ceph-osd)';

/** The row of a fault that can't be had on this machine. */
export const notRun = (fault: string, takes: string): FaultRow => ({
  fault,
  runs: 0,
  lost: [],
  wrong: [],
  recoveredMs: null,
  note: `NOT RUN: it takes ${takes}`,
  isNotRun: true,
});

export async function fsckFindings({ fsck }: Pick<Site, 'fsck'>): Promise<string[]> {
  const { code, output } = await fsck('--hash');
  return code === 0 ? [] : [`fsck --hash: ${output.trim()}`];
}

export const answersOf = ({ answers }: KeptFiles): string =>
  [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ');

const runsOf = ({ answers }: KeptFiles): number => [...answers.values()].reduce((sum, count) => sum + count, 0);

interface Trouble {
  readonly work: () => Promise<unknown>;
  readonly mend: () => unknown;
  /** How long an answer may take until the site has recovered. */
  readonly answersWithinMs?: number;
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/**
 * Lets a person work while something fails, ends the fault, and looks for what is missing: what was acknowledged, and what
 * `satchel-admin fsck --hash` finds.
 */
export async function endure(
  fault: string,
  site: Pick<Site, 'fsck'>,
  kept: KeptFiles,
  { work, mend, answersWithinMs }: Trouble,
): Promise<FaultRow> {
  kept.beginCount();
  await work();
  const [runs, note] = [runsOf(kept), answersOf(kept)];
  await mend();
  const recoveredMs = await kept.recovered();
  const { ms: longestMs, method } = kept.longest();
  const longest = `the longest, a ${method}, took ${inSeconds(longestMs)}`;
  if (answersWithinMs && longestMs > answersWithinMs) kept.wrong.push(longest);
  await kept.settle();
  const wrong = [...kept.wrong.splice(0), ...(await fsckFindings(site))];
  const row = { fault, runs, lost: kept.lost.splice(0), wrong, recoveredMs, note };
  return answersWithinMs ? { ...row, longestMs, note: `${note}; ${longest}` } : row;
}

/** A person works until `act` has ended. */
export async function beside(kept: KeptFiles, act: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      const reads = kept.files().slice(-FILES_READ);
      await Promise.all([kept.upload(2048 * KIB), kept.upload(10 * KIB), ...reads.map((file) => kept.read(file))]);
      await sleep(100);
    }
  };
  const working = work();
  await act().finally(() => {
    isOver = true;
  });
  await working;
}
