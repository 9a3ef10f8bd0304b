import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Download, Page } from 'playwright-core';
import { openVisitor, signInAs, type Visitor } from '../../support/browser/browser.ts';
import { chooseOpener, makeFolder } from '../../support/browser/world.ts';
import { type Site, startSite } from '../../support/site/site.ts';
import { childrenOf, pssMibOf, treeCpuSeconds, treePssMib } from '../process-cost.ts';
import type { Row } from '../report.ts';
import { bytesAt, shaOf, shaOfFile, WAV_BYTES_PER_SECOND, writeLarge } from './large-file.ts';

/**
 * A file far above what 32 bits count, as a person handles it: uploaded through a killed server and a closed browser,
 * saved, played from 80 % of it, and packed into a zip with small files; sealed and plain.
 */

const [MIB, GIB] = [1024 ** 2, 1024 ** 3];
const BROWSER_MAX_MIB = 100;
const SERVER_MAX_MIB = 220;
/** Of the file, for what playing from 80 % of it may fetch; the player buffers some seconds and reads both ends. */
const SEEK_MAX_SHARE = 0.05;
const SEEK_TO = 0.8;
/** Reading the memory of all processes takes some 20 ms of them. */
const MEMORY_EVERY_MS = 1000;
const LOOK_EVERY_MS = 200;
const SETTLE_MS = 2000;
const LONG_MS = 60 * 60_000;
const RANGE_BYTES = 100_000;
const NAME = 'large.wav';
const NOTES = { name: 'notes.txt', text: 'a small file beside the large one' };

const pause = (delayMs: number) => new Promise<void>((resolve) => setTimeout(resolve, delayMs));

type Kind = 'sealed' | 'plain';

interface Place {
  readonly kind: Kind;
  readonly dir: string;
  readonly sizeBytes: number;
  readonly sha: string;
  readonly site: Site;
  readonly source: string;
  readonly rows: Row[];
}

const browserPid = (): number => {
  const [pid] = childrenOf(/chrom|headless/i);
  if (pid === undefined) throw new Error('the browser’s process was not found');
  return pid;
};

const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);

/**
 * Memory of the browser's processes. While a file is uploaded, without the main one: Playwright has every frame of a socket
 * told to it, in Base64, and what it has not read yet waits there.
 */
const browserMib = (pid: number, isUpload: boolean): number => treePssMib(pid) - (isUpload ? pssMibOf(pid) : 0);

/** What one step cost: time, and the browser's and the server's memory and processor time. */
async function measured(place: Place, step: string, work: () => Promise<void>, isUpload = false): Promise<void> {
  const { site, rows, kind } = place;
  const browser = browserPid();
  await pause(SETTLE_MS);
  const idleMib = browserMib(browser, isUpload);
  const [startedMs, browserSeconds, server, serverSeconds] = [
    performance.now(),
    treeCpuSeconds(browser),
    site.pid(),
    treeCpuSeconds(site.pid()),
  ];
  let [peakMib, serverMib] = [idleMib, 0];
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, browserMib(browser, isUpload));
    serverMib = Math.max(serverMib, treePssMib(site.pid()));
  }, MEMORY_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  const name = `${kind}: ${step}`;
  const ms = performance.now() - startedMs;
  const [browserCpu, serverCpu] = [treeCpuSeconds(browser) - browserSeconds, treeCpuSeconds(server) - serverSeconds];
  const isSame = server === site.pid();
  say(
    `${name}: ${(ms / 1000).toFixed(0)} s; the browser ${browserCpu.toFixed(1)} CPU-s, ${(peakMib - idleMib).toFixed(0)} MiB above ${idleMib.toFixed(0)};` +
      ` the server ${isSame ? serverCpu.toFixed(1) : '?'} CPU-s, ${serverMib.toFixed(0)} MiB`,
  );
  rows.push(
    { name, unit: 'ms', measured: [ms], bounds: [] },
    {
      name: `${name}, the browser’s memory above idle`,
      unit: 'MiB',
      measured: [peakMib - idleMib],
      atMost: BROWSER_MAX_MIB,
      bounds: [],
    },
    { name: `${name}, the server’s memory`, unit: 'MiB', measured: [serverMib], atMost: SERVER_MAX_MIB, bounds: [] },
  );
}

