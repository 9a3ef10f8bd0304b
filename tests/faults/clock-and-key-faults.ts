import { globSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { signIn } from '../support/people.ts';
import { type Site, type SiteOptions, startSite } from '../support/site.ts';
import { type FaultRow, fsckFindings, notRun } from './fault-row.ts';
import { ageShares, leftShares } from './key-shares.ts';
import { createWorker, type Tally, type Worker } from './recorded-work.ts';
import { startPostgresBehind } from './replicated-postgres.ts';
import { SWEPT_WITHIN_MS, within } from './within.ts';

/**
 * What clocks and key service do wrong. A node that is overtaken while it stands still is in
 * apps/server/test/nodes/nodes.api.test.ts.
 */

const PERSONAS = ['mika', 'jonas', 'ava'];
const WORK_MS = 3000;
const KEYS_AWAY = 4;
const KEYS_AWAY_MS = 4000;
const KEYS_KILLED = 20;
/** Older than every folder's lifetime: a sweep treats unclaimed shares as left. */
const KEYS_KILLED_WITHIN_MS = 1000;
const FAKETIME = '/usr/lib/*/faketime/libfaketime.so.1';

const newTally = (): Tally => ({ acts: 0, lost: [], wrong: [] });

async function makeWorkers(site: Site, seed: string, tally: Tally): Promise<Worker[]> {
  const people = await Promise.all(PERSONAS.map((persona) => signIn(site, persona)));
  return people.map((person, at) => createWorker(site.url, person, `${seed} ${at}`, tally));
}

/** Everyone works for a while, or until a call is refused. */
async function workFor(workers: readonly Worker[], act: () => Promise<unknown>): Promise<void> {
  const working = workers.map((worker) => worker.work());
  await act();
  for (const worker of workers) worker.stop();
  await Promise.all(working);
}

/** All that was acknowledged, by all who work there. @returns how long it took */
async function checkAll(site: Site, workers: readonly Worker[], tally: Tally): Promise<number> {
  const startedMs = performance.now();
  for (const worker of workers) await worker.check(true);
  const tookMs = performance.now() - startedMs;
  tally.wrong.push(...(await fsckFindings(site)));
  return tookMs;
}

/** People work, the server starts again, which sweeps, and all has to be there. */
async function underClock(fault: string, options: SiteOptions): Promise<FaultRow> {
  const site = await startSite({ ...options, hasOneServer: true });
  try {
    const tally = newTally();
    const workers = await makeWorkers(site, fault, tally);
    for (let round = 0; round < 2; round += 1) {
      await workFor(workers, () => sleep(WORK_MS));
      await site.kill9();
      await site.restart();
      // The sweep of a start.
      await sleep(WORK_MS);
      await checkAll(site, workers, tally);
    }
    for (const worker of workers) await worker.finishAll();
    await checkAll(site, workers, tally);
    const { acts: runs, lost, wrong } = tally;
    return { fault, runs, lost, wrong, recoveredMs: null, note: `${runs} acts` };
  } finally {
    await site.stop();
  }
}

export async function* clockFaults(): AsyncGenerator<FaultRow> {
  const [library] = globSync(FAKETIME);
  if (!library) {
    yield notRun('clocks two days off', 'libfaketime (apt-get install libfaketime)');
    return;
  }
  for (const [off, days] of [
    ['ahead', '+2d'],
    ['behind', '-2d'],
  ] as const) {
    // Files keep the system's time, which may disagree with the process's.
    const shift = { LD_PRELOAD: library, FAKETIME: days, FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' };
    yield await underClock(`a node's clock two days ${off}`, { env: { ...shift, LOG_LEVEL: 'error' } });
    const shim = ['env', ...Object.entries(shift).map(([name, value]) => `${name}=${value}`)];
    const postgres = await startPostgresBehind(shim);
    try {
      const env = { DATABASE_URL: postgres.urlAt(postgres.address), LOG_LEVEL: 'error' };
      yield await underClock(`PostgreSQL's clock two days ${off}`, { env });
    } finally {
      await postgres.stop();
    }
  }
}

/**
 * Key shares of links that are gone, after a sweep: what a call without an answer has left is no link's, and swept once it is
 * old.
 */
async function leftAfterSweep(site: Site, workers: readonly Worker[]): Promise<string[]> {
  ageShares(site);
  process.kill(site.keyServicePid(), 'SIGKILL');
  await site.startKeyService();
  await within(SWEPT_WITHIN_MS, () => leftShares(site, workers).length === 0);
  return leftShares(site, workers);
}

/** How the key service is taken away, and given back. */
interface Absence {
  readonly fault: string;
  readonly times: number;
  readonly act: (site: Site) => Promise<unknown>;
}

const ABSENCES: readonly Absence[] = [
  {
    fault: `the key service stands still, ${KEYS_AWAY} times`,
    times: KEYS_AWAY,
    async act({ keyServicePid }) {
      await sleep(WORK_MS / 3);
      process.kill(keyServicePid(), 'SIGSTOP');
      await sleep(KEYS_AWAY_MS);
      process.kill(keyServicePid(), 'SIGCONT');
    },
  },
  {
    fault: `the key service is killed among link changes, ${KEYS_KILLED} times`,
    times: KEYS_KILLED,
    async act({ keyServicePid, startKeyService }) {
      await sleep(Math.random() * KEYS_KILLED_WITHIN_MS);
      process.kill(keyServicePid(), 'SIGKILL');
      await sleep(Math.random() * KEYS_KILLED_WITHIN_MS);
      await startKeyService();
    },
  },
];

async function keyServiceAway({ fault, times, act }: Absence): Promise<FaultRow> {
  const site = await startSite({ nodes: 2, env: { LOG_LEVEL: 'error' } });
  try {
    const tally = newTally();
    const workers = await makeWorkers(site, fault, tally);
    await workFor(workers, () => sleep(WORK_MS));
    let recoveredMs = 0;
    for (let count = 0; count < times; count += 1) {
      await workFor(workers, () => act(site));
      recoveredMs = Math.max(recoveredMs, await checkAll(site, workers, tally));
    }
    tally.wrong.push(...(await leftAfterSweep(site, workers)));
    await checkAll(site, workers, tally);
    const { acts: runs, lost, wrong } = tally;
    return { fault, runs, lost, wrong, recoveredMs, note: `${runs} acts` };
  } finally {
    process.kill(site.keyServicePid(), 'SIGCONT');
    await site.stop();
  }
}

export async function* keyFaults(): AsyncGenerator<FaultRow> {
  for (const absence of ABSENCES) {
    yield process.env.NGINX_PATH ? await keyServiceAway(absence) : notRun(absence.fault, 'nginx');
  }
}
