import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSiteBehindLine } from '../support/line.ts';
import { startSite } from '../support/site.ts';
import { answersOf, beside, endure, type FaultRow } from './fault-row.ts';
import { keepFiles } from './kept-files.ts';
import { within } from './within.ts';

/** What clients and their lines do. */

const KIB = 1024;
const MIB = 1024 * KIB;
const DOWNLOADS = 1000;
const SPARE_DESCRIPTORS = 2;
const GONE_WITHIN_MS = 60_000;
const SLOW_ONES = 8;
const SLOW_BYTES = 50 * KIB;
const CUTS = 20;
const UPLOADS = 1000;

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

async function beginAndLeave(url: string): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
}

/** Many downloads that their readers leave: the server's descriptors come back to where they were. */
async function* abortedDownloads(): AsyncGenerator<FaultRow> {
  const site = await startSite({ hasOneServer: true, env: { LOG_LEVEL: 'error' } });
  try {
    const kept = await keepFiles(site);
    await kept.upload(20 * MIB);
    await kept.read(kept.files()[0]!);
    await sleep(1000);
    const before = descriptorsOf(site.pid());
    const url = kept.urlOf(kept.files()[0]!);
    let most = 0;
    const work = async () => {
      for (let from = 0; from < DOWNLOADS; from += 50) {
        await Promise.all(Array.from({ length: 50 }, () => beginAndLeave(url).catch(() => undefined)));
        most = Math.max(most, descriptorsOf(site.pid()));
      }
    };
    const row = await endure(`${DOWNLOADS} downloads left by their readers`, site, kept, { work, mend: () => {} });
    const leftMs = performance.now();
    await within(GONE_WITHIN_MS, () => descriptorsOf(site.pid()) <= before + SPARE_DESCRIPTORS, 100);
    const after = descriptorsOf(site.pid());
    const left = after > before + SPARE_DESCRIPTORS ? [`${after} descriptors instead of ${before}`] : [];
    const goneMs = performance.now() - leftMs;
    const note = `descriptors: ${before} before, up to ${most}, ${after} after ${(goneMs / 1000).toFixed(1)} s`;
    yield { ...row, runs: DOWNLOADS, wrong: [...row.wrong, ...left], note };
  } finally {
    await site.stop();
  }
}

/** Each sender and each reader has few bytes a second: each ends, and none is taken for one that stands still. */
async function* slowLine(): AsyncGenerator<FaultRow> {
  const { line, site } = await startSiteBehindLine({ LOG_LEVEL: 'error' });
  try {
    const kept = await keepFiles(site);
    for (let count = 0; count < SLOW_ONES; count += 1) await kept.upload(MIB);
    let seconds: NodeJS.Timeout | undefined;
    const nextSecond = () => {
      line.hold(SLOW_BYTES);
      line.holdAnswers(SLOW_BYTES);
    };
    const work = async () => {
      nextSecond();
      seconds = setInterval(nextSecond, 1000);
      const sent = await Promise.all(Array.from({ length: SLOW_ONES }, () => kept.upload(MIB)));
      const read = await Promise.all(
        kept
          .files()
          .slice(0, SLOW_ONES)
          .map((file) => kept.read(file)),
      );
      if (![...sent, ...read].every(Boolean)) kept.wrong.push(`a slow one was cut: ${answersOf(kept)}`);
    };
    const mend = () => {
      clearInterval(seconds);
      line.hold(null);
      line.holdAnswers(null);
    };
    const fault = `${SLOW_ONES} senders, then ${SLOW_ONES} readers, each with ${SLOW_BYTES / KIB} KiB a second`;
    yield await endure(fault, site, kept, { work, mend });

    const cut = () =>
      beside(kept, async () => {
        for (let count = 0; count < CUTS; count += 1) {
          await sleep(200);
          line.cut();
        }
      });
    yield await endure(`the line breaks ${CUTS} times`, site, kept, { work: cut, mend: () => undefined });
  } finally {
    await site.stop();
    await line.close();
  }
}

/** More at once than the server takes: what is refused is told so, and taken when it comes back as told. */
async function* manyUploads(): AsyncGenerator<FaultRow> {
  const env = { MAX_OPEN_UPLOADS: '1000', CONNECTIONS_PER_NETWORK: '2000', LOG_LEVEL: 'error' };
  const site = await startSite({ hasOneServer: true, env });
  try {
    const kept = await keepFiles(site);
    let refusals: readonly number[] = [];
    let taken = 0;
    const work = async () => {
      refusals = await Promise.all(Array.from({ length: UPLOADS }, () => kept.uploadUntilTaken(10 * KIB)));
      taken = kept.files().length;
      if (taken !== UPLOADS) kept.lost.push(`${taken} of ${UPLOADS} uploads were taken`);
    };
    const row = await endure(`${UPLOADS} uploads at once`, site, kept, { work, mend: () => undefined });
    const refused = refusals.filter((count) => count > 0).length;
    const note = `${refused} were refused first, up to ${Math.max(...refusals)} times, and ${taken} taken in the end`;
    yield { ...row, note: `${row.note}; ${note}` };
  } finally {
    await site.stop();
  }
}

export async function* lineFaults(): AsyncGenerator<FaultRow> {
  yield* abortedDownloads();
  yield* slowLine();
  yield* manyUploads();
}