/** Bytes of the largest stored file. */
async function storedBytes({ site }: Place): Promise<number> {
  const entries = await readdir(site.dataDir, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return Math.max(...(await Promise.all(sizes)));
}

async function storedAtLeast(place: Place, share: number): Promise<void> {
  const deadlineMs = performance.now() + LONG_MS;
  while ((await storedBytes(place)) < share * place.sizeBytes) {
    if (performance.now() > deadlineMs) throw new Error(`not even ${100 * share} % arrived in an hour`);
    await pause(LOOK_EVERY_MS);
  }
}

async function choose(page: Page, path: string): Promise<void> {
  const shut = page.getByRole('button', { name: 'Upload File' });
  const chooser = page.getByLabel('Choose files');
  await shut.or(chooser).first().waitFor({ state: 'attached' });
  if ((await shut.count()) > 0) await shut.click();
  await chooser.setInputFiles(path);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
}

const completed = (page: Page) => page.getByText('1 completed').waitFor({ timeout: LONG_MS });

/** A person's browser, which keeps what it knows when it is closed and opened. */
function openBrowser(place: Place): Promise<Visitor> {
  return openVisitor(join(place.dir, `profile-${place.kind}`));
}

/** Uploads through a killed server and a closed browser. @returns the folder's address */
async function upload(place: Place): Promise<string> {
  const { site, kind } = place;
  const first = await openBrowser(place);
  await signInAs(first.page, site.url, 'mika');
  const fill = kind === 'plain' ? { fill: (form: Page) => chooseOpener(form, 'plain') } : {};
  const link = await makeFolder(first.page, site.url, { name: 'Large', ...fill });
  await measured(
    place,
    'upload to 60 %, with the server killed at 30 %',
    async () => {
      await choose(first.page, place.source);
      await storedAtLeast(place, 0.3);
      await site.kill9();
      await site.restart();
      await storedAtLeast(place, 0.6);
    },
    true,
  );
  // Playwright reads all frames of the socket before it closes the browser. Until then the browser goes on sending.
  process.kill(browserPid(), 'SIGKILL');
  await first.context.close();
  const keptBytes = await storedBytes(place);
  const second = await openBrowser(place);
  await second.page.goto(link);
  await measured(
    place,
    'the rest, in a browser opened anew',
    async () => {
      await choose(second.page, place.source);
      const startedMs = performance.now();
      const checking = second.page.getByText('Checking what is already uploaded').first();
      await checking.waitFor({ timeout: 60_000 });
      await checking.waitFor({ state: 'hidden', timeout: LONG_MS });
      const checkedMs = performance.now() - startedMs;
      say(`${kind}: checked ${(keptBytes / GIB).toFixed(2)} GiB in ${(checkedMs / 1000).toFixed(0)} s`);
      if ((await storedBytes(place)) < keptBytes - 64 * MIB) throw new Error('the upload began afresh');
      await completed(second.page);
    },
    true,
  );
  await second.page.getByLabel('Choose files').setInputFiles(join(place.dir, NOTES.name));
  await second.page.getByRole('button', { name: 'Upload 1 file' }).click();
  await second.page.getByText('2 completed').waitFor();
  await second.context.close();
  return link;
}

async function savedPath(download: Download): Promise<string> {
  const failure = await download.failure();
  if (failure !== null) throw new Error(`the download failed: ${failure}`);
  return download.path();
}

async function save(place: Place, page: Page): Promise<void> {
  const button = cell(page).getByRole('button', { name: 'Download' });
  let path = '';
  await measured(place, 'save', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    path = await savedPath(download);
  });
  if ((await shaOfFile(path)) !== place.sha) throw new Error('what was saved is another file');
  await rm(path);
}

/** Runs `unzip`, a program with no line of ours. */
function unzip(...args: string[]) {
  return spawn('unzip', args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function saveZip(place: Place, page: Page): Promise<void> {
  let path = '';
  await measured(place, 'save a zip', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all' }).click(),
    ]);
    path = await savedPath(download);
  });
  const test = unzip('-tq', path).on('error', () => {});
  test.stdout.resume();
  const [code] = (await once(test, 'close')) as [number];
  if (code !== 0) throw new Error(`unzip -t ended with ${code}`);
  for (const [name, sha] of [
    [NAME, place.sha],
    [NOTES.name, await shaOfFile(join(place.dir, NOTES.name))],
  ] as const) {
    if ((await shaOf(unzip('-p', path, name).stdout)) !== sha) throw new Error(`${name} of the zip is another file`);
  }
  await rm(path);
}

/** Bytes that a process has written since its start, to sockets above all (proc(5), wchar). */
const writtenBytes = (pid: number): number =>
  Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? Number.NaN);

/** Plays from a place; resolves once sound came from there. */
async function playFrom(element: SVGElement | HTMLElement, seconds: number): Promise<void> {
  const player = element as HTMLAudioElement;
  player.muted = true;
  await new Promise<void>((resolve, reject) => {
    player.addEventListener('error', () => reject(new Error(player.error?.message)), { once: true });
    player.addEventListener('timeupdate', () => player.currentTime > seconds + 1 && !player.seeking && resolve());
    player.currentTime = seconds;
    player.play().catch(reject);
  });
}

