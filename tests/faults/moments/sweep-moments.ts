import { setTimeout as sleep } from 'node:timers/promises';
import { newPrivate } from '../../../apps/server/test/support/folders.ts';
import { randomBytesOf } from '../../support/files.ts';
import { createFolder, createOverTus, createPlainFolder, type Person, signIn } from '../../support/people.ts';
import { type Site, startSite } from '../../support/site.ts';
import { type FaultRow, fsckFindings } from '../fault-row.ts';
import { keepFiles } from '../kept-files.ts';
import { ageShares, shareFiles } from '../key-shares.ts';
import { inDatabase } from '../points/trial.ts';
import { SWEPT_WITHIN_MS, within } from '../within.ts';

/** kill -9 at a random moment of the sweep of a start, which has dozens of folders to expire. */

const KIB = 1024;
const PLAIN = 24;
const PRIVATE = 12;
const AT_ONCE = 6;
/** A round strikes within this time of the server's spawn, or of its first answer, with which the sweep begins. */
const STRIKES_WITHIN_MS = 600;

/** Folders that have just expired: plain ones with a file, private ones with a key share. @returns their ids */
async function leaveFolders(site: Site, lena: Person): Promise<readonly string[]> {
  const leave = async (isPlain: boolean): Promise<string> => {
    if (!isPlain) return (await createFolder(lena, newPrivate())).id;
    const folder = await createPlainFolder(lena, 'Left to the sweep');
    const path = `${folder.bucket_storage_path}/left_1700000000001_abcdefgh.bin`;
    const body = new Uint8Array(randomBytesOf(20 * KIB));
    await createOverTus({ url: site.url, person: lena, path }, body.length, { body });
    return folder.id;
  };
  const ids: string[] = [];
  for (let count = 0; count < PLAIN + PRIVATE; count += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, at) => leave(count + at < PLAIN));
    ids.push(...(await Promise.all(some)));
  }
  await inDatabase(site, `update folders set expires_at = now() where id = any('{${ids}}')`);
  return ids;
}

/** How many of these folders wait for the sweep, and how many blobs. */
async function pending(site: Site, ids: readonly string[]): Promise<{ folders: number; blobs: number }> {
  const [row] = await inDatabase(
    site,
    `select (select count(*)::int from folders where id = any('{${ids}}') and deleted_at is null) as folders,
      (select count(*)::int from blob_removals) as blobs`,
  );
  return row as { folders: number; blobs: number };
}

/** Ends the server at a random moment of its start and sweep. */
async function strike(site: Site, random: () => number): Promise<void> {
  const starting = site.restart().catch(() => undefined);
  if (random() < 0.75) await starting;
  await sleep(random() * STRIKES_WITHIN_MS);
  await site.kill9();
  await starting;
}

export async function* sweepMoments(rounds: number, random: () => number): AsyncGenerator<FaultRow> {
  const site = await startSite({ hasOneServer: true, env: { LOG_LEVEL: 'error', MAX_OPEN_FOLDERS: '1000' } });
  try {
    const kept = await keepFiles(site);
    for (const size of [5 * KIB, 300 * KIB]) await kept.upload(size);
    let [hits, slowestMs] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      // Anew for each round: a bearer is good for ten minutes.
      const ids = await leaveFolders(site, await signIn(site, 'lena'));
      await site.kill9();
      await strike(site, random);
      const left = await pending(site, ids);
      if (left.folders < ids.length && left.folders + left.blobs > 0) hits += 1;
      kept.wrong.push(...(await fsckFindings(site)));
      const startedMs = performance.now();
      await site.restart();
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      const isSwept = async () => {
        const { folders, blobs } = await pending(site, ids);
        return folders + blobs === 0;
      };
      if (!(await within(SWEPT_WITHIN_MS, isSwept))) {
        kept.wrong.push(`not swept: ${JSON.stringify(await pending(site, ids))}`);
      }
      await kept.settle();
      kept.wrong.push(...(await fsckFindings(site)));
    }
    // A share whose row was deleted right before the strike is swept once it is old.
    ageShares(site);
    await site.kill9();
    await site.restart();
    if (!(await within(SWEPT_WITHIN_MS, () => shareFiles(site).length === 0))) {
      kept.wrong.push(`${shareFiles(site).length} key shares are left`);
    }
    const note = `${hits} of ${rounds} struck a sweep under way, each with ${PLAIN + PRIVATE} folders to expire`;
    const { lost, wrong } = kept;
    yield { fault: 'kill -9 at a random moment: a sweep', runs: rounds, lost, wrong, recoveredMs: slowestMs, note };
  } finally {
    await site.stop();
  }
}
