import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, newVisitor, takeSession, type Visitor } from '../../support/browser.ts';
import type { Tab } from '../../support/engines/tab.ts';
import { randomBytesOf } from '../../support/files.ts';
import { createFolderAs, type FolderWish, type OwnedFolder, type Person, signIn } from '../../support/people.ts';
import { type Site, type SiteOptions, startSite } from '../../support/site.ts';
import { type BareServer, startBare } from '../bare-servers.ts';
import { childrenOf, cpuSeconds, treeCpuSeconds, treePssMib } from '../process-cost.ts';
import type { Row } from '../report.ts';

/**
 * A site, a bare server and one Chromium, which does the same at either by turns. Each visit is a new profile with a process
 * of its own. Pages time themselves and say when they are done; nothing asks them in between.
 */

/** Its debugger doesn't see what workers send. */
const CHROMIUM = join(import.meta.dirname, 'unwatched-chromium.mjs');

export const MIB = 1024 ** 2;
/** Of the large file. */
export const SIZE_BYTES = Number(process.env.BENCH_MIB ?? 1024) * MIB;
const PIECE_BYTES = 16 * MIB;
/** Reading the memory of all processes takes some 20 ms of them. */
const MEMORY_EVERY_MS = 500;
/** Until what came before has come to rest. */
const SETTLE_MS = 2000;
/** A machine that is busy with other work needs it. */
const LONG_MS = 120_000;
const MB = 1_000_000;

/** Of a site. */
export const FOR_LARGE_FILES = { MAX_FILE_BYTES: '2GiB', FREE_STORAGE_BYTES: '64GiB', LOG_LEVEL: 'warn' };
/** What the page of the bare server needs: one input. */
export const BARE_PAGE = '<!doctype html><title>bare</title><input type="file" multiple>';

/** What a transfer took. */
export interface Cost {
  readonly seconds: number;
  readonly serverCpu: number;
  readonly browserCpu: number;
  /** Of all the browser's processes (PSS), above what they took before, at its highest. */
  readonly memoryMb: number;
}

export interface Stage {
  readonly site: Site;
  readonly bare: BareServer;
  readonly browser: Browser;
  /** What the bare server gives out and keeps. */
  readonly dir: string;
  readonly person: Person;
  /** Creates a folder, opens it as its owner, and deletes it afterwards. */
  inFolder<Result>(wish: FolderWish, work: (page: Page, folder: OwnedFolder) => Promise<Result>): Promise<Result>;
  /** Opens an address in a new profile. @param isOwner signed in as the person, or nobody */
  inVisit<Result>(url: string, isOwner: boolean, work: (visitor: Visitor) => Promise<Result>): Promise<Result>;
  /**
   * @param server whose processor time counts; null: one that the bench has not started
   * @param work returns how long it took, in milliseconds
   */
  measure(server: 'site' | 'bare' | null, work: () => Promise<number>): Promise<Cost>;
  end(): Promise<void>;
}

export async function openStage(options: SiteOptions = {}): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-bench-'));
  const site = await startSite({ ...options, env: FOR_LARGE_FILES });
  const [bare, browser, person] = [await startBare(dir), await launchBrowser(CHROMIUM), await signIn(site, 'mika')];
  const [browserPid] = childrenOf(/chrom|headless/i);
  if (browserPid === undefined) throw new Error('the browser’s process was not found');
  await writeFile(join(dir, 'page'), BARE_PAGE);

  const inVisit: Stage['inVisit'] = async (url, isOwner, work) => {
    const visitor = await newVisitor(browser);
    try {
      if (isOwner) await takeSession(visitor, person, site.url);
      visitor.page.setDefaultTimeout(LONG_MS);
      await visitor.page.goto(url);
      return await work(visitor);
    } finally {
      await visitor.close();
    }
  };
  return {
    site,
    bare,
    browser,
    dir,
    person,
    inVisit,
    async inFolder(wish, work) {
      const folder = await createFolderAs(person, site, wish);
      try {
        return await inVisit(folder.link(), true, ({ page }) => work(page, folder));
      } finally {
        await person.rpc('delete_folder_complete', { folder_id: folder.folder.id });
      }
    },
    measure: (server, work) =>
      measureCost(browserPid, server === null ? null : server === 'site' ? site.pid() : bare.pid, work),
    async end() {
      await browser.close();
      bare.end();
      await site.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** What `work` takes of a browser and, unless null, of a server. @param work returns how long it took, in milliseconds */
export async function measureCost(
  browserPid: number,
  serverPid: number | null,
  work: () => Promise<number>,
): Promise<Cost> {
  const serverSeconds = () => (serverPid === null ? Number.NaN : cpuSeconds(serverPid));
  await sleep(SETTLE_MS);
  const idleMib = treePssMib(browserPid);
  let peakMib = idleMib;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, treePssMib(browserPid));
  }, MEMORY_EVERY_MS);
  const [browserBefore, serverBefore] = [treeCpuSeconds(browserPid), serverSeconds()];
  try {
    const ms = await work();
    return {
      seconds: ms / 1000,
      serverCpu: serverSeconds() - serverBefore,
      browserCpu: treeCpuSeconds(browserPid) - browserBefore,
      memoryMb: ((peakMib - idleMib) * MIB) / MB,
    };
  } finally {
    clearInterval(timer);
  }
}