const readRange = (page: Page, address: string, range: string) =>
  page.evaluate(
    async ([url, Range]) => {
      const response = await fetch(url, { headers: { Range } });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      return {
        status: response.status,
        sha: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''),
      };
    },
    [address, range] as const,
  );

/** Compares ranges far apart with what was made, the first across the 4 GiB that 32 bits count. */
async function compareRanges({ sizeBytes }: Place, page: Page, address: string): Promise<void> {
  for (const start of [2 ** 32 - 50_000, Math.floor(sizeBytes * SEEK_TO), sizeBytes - RANGE_BYTES]) {
    if (start + RANGE_BYTES > sizeBytes) continue;
    const { status, sha } = await readRange(page, address, `bytes=${start}-${start + RANGE_BYTES - 1}`);
    const wanted = createHash('sha256').update(bytesAt(start, RANGE_BYTES)).digest('hex');
    if (status !== 206 || sha !== wanted) throw new Error(`the range from ${start} on has other bytes (${status})`);
  }
}

const cell = (page: Page) => page.getByRole('gridcell').filter({ hasText: NAME });

/** Plays from 80 %. Plain files are not shown, and only their ranges are compared. */
async function seek(place: Place, page: Page): Promise<void> {
  const { site, rows, kind, sizeBytes } = place;
  if (kind === 'plain')
    return compareRanges(place, page, await page.evaluate(largestFile, new URL(page.url()).pathname));
  const before = writtenBytes(site.pid());
  await cell(page).getByRole('button', { name: NAME }).click();
  const player = page.getByRole('dialog').locator('audio');
  await player.waitFor();
  await measured(place, 'play from 80 %', () =>
    player.evaluate(playFrom, (sizeBytes / WAV_BYTES_PER_SECOND) * SEEK_TO),
  );
  rows.push({
    name: `${kind}: play from 80 %, fetched of the file`,
    unit: '×',
    measured: [(writtenBytes(site.pid()) - before) / sizeBytes],
    atMost: SEEK_MAX_SHARE,
    bounds: [],
  });
  await compareRanges(place, page, new URL(await player.evaluate(sourceOf)).pathname);
  await page.keyboard.press('Escape');
}

const sourceOf = (element: SVGElement | HTMLElement): string => (element as HTMLAudioElement).currentSrc;

/** The address of the largest file of the folder that a page shows. */
async function largestFile(path: string): Promise<string> {
  const ask = async (address: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const slug = path.split('/').at(-1);
  const folder = await ask('/rest/v1/rpc/get_folder_complete_data', { input_folder_slug: slug });
  const prefix: string = folder.folder_bucket_storage_path;
  const files: { name: string; metadata: { size: number } }[] = await ask('/storage/v1/object/list/unlocked-folders', {
    prefix,
    limit: 10,
  });
  const [largest] = files.sort((a, b) => b.metadata.size - a.metadata.size);
  return `/storage/v1/object/public/unlocked-folders/${prefix}/${largest?.name}`;
}

async function runKind(kind: Kind, dir: string, sizeBytes: number, sha: string, source: string): Promise<Row[]> {
  const limits = { MAX_FILE_BYTES: String(sizeBytes), FREE_STORAGE_BYTES: String(2 * sizeBytes + GIB) };
  const site = await startSite({ env: { ...limits, LOG_LEVEL: 'warn' } });
  const place: Place = { kind, dir, sizeBytes, sha, source, site, rows: [] };
  let visitor: Visitor | null = null;
  try {
    const link = await upload(place);
    visitor = await openBrowser(place);
    const { page } = visitor;
    await page.goto(link);
    await cell(page).waitFor();
    await seek(place, page);
    await save(place, page);
    await saveZip(place, page);
    return place.rows;
  } finally {
    await visitor?.context.close();
    await site.stop();
  }
}

/**
 * `npm run bench large [GiB]`. It takes some minutes for each 5 GiB, and of the disk three times the size.
 * @param gib size of the file
 */
export async function benchLarge(gib = '10', kinds = 'sealed,plain'): Promise<Row[]> {
  const sizeBytes = Math.round(Number(gib) * GIB);
  const dir = await mkdtemp(join(tmpdir(), 'satchel-large-'));
  const source = join(dir, NAME);
  try {
    const sha = await writeLarge(source, sizeBytes);
    await writeFile(join(dir, NOTES.name), NOTES.text);
    say(`made ${gib} GiB`);
    const rows: Row[] = [];
    for (const kind of kinds.split(',') as Kind[]) rows.push(...(await runKind(kind, dir, sizeBytes, sha, source)));
    return rows;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
