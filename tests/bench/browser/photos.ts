import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { freePort } from '../../../apps/server/test/support/free-port.ts';
import { BARE_PATH } from '../../support/browser.ts';
import { randomBytesOf } from '../../support/files.ts';
import { listFiles, type OwnedFolder } from '../../support/people.ts';
import { byTurns, type Row } from '../report.ts';
import { openSlowLine, type SlowLine, type Slowness } from './slow-line.ts';
import { openStage, type Stage, upload } from './stage.ts';

/**
 * The first screen of a folder of 100 photos, as a friend sees it who was never at the site: when names are there, the first
 * picture, and a picture on every card in view; and how many bytes that took, the page's own included. Beside it, a bare page
 * with as many pictures of 480 px over the same kind of line.
 */

const COUNT = 100;
/** The number of painted photos; the others differ from them by a comment only. */
const PAINTED = 10;
const COMMENT_BYTES = 64;
/** Made once. */
const CACHE = join(tmpdir(), 'satchel-bench-photos-1');
const PHOTO_BYTES = 4_800_000;
/** On the bare page: what fits into the first screen of a folder. */
const BARE_COUNT = 12;
const BARE_WIDTH_PX = 480;
const SLOW: Slowness = { oneWayMs: 200, bytesPerSecond: 50_000 };
/** What has not come by then counts as never. On the slow line a first screen of originals would take 20 minutes. */
const WITHIN_MS = 120_000;
/** So long nothing has to come, until the page is taken to make no more stills. */
const NO_STILL_MS = 30_000;
const STILLS_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 2000;
const MB = 1_000_000;

const photoName = (at: number) => `photo-${String(at).padStart(3, '0')}.jpg`;

/** Runs in the bare page: paints photos of 12 MP, as large as a phone's by their noise, and PUTs them. */
async function paintPhotos([count, sizeBytes]: readonly [number, number]): Promise<void> {
  const [width, height, tile] = [4000, 3000, 512];
  const grain = new OffscreenCanvas(tile, tile);
  const ink = grain.getContext('2d')!;
  const pixels = ink.createImageData(tile, tile);
  for (let at = 0; at < pixels.data.length; at += 65_536)
    crypto.getRandomValues(pixels.data.subarray(at, at + 65_536) as Uint8ClampedArray<ArrayBuffer>);
  for (let at = 3; at < pixels.data.length; at += 4) pixels.data[at] = 255;
  ink.putImageData(pixels, 0, 0);
  const any = (below: number) => Math.random() * below;
  const canvas = new OffscreenCanvas(width, height);
  const brush = canvas.getContext('2d')!;

  function paint(noise: number): Promise<Blob> {
    brush.globalAlpha = 1;
    const sky = brush.createLinearGradient(0, 0, any(width), height);
    sky.addColorStop(0, `hsl(${any(360)} 60% 65%)`);
    sky.addColorStop(1, `hsl(${any(360)} 50% 30%)`);
    brush.fillStyle = sky;
    brush.fillRect(0, 0, width, height);
    for (let shape = 0; shape < 40; shape += 1) {
      brush.fillStyle = `hsl(${any(360)} 50% ${20 + any(60)}%)`;
      brush.beginPath();
      brush.ellipse(any(width), any(height), 40 + any(500), 40 + any(400), any(3), 0, 7);
      brush.fill();
    }
    brush.globalAlpha = noise;
    brush.fillStyle = brush.createPattern(grain, 'repeat')!;
    const [x, y] = [any(tile), any(tile)];
    brush.translate(-x, -y);
    brush.fillRect(0, 0, width + tile, height + tile);
    brush.setTransform(1, 0, 0, 1, 0, 0);
    return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 });
  }

  let [low, high] = [0, 0.8];
  for (let step = 0; step < 7; step += 1) {
    const middle = (low + high) / 2;
    if ((await paint(middle)).size < sizeBytes) low = middle;
    else high = middle;
  }
  for (let at = 0; at < count; at += 1) await fetch(`/photo${at}`, { method: 'PUT', body: await paint(low) });
}