/** Opens a stage for as long as `work` takes. */
export async function onStage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result> {
  const stage = await openStage();
  return work(stage).finally(() => stage.end());
}

/** Writes the large file, of which no piece is like another. */
export async function writeNoise(path: string, sizeBytes = SIZE_BYTES): Promise<void> {
  const file = await open(path, 'w');
  const piece = randomBytesOf(PIECE_BYTES);
  for (let at = 0; at < sizeBytes; at += PIECE_BYTES) {
    piece.writeUInt32LE(at / PIECE_BYTES, 0);
    await file.write(piece, 0, Math.min(PIECE_BYTES, sizeBytes - at));
  }
  await file.datasync();
  await file.close();
}

export async function shaOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: MIB })) hash.update(piece);
  return hash.digest('hex');
}

/** Chooses files in a folder's page, presses Upload and waits until all are there. @returns milliseconds from the press */
export async function upload(page: Tab, paths: readonly string[]): Promise<number> {
  await page.getByLabel('Choose files').setInputFiles([...paths]);
  await page.getByRole('button', { name: /^Upload [\d,]+ files?$/ }).waitFor();
  return page.evaluate(pressUpload, `${paths.length} completed`);
}

/** Runs in the page. */
function pressUpload(wanted: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const look = () => {
      const places = 'ul[aria-label="By status"] li, button[aria-expanded] span';
      const chips = [...document.querySelectorAll(places)].map((chip) => chip.textContent);
      if (chips.includes(wanted)) resolve(performance.now() - started);
      else if (chips.some((text) => text?.endsWith('failed'))) reject(new Error(chips.join(', ')));
      else return;
      observer.disconnect();
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    const button = [...document.querySelectorAll('button')].find((each) => /^Upload \d/.test(each.textContent ?? ''));
    button?.click();
  });
}

/** Chooses files in the bare server's page and PUTs them, a number of them at once. @returns milliseconds */
export async function putBare(page: Tab, paths: readonly string[], atOnce = 1): Promise<number> {
  await page.locator('input').setInputFiles([...paths]);
  return page.evaluate(async (lanes) => {
    const started = performance.now();
    const files = [...(document.querySelector('input')?.files ?? [])].entries();
    const send = async () => {
      for (const [at, body] of files) {
        const { ok } = await fetch(`/sent${at}`, { method: 'PUT', body });
        if (!ok) throw new Error('a PUT failed');
      }
    };
    await Promise.all(Array.from({ length: lanes }, send));
    return performance.now() - started;
  }, atOnce);
}

/** Limits of a transfer, as the times of the bound or, of memory, as megabytes. */
export interface CostLimits {
  readonly seconds?: number;
  readonly serverCpu?: number;
  readonly memoryMb?: number;
}

/** Time, processor time of both sides, and the browser's memory, each beside the bound's. */
export function costRows(
  name: string,
  measured: readonly Cost[],
  bound: { readonly name: string; readonly costs: readonly Cost[] },
  limits: CostLimits = {},
): Row[] {
  const beside = (of: keyof Cost, atMost?: number) => [
    { name: bound.name, measured: bound.costs.map((cost) => cost[of]), ...(atMost !== undefined && { atMost }) },
  ];
  const all = (of: keyof Cost) => measured.map((cost) => cost[of]);
  const { seconds, serverCpu, memoryMb } = limits;
  const rows: Row[] = [
    { name: `${name}: time`, unit: 's', measured: all('seconds'), bounds: beside('seconds', seconds) },
    {
      name: `${name}: server’s processor time`,
      unit: 'CPU-s',
      measured: all('serverCpu'),
      bounds: beside('serverCpu', serverCpu),
    },
    {
      name: `${name}: browser’s processor time`,
      unit: 'CPU-s',
      measured: all('browserCpu'),
      bounds: beside('browserCpu'),
    },
    {
      name: `${name}: browser’s memory above idle`,
      unit: 'MB',
      measured: all('memoryMb'),
      bounds: beside('memoryMb'),
      ...(memoryMb !== undefined && { atMost: memoryMb }),
    },
  ];
  return rows.filter(({ measured: figures }) => !figures.every(Number.isNaN));
}
