import { setTimeout as sleep } from 'node:timers/promises';
import { signIn } from '../../support/people.ts';
import { ageShares, leftShares } from '../key-shares.ts';
import { createLaunchedSite, type LaunchedSite, VICTIMS, type Victim } from '../launched-site.ts';
import { createRandom, createWorker, type Tally, type Worker } from '../recorded-work.ts';
import { SWEPT_WITHIN_MS, within } from '../within.ts';

/**
 * Rounds of work that a kill -9 ends at a random moment: after the restart, everything acknowledged is there, and
 * `satchel-admin fsck` finds nothing.
 */

const PERSONAS = ['mika', 'jonas', 'ava', 'lena'];
const WORKERS_EACH = 2;
const WORK_MIN_MS = 300;
const WORK_MAX_MS = 3000;

export interface Round {
  readonly victim: Victim;
  readonly acts: number;
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
  /** Until the site answered again. */
  readonly backMs: number;
}

export interface CrashReport {
  readonly rounds: readonly Round[];
  /** Findings after everything was finished, swept and deleted. */
  readonly end: Pick<Round, 'lost' | 'wrong'>;
}

async function lines(site: LaunchedSite): Promise<string[]> {
  const { findings } = await site.fsck();
  return findings.map(({ kind, detail }) => `fsck: ${kind} ${JSON.stringify(detail)}`);
}

/** A start sweeps at once; waits until there is nothing to sweep. */
async function sweep(site: LaunchedSite): Promise<string[]> {
  await site.stop();
  ageShares(site);
  await site.start();
  let last = '';
  const isSwept = async () => {
    const { findings, queued } = await site.fsck();
    last = JSON.stringify(queued);
    return findings.length === 0 && Object.values(queued).every((count) => count === 0);
  };
  return (await within(SWEPT_WITHIN_MS, isSwept, 500)) ? [] : [...(await lines(site)), `not swept: ${last}`];
}

const newTally = (): Tally => ({ acts: 0, lost: [], wrong: [] });

export async function runCrashRounds(options: {
  rounds: number;
  seed: string;
  /** Whom the first rounds strike; then each in turn. */
  first?: readonly Victim[];
  onRound?: (round: Round, index: number) => void;
}): Promise<CrashReport> {
  const { rounds: count, seed, first = [], onRound } = options;
  const random = createRandom(seed);
  const site = await createLaunchedSite();
  const tally = newTally();
  const takeTally = () => ({ acts: tally.acts, lost: tally.lost.splice(0), wrong: tally.wrong.splice(0) });
  const rounds: Round[] = [];
  try {
    await site.start();
    const workers: Worker[] = [];
    for (const persona of PERSONAS) {
      const person = await signIn(site, persona);
      for (let each = 0; each < WORKERS_EACH; each += 1) {
        workers.push(createWorker(site.url, person, `${seed} ${persona} ${each}`, tally));
      }
    }
    const firstVictim = Math.floor(random() * VICTIMS.length);
    for (let index = 0; index < count; index += 1) {
      // Each in turn, so that every one is killed.
      const victim = first[index] ?? VICTIMS[(firstVictim + index) % VICTIMS.length]!;
      tally.acts = 0;
      const working = workers.map((worker) => worker.work());
      await sleep(WORK_MIN_MS + random() * (WORK_MAX_MS - WORK_MIN_MS));
      site.strike(victim);
      for (const worker of workers) worker.stop();
      await Promise.all(working);
      tally.wrong.push(...leftShares(site, workers));
      const backMs = await site.comeBack(victim);
      for (const worker of workers) await worker.check();
      tally.wrong.push(...(await lines(site)));
      const round = { victim, backMs, ...takeTally() };
      rounds.push(round);
      onRound?.(round, index);
    }
    for (const worker of workers) await worker.finishAll();
    tally.wrong.push(...(await sweep(site)));
    for (const worker of workers) await worker.check(true);
    for (const worker of workers) await worker.deleteAll();
    tally.wrong.push(...(await sweep(site)), ...leftShares(site, workers));
    const { lost, wrong } = takeTally();
    return { rounds, end: { lost, wrong } };
  } catch (error) {
    throw new Error(`${(error as Error).message}\nThe site said:\n${site.logs().slice(-4000)}`, { cause: error });
  } finally {
    await site.stop();
    site.remove();
  }
}
