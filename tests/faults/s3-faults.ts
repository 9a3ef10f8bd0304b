import { setTimeout as sleep } from 'node:timers/promises';
import { STORE_FAULTS, type StoreFault } from '../../apps/server/test/support/blobs/fault-proxy.ts';
import { createS3Sites, type S3Site } from '../support/s3-site.ts';
import { endure, type FaultRow, fsckFindings, GATEWAY, notRun } from './fault-row.ts';
import { type KeptFiles, keepFiles } from './kept-files.ts';
import { SWEPT_WITHIN_MS, within } from './within.ts';

/** What a store and the line to it do wrong. */

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = [10 * KIB, 300 * KIB, 2 * MIB, 9 * MIB];
const ROUNDS = 3;
/** Ten seconds for a call to the store, three for the bytes of a piece, and what a busy machine adds. */
const ANSWER_WITHIN_MS = 20_000;
const ALWAYS = Number.POSITIVE_INFINITY;

const readAll = (kept: KeptFiles) =>
  Promise.all(
    kept
      .files()
      .slice(0, 8)
      .flatMap((file) => {
        const middle = Math.floor(file.bytes.length / 2);
        return [
          kept.read(file),
          kept.read(file, { start: 7, end: middle }),
          kept.read(file, { start: middle, end: middle + 9 }),
        ];
      }),
  );

/** Deletes the newest file, whose bytes the store may not give up now. */
async function removeOne(kept: KeptFiles): Promise<void> {
  const file = kept.files().at(-1)!;
  if (!(await kept.remove(file))) kept.wrong.push('a file can’t be deleted while the store fails');
  else if (await kept.read(file)) kept.wrong.push('a deleted file was answered');
}

/** Every call meets the fault, as often as it is tried. */
async function always(site: S3Site, kept: KeptFiles, fault: StoreFault): Promise<void> {
  site.line.arm(fault, 'any', ALWAYS);
  await Promise.all([...SIZES.map((size) => kept.upload(size)), readAll(kept)]);
  await removeOne(kept);
}

/** One of several calls meets it. */
async function nowAndThen(site: S3Site, kept: KeptFiles, fault: StoreFault): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const method of ['PUT', 'GET'] as const) {
      site.line.arm(fault, method, 2);
      await Promise.all([...SIZES.map((size) => kept.upload(size)), readAll(kept), sleep(100)]);
    }
    site.line.arm(fault, 'POST', 2);
    await removeOne(kept);
  }
}

/** The bytes of files that were deleted while the store failed go with the sweep of the next start. */
async function sweptLater(site: S3Site): Promise<FaultRow> {
  await site.kill9();
  const startedMs = performance.now();
  await site.restart();
  let last = '';
  const isSwept = async () => {
    last = (await site.fsck()).output;
    return !last.includes('for the next sweeps');
  };
  const wrong = (await within(SWEPT_WITHIN_MS, isSwept, 500)) ? [] : [`not swept: ${last}`];
  const recoveredMs = performance.now() - startedMs;
  wrong.push(...(await fsckFindings(site)));
  const fault = 'S3: what was deleted while it failed is swept';
  return { fault, runs: 1, lost: [], wrong, recoveredMs, note: 'nothing is queued' };
}

export async function* s3Faults(): AsyncGenerator<FaultRow> {
  const sites = await createS3Sites();
  if (!sites) return yield notRun('faults of S3', GATEWAY);
  const site = await sites.start({ env: { LOG_LEVEL: 'error', FREE_STORAGE_BYTES: '10GiB' } });
  try {
    const kept = await keepFiles(site);
    for (const size of SIZES) await kept.upload(size);
    const bounds = { mend: () => site.line.disarm(), answersWithinMs: ANSWER_WITHIN_MS };
    for (const fault of STORE_FAULTS) {
      const work = () => nowAndThen(site, kept, fault);
      yield await endure(`S3: ${fault}, now and then`, site, kept, { work, ...bounds });
      yield await endure(`S3: ${fault}, always`, site, kept, { work: () => always(site, kept, fault), ...bounds });
    }
    yield await sweptLater(site);
  } finally {
    await site.stop();
    await sites.stop();
  }
}
