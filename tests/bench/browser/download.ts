import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser, newVisitor, signInAs } from '../../support/browser/browser.ts';
import { makeFolder } from '../../support/browser/world.ts';
import { randomBytesOf } from '../../support/files/samples.ts';
import { startSite } from '../../support/site/site.ts';
import { childrenOf, treeCpuSeconds, treePssMib } from '../process-cost.ts';
import { ROUNDS, type Row } from '../report.ts';

/** Saving a sealed file in Chromium, beside the same bytes from a bare server, round by round. */

const MIB = 1024 ** 2;
const SIZE_BYTES = Number(process.env.OPENING_MIB ?? 1024) * MIB;
const PIECE_BYTES = 16 * MIB;
/** Reading the memory of all processes takes some 20 ms of them. */
const MEMORY_EVERY_MS = 500;
const SETTLE_MS = 2000;

const pause = (delayMs: number) => new Promise<void>((resolve) => setTimeout(resolve, delayMs));

async function writeNoise(path: string): Promise<void> {
  const file = await open(path, 'w');
  const piece = randomBytesOf(PIECE_BYTES);
  for (let at = 0; at < SIZE_BYTES; at += PIECE_BYTES) {
    piece.writeUInt32LE(at / PIECE_BYTES, 0);
    await file.write(piece, 0, Math.min(PIECE_BYTES, SIZE_BYTES - at));
  }
  await file.close();
}

async function shaOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

interface Cost {
  readonly ms: number[];
  readonly cpuSeconds: number[];
  /** Above what the browser took before. */
  readonly memoryMib: number[];
}
const noCost = (): Cost => ({ ms: [], cpuSeconds: [], memoryMib: [] });

/** Saves a file in the page, adds what it cost the browser, and compares the bytes. */
async function save(page: Page, browser: number, cost: Cost, sha: string, start: () => Promise<void>): Promise<void> {
  const [idleMib, idleSeconds, startedMs] = [treePssMib(browser), treeCpuSeconds(browser), performance.now()];
  let peakMib = idleMib;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, treePssMib(browser));
  }, MEMORY_EVERY_MS);
  const [download] = await Promise.all([page.waitForEvent('download'), start()]);
  const failure = await download.failure();
  clearInterval(timer);
  if (failure !== null) throw new Error(failure);
  cost.ms.push(performance.now() - startedMs);
  cost.cpuSeconds.push(treeCpuSeconds(browser) - idleSeconds);
  cost.memoryMib.push(peakMib - idleMib);
  if ((await shaOf(await download.path())) !== sha) throw new Error('what was saved is another file');
  await download.delete();
  await pause(SETTLE_MS);
}

function clickLink(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = 'noise';
  link.click();
}

async function startBare(dir: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts'), dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${line.toString().trim()}`, child };
}

/** Download and opening of 1 GiB, compared with the download of as much from a bare server by the same browser. */
export async function benchOpening(): Promise<Row[]> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-bench-'));
  const limits = { MAX_FILE_BYTES: String(2 * SIZE_BYTES), FREE_STORAGE_BYTES: String(8 * SIZE_BYTES) };
  const site = await startSite({ env: { ...limits, LOG_LEVEL: 'warn' } });
  const bare = await startBare(dir);
  const browser = await launchBrowser();
  const [satchels, bares] = [noCost(), noCost()];
  try {
    const [pid] = childrenOf(/chrom|headless/i);
    if (pid === undefined) throw new Error('the browser’s process was not found');
    const path = join(dir, 'noise');
    await writeNoise(path);
    const sha = await shaOf(path);
    const { page } = await newVisitor(browser);
    await signInAs(page, site.url, 'mika');
    const link = await makeFolder(page, site.url, { name: 'Bench' });
    await page.getByLabel('Choose files').setInputFiles(path);
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
    await page.getByText('1 completed').waitFor({ timeout: 600_000 });
    await page.goto(`${site.url}/healthz`);
    await page.goto(link);
    const button = page.getByRole('gridcell').getByRole('button', { name: 'Download' });
    await button.waitFor();
    await pause(SETTLE_MS);
    for (let round = 0; round < ROUNDS; round++) {
      await save(page, pid, bares, sha, () => page.evaluate(clickLink, `${bare.url}/noise`));
      await save(page, pid, satchels, sha, () => button.click());
    }
  } finally {
    await browser.close();
    bare.child.kill('SIGTERM');
    await site.stop();
    await rm(dir, { recursive: true, force: true });
  }
  const name = `Download and open ${SIZE_BYTES / MIB} MiB in Chromium`;
  const bound = 'the same bytes from a bare Node server';
  return [
    { name, unit: 'ms', measured: satchels.ms, bounds: [{ name: bound, measured: bares.ms, atMost: 1.4 }] },
    {
      name: `${name}, the browser’s processor time`,
      unit: 'CPU-s',
      measured: satchels.cpuSeconds,
      bounds: [{ name: bound, measured: bares.cpuSeconds }],
    },
    {
      name: `${name}, the browser’s memory above idle`,
      unit: 'MiB',
      measured: satchels.memoryMib,
      atMost: 100,
      bounds: [],
    },
  ];
}