/** Runs in the bare page: PUTs a picture, scaled down to WebP. */
async function scaleDown([at, widthPx]: readonly [number, number]): Promise<void> {
  const original = await createImageBitmap(await (await fetch(`/photo${at}`)).blob());
  const canvas = new OffscreenCanvas(widthPx, Math.round((widthPx * original.height) / original.width));
  const brush = canvas.getContext('2d')!;
  brush.imageSmoothingQuality = 'high';
  brush.drawImage(original, 0, 0, canvas.width, canvas.height);
  await fetch(`/still${at}`, { method: 'PUT', body: await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 }) });
}

/** A JPEG with its own comment behind its first marker, so that no two files have the same bytes. */
function withComment(jpeg: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, COMMENT_BYTES + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, randomBytesOf(COMMENT_BYTES), jpeg.subarray(2)]);
}

const cell = (at: number) =>
  `<div role="gridcell"><button data-main aria-label="${photoName(at)}"></button><img src="/still${at}" width="320"></div>`;

/** Makes the photos, or takes an earlier run's, and the bare page. @returns paths of the photos */
async function preparePhotos({ dir, bare, inVisit }: Stage): Promise<string[]> {
  const paths = Array.from({ length: COUNT }, (_, at) => join(CACHE, photoName(at)));
  const hasAll = (await readdir(CACHE).catch(() => [])).length === COUNT;
  await inVisit(`${bare.url}/page`, false, async ({ page }) => {
    if (!hasAll) {
      const unfinished = `${CACHE}-${process.pid}`;
      await mkdir(unfinished, { recursive: true });
      await page.evaluate(paintPhotos, [PAINTED, PHOTO_BYTES] as const);
      for (let at = 0; at < COUNT; at += 1) {
        const painted = await readFile(join(dir, `photo${at % PAINTED}`));
        await writeFile(join(unfinished, photoName(at)), withComment(painted));
      }
      await rm(CACHE, { recursive: true, force: true });
      await rename(unfinished, CACHE);
    }
    for (const [at, path] of paths.slice(0, BARE_COUNT).entries()) {
      await copyFile(path, join(dir, `photo${at}`));
      await page.evaluate(scaleDown, [at, BARE_WIDTH_PX] as const);
    }
  });
  const cells = Array.from({ length: BARE_COUNT }, (_, at) => cell(at)).join('');
  const style = '<style>body{display:grid;grid-template-columns:repeat(4,1fr)}</style>';
  await writeFile(join(dir, 'pictures'), `<!doctype html><title>bare</title>${style}${cells}`);
  return paths;
}

/** Times from the start of the navigation, in milliseconds. */
interface FirstScreen {
  readonly namesMs: number;
  readonly firstMs: number;
  readonly fullMs: number;
}

/**
 * Runs in the page before its own scripts. A card has its picture once that is loaded and at least as wide as its place is,
 * whether it is an original or a still. Looks when pictures load, and for names until they are there.
 */
function watchFirstScreen({ withinMs, isFirstEnough }: { withinMs: number; isFirstEnough: boolean }): void {
  const found = new Promise<FirstScreen>((resolve) => {
    const cards = () =>
      [...document.querySelectorAll('[role=gridcell]')].filter((card) => {
        const { top, bottom, width } = card.getBoundingClientRect();
        return width > 0 && bottom > 0 && top < innerHeight;
      });
    const hasPicture = (card: Element) =>
      [...card.querySelectorAll('img')].some(
        ({ complete, naturalWidth, clientWidth }) => complete && clientWidth > 0 && naturalWidth >= clientWidth,
      );
    const times = { namesMs: Infinity, firstMs: Infinity, fullMs: Infinity };
    const lookForNames = () => {
      if (!document.querySelector('[role=gridcell] [data-main][aria-label$=".jpg"]')) return;
      times.namesMs = performance.now();
      observer.disconnect();
    };
    const observer = new MutationObserver(lookForNames);
    observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-label'] });
    const look = ({ target }: Event) => {
      if (!(target instanceof HTMLImageElement) || !target.closest('[role=gridcell]')) return;
      times.firstMs = Math.min(times.firstMs, performance.now());
      if (cards().every(hasPicture)) times.fullMs = performance.now();
      if (!isFirstEnough && times.fullMs === Infinity) return;
      document.removeEventListener('load', look, true);
      resolve(times);
    };
    // "load" does not bubble, but is captured on its way down.
    document.addEventListener('load', look, true);
    setTimeout(() => resolve(times), withinMs);
  });
  Object.assign(globalThis, { firstScreen: found });
}

