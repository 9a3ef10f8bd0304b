import { setTimeout as sleep } from 'node:timers/promises';
import { STORE_FAULTS, type StoreFault } from '../../apps/server/test/support/blobs/fault-proxy.ts';
import { createS3Sites, type S3Site } from '../support/site/s3-site.ts';
import { endure, type FaultRow, GATEWAY, notRun } from './fault-row.ts';
import { type KeptFiles, keepFiles } from './kept-files.ts';

/** What a store and the line to it do wrong. */

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = [10 * KIB, 300 * KIB, 2 * MIB, 9 * MIB];
const ROUNDS = 3;
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

/** Every call meets the fault, as often as it is tried. */
async function always(site: S3Site, kept: KeptFiles, fault: StoreFault): Promise<void> {
  site.line.arm(fault, 'any', ALWAYS);
  await Promise.all([...SIZES.map((size) => kept.upload(size)), readAll(kept)]);
}

/** One of several calls meets it. */
async function nowAndThen(site: S3Site, kept: KeptFiles, fault: StoreFault): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const method of ['PUT', 'GET'] as const) {
      site.line.arm(fault, method, 2);
      await Promise.all([...SIZES.map((size) => kept.upload(size)), readAll(kept), sleep(100)]);
    }
  }
}

export async function* s3Faults(): AsyncGenerator<FaultRow> {
  const sites = await createS3Sites();
  if (!sites) return yield notRun('faults of S3', GATEWAY);
  const site = await sites.start({ env: { LOG_LEVEL: 'error', FREE_STORAGE_BYTES: '10GiB' } });
  try {
    const kept = await keepFiles(site);
    for (const size of SIZES) await kept.upload(size);
    const mend = () => site.line.disarm();
    for (const fault of STORE_FAULTS) {
      yield await endure(`S3: ${fault}, now and then`, site, kept, { work: () => nowAndThen(site, kept, fault), mend });
      yield await endure(`S3: ${fault}, always`, site, kept, { work: () => always(site, kept, fault), mend });
    }
  } finally {
    await site.stop();
    await sites.stop();
  }
}
