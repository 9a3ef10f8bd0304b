import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSite } from '../support/site/site.ts';
import { endure, type FaultRow } from './fault-row.ts';
import { keepFiles } from './kept-files.ts';

/** What clients and their lines do. */

const KIB = 1024;
const MIB = 1024 * KIB;
const DOWNLOADS = 1000;
const SPARE_DESCRIPTORS = 2;
const GONE_WITHIN_MS = 30_000;

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

async function beginAndLeave(url: string): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
}

/** Many downloads that their readers leave: the server's descriptors come back to where they were. */
export async function* abortedDownloads(): AsyncGenerator<FaultRow> {
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
    const startedMs = performance.now();
    const row = await endure(`${DOWNLOADS} downloads left by their readers`, site, kept, { work, mend: () => {} });
    while (descriptorsOf(site.pid()) > before + SPARE_DESCRIPTORS && performance.now() - startedMs < GONE_WITHIN_MS)
      await sleep(100);
    const after = descriptorsOf(site.pid());
    const left = after > before + SPARE_DESCRIPTORS ? [`${after} descriptors instead of ${before}`] : [];
    const note = `descriptors: ${before} before, up to ${most}, ${after} after`;
    yield { ...row, runs: DOWNLOADS, wrong: [...row.wrong, ...left], note };
  } finally {
    await site.stop();
  }
}