interface Seen extends FirstScreen {
  readonly bytes: number;
}

/** Opens a page in a new profile, and waits until its first screen is full; over a slow line, until its first picture is there. */
const see = (stage: Stage, line: SlowLine, url: string, slowness: Slowness | null): Promise<Seen> =>
  stage.inVisit('about:blank', false, async ({ page }) => {
    await page.addInitScript(watchFirstScreen, { withinMs: WITHIN_MS, isFirstEnough: slowness !== null });
    line.slow(slowness);
    await page.goto(url, { waitUntil: 'commit', timeout: WITHIN_MS });
    const times = await page.evaluate(
      () => (globalThis as unknown as { firstScreen: Promise<FirstScreen> }).firstScreen,
    );
    return { ...times, bytes: line.answeredBytes() };
  });

/** Until the page has made a still of each photo, or makes none: a site without stills shows originals. */
async function awaitStills(stage: Stage, { folder }: OwnedFolder, page: Page): Promise<number> {
  const deadline = performance.now() + STILLS_WITHIN_MS;
  let [count, changedAt] = [0, performance.now()];
  while (count < COUNT && performance.now() < deadline && performance.now() - changedAt < NO_STILL_MS) {
    await sleep(LOOK_EVERY_MS);
    const entries = await listFiles(stage.person, folder.bucket_storage_path);
    const now = entries.filter(({ metadata }) => metadata && 'still' in metadata && metadata.still).length;
    if (now !== count) changedAt = performance.now();
    count = now;
  }
  await page.goto(`${stage.site.url}${BARE_PATH}`);
  return count;
}

export async function benchPhotos(): Promise<Row[]> {
  const port = await freePort();
  const line = await openSlowLine(port);
  const stage = await openStage({ port, publicUrl: line.url });
  const bareLine = await openSlowLine(stage.bare.port);
  try {
    const paths = await preparePhotos(stage);
    const { size } = await stat(paths[0] ?? '');
    return await stage.inFolder({ name: 'Photos' }, async (page, folder) => {
      await upload(page, paths);
      const stills = await awaitStills(stage, folder, page);
      console.log(`photos: ${COUNT} of ${(size / MB).toFixed(1)} MB, ${stills} with a still`);
      const seeing = (slowness: Slowness | null) =>
        byTurns({
          bare: () => see(stage, bareLine, `${bareLine.url}/pictures`, slowness),
          site: () => see(stage, line, folder.link(), slowness),
        });
      const [fast, slow] = [await seeing(null), await seeing(SLOW)];
      const row = (of: keyof Seen, from: typeof fast, name: string, atMost: number, unit: 's' | 'MB' = 's'): Row => {
        const figures = (all: readonly Seen[]) => all.map((seen) => seen[of] / (unit === 's' ? 1000 : MB));
        const bounds = [{ name: `bare page, ${BARE_COUNT} WebP`, measured: figures(from.bare) }];
        return { name: `${COUNT} photos: ${name}`, unit, measured: figures(from.site), atMost, bounds };
      };
      return [
        row('bytes', fast, 'bytes until the first screen is full', 1, 'MB'),
        row('fullMs', fast, 'time until the first screen is full', 1),
        row('namesMs', slow, 'names at 400 ms and 50 KB/s', 6),
        row('firstMs', slow, 'first picture at 400 ms and 50 KB/s', 9),
      ];
    });
  } finally {
    line.close();
    bareLine.close();
    await stage.end();
  }
}
