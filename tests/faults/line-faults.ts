import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSite } from '../support/site/site.ts';
import { endure, type FaultRow } from './fault-row.ts';
import { keepFiles } from './kept-files.ts';
import { createLaunchedSite } from './launched-site.ts';

/** What clients and the database do. */

const KIB = 1024;
const MIB = 1024 * KIB;
const DOWNLOADS = 200;
const SPARE_DESCRIPTORS = 2;
const GONE_WITHIN_MS = 30_000;
const STOPPED_MS = 60_000;
/** Five seconds, and what a busy machine adds. */
const ANSWER_WITHIN_MS = 8000;

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

/** All of PostgreSQL's processes stand still for a minute: every request is answered within seconds, and then all goes on. */
export async function* stoppedDatabase(): AsyncGenerator<FaultRow> {
  const site = await createLaunchedSite();
  try {
    await site.start();
    const kept = await keepFiles(site);
    for (const size of [10 * KIB, 3 * MIB]) await kept.upload(size);
    const fsck = async () => {
      const { findings } = await site.fsck();
      return { code: findings.length === 0 ? 0 : 1, output: JSON.stringify(findings) };
    };
    const work = async () => {
      site.signalDatabase('SIGSTOP');
      const untilMs = performance.now() + STOPPED_MS;
      while (performance.now() < untilMs) {
        await Promise.all([
          kept.upload(2 * MIB),
          kept.upload(10 * KIB),
          ...kept.files().map((file) => kept.read(file)),
        ]);
        await sleep(500);
      }
      const longest = kept.longestMs();
      if (longest > ANSWER_WITHIN_MS) kept.wrong.push(`a request took ${(longest / 1000).toFixed(1)} s`);
    };
    const row = await endure('PostgreSQL stands still for 60 s', { fsck }, kept, {
      work,
      mend: () => site.signalDatabase('SIGCONT'),
    });
    yield { ...row, note: `${row.note}; longest ${(kept.longestMs() / 1000).toFixed(1)} s` };
  } finally {
    site.signalDatabase('SIGCONT');
    await site.stop();
    site.remove();
  }
}
