import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../support/site/site.ts';
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
  /** What else was seen. */
  readonly note: string;
}

export const answersOf = ({ answers }: KeptFiles): string =>
  [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ');

const runsOf = ({ answers }: KeptFiles): number => [...answers.values()].reduce((sum, count) => sum + count, 0);

/**
 * Lets a person work while something fails, ends the fault, and looks for what is missing: what was acknowledged, and what
 * `satchel fsck` finds.
 */
export async function endure(
  fault: string,
  site: Pick<Site, 'fsck'>,
  kept: KeptFiles,
  { work, mend }: { readonly work: () => Promise<unknown>; readonly mend: () => unknown },
): Promise<FaultRow> {
  kept.answers.clear();
  await work();
  const [runs, note] = [runsOf(kept), answersOf(kept)];
  await mend();
  const recoveredMs = await kept.recovered();
  await kept.settle();
  const { code, output } = await site.fsck();
  const found = code === 0 ? [] : [`fsck: ${output.trim()}`];
  return { fault, runs, lost: kept.lost.splice(0), wrong: [...kept.wrong.splice(0), ...found], recoveredMs, note };
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
