import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadline } from '@satchel/contract/testing/pace';
import pg from 'pg';
import { createOverTus, createPlainFolder, type Person, pieceHeaders } from '../../support/people.ts';
import type { Site, SiteOptions } from '../../support/site.ts';
import { type FaultRow, fsckFindings } from '../fault-row.ts';
import { leftShares } from '../key-shares.ts';
import type { Tally, Worker } from '../recorded-work.ts';
import { within } from '../within.ts';
import { CRASH_POINTS, type CrashPoint } from './crash-points.ts';

/** A site whose server ends by kill -9 at a named point, and the checks after its restart. */

const REACHED_WITHIN_MS = deadline(180);

/** The site, people and results of one trial. */
export interface Trial {
  readonly site: Site;
  /** Where its blobs lie. */
  readonly store: string;
  readonly workers: readonly Worker[];
  readonly tally: Tally;
  readonly lena: Person;
  /** The file whose content names the point to end at; it is gone once the point is reached. */
  readonly flag: string;
}

const preload = (name: string) => `--import ${new URL(`../preloads/${name}`, import.meta.url).href}`;

/**
 * Options of a site whose server runs from its sources, with a call at each point. Its disk fails to sync while there is a file
 * `syncFails`.
 */
export function pointedSite() {
  const dir = mkdtempSync(join(tmpdir(), 'satchel-points-'));
  const flag = join(dir, 'crash-at');
  const syncFails = join(dir, 'sync-fails');
  const env = {
    NODE_OPTIONS: `${preload('crash-hook.ts')} ${preload('failing-sync.ts')}`,
    FAULTS_CRASH_AT: flag,
    FAULTS_SYNC_FAILS: syncFails,
    LOG_LEVEL: 'error',
  };
  const options = { hasOneServer: true, runsSources: true, env } satisfies SiteOptions;
  return { options, flag, syncFails, remove: () => rmSync(dir, { recursive: true }) };
}

export function pointNamed(name: string): CrashPoint {
  const point = CRASH_POINTS.find((each) => each.name === name);
  if (!point) throw new Error(`There is no point "${name}"`);
  return point;
}

/** @returns whether the server came to the point within the time */
export const reached = (flag: string): Promise<boolean> => within(REACHED_WITHIN_MS, () => !existsSync(flag), 10);

/**
 * @param act brings the server to the point; it ends by the server's end, if not before
 * @param look reports what is wrong after the restart; the workers' checks and fsck follow
 */
export async function endAt(
  trial: Trial,
  { name }: CrashPoint,
  act: () => Promise<unknown>,
  look: () => Promise<unknown> = async () => undefined,
): Promise<FaultRow> {
  const { site, store, workers, tally, flag } = trial;
  tally.acts = 0;
  writeFileSync(flag, name);
  const acting = act();
  acting.catch(() => undefined);
  if (!(await reached(flag))) tally.wrong.push('the point was never reached');
  rmSync(flag, { force: true });
  for (const worker of workers) worker.stop();
  await site.kill9();
  await acting.catch((error: unknown) => tally.wrong.push(String(error)));
  tally.wrong.push(...leftShares(trial.site, trial.workers));
  const startedMs = performance.now();
  await site.restart();
  const recoveredMs = performance.now() - startedMs;
  await look();
  for (const worker of workers) await worker.check(true);
  tally.wrong.push(...(await fsckFindings(site)));
  const [lost, wrong] = [tally.lost.splice(0), tally.wrong.splice(0)];
  return { fault: `kill -9 (${store}): ${name}`, runs: 1, lost, wrong, recoveredMs, note: `${tally.acts} acts before` };
}

export interface BegunUpload {
  readonly url: string;
  /** The address of its file in the bucket. */
  readonly path: string;
}

/** An upload into a new plain folder. */
export async function createUpload({ site, lena }: Pick<Trial, 'site' | 'lena'>, length: number): Promise<BegunUpload> {
  const { bucket_storage_path: folder } = await createPlainFolder(lena, 'Points');
  const path = `${folder}/point_1700000000001_abcdefgh.bin`;
  const { url } = await createOverTus({ url: site.url, person: lena, path }, length);
  return { url, path };
}

export const patch = (lena: Person, url: string, offset: number, body: Uint8Array<ArrayBuffer> | ReadableStream) =>
  fetch(url, {
    method: 'PATCH',
    headers: pieceHeaders(lena, offset),
    body,
    duplex: 'half',
  } as RequestInit);

/** @returns the rows of the last statement */
export async function inDatabase(site: Site, ...statements: readonly string[]): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: site.databaseUrl });
  await client.connect();
  try {
    let rows: readonly unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}
