import { readFile } from 'node:fs/promises';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import type { Download, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { sha256 } from '../files/samples.ts';
import { unzip, type ZipMember } from '../files/unzip.ts';
import type { TestFile } from './lying-server-gain.ts';
import { FILM_RANGE } from './made-contents.ts';

/** Tries all ways to a file on a folder's page. */

export type Way = 'card' | 'viewer' | 'film' | 'download' | 'zip';

export interface Reach {
  /** The ways that gave bytes. */
  readonly ways: readonly Way[];
  /** The ways that gave other bytes than this file's. */
  readonly wrong: readonly Way[];
}

const WAIT = { timeout: 30_000 };

/** A file's card by the id of its entry, whatever name it shows. */
export const cardOf = (page: Page, id: string): Locator =>
  page
    .getByRole('grid', { name: 'Files' })
    .getByRole('gridcell')
    .filter({ has: page.locator(`[data-file="${id}"]`) });

const failureOn = (place: Locator) => place.getByText(/corrupted|HMAC|Not from this folder|failed/i).first();

/** What the viewer shows until a file is open. */
const waitingIn = (dialog: Locator) =>
  dialog.getByRole('progressbar').or(dialog.getByRole('status').filter({ hasText: 'Loading' }));

/** A hundred bytes in the middle of the viewer's media, by a range request. */
const filmBytes = (dialog: Locator): Promise<string> =>
  dialog.locator('video').evaluate(async (video, { start, end }) => {
    const range = { range: `bytes=${start}-${end - 1}` };
    const response = await fetch((video as HTMLVideoElement).src, { headers: range });
    const bytes = response.ok ? new Uint8Array(await response.arrayBuffer()) : [];
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  }, FILM_RANGE);

/** Read in one step: an element that is there when it is counted may be gone when it is asked. */
const isEnabled = (target: Locator): Promise<boolean> =>
  target.evaluateAll((found) => found.some((one) => !one.matches(':disabled, [aria-disabled="true"]')));

/** Clicks, unless the target is gone or unclickable or becomes so: the code behind it may reject the file late. */
async function clickIfEnabled(target: Locator): Promise<boolean> {
  const untilMs = Date.now() + WAIT.timeout;
  while (await isEnabled(target)) {
    const failure = await target.click({ timeout: 2000 }).catch((error: Error) => error);
    if (!failure) return true;
    if (Date.now() > untilMs) throw failure;
  }
  return false;
}

/** Clicks a clickable card, and checks the result. */
async function view(page: Page, id: string, file: TestFile | null, downloads: readonly Download[]): Promise<Reach> {
  const main = cardOf(page, id).locator(`[data-file="${id}"]`);
  const dialog = page.getByRole('dialog');
  await main.waitFor({ state: 'attached' });
  if (!(await clickIfEnabled(main))) return { ways: [], wrong: [] };
  const isShown = async () => (await dialog.count()) > 0 && (await waitingIn(dialog).count()) === 0;
  const isOver = async () =>
    downloads.length > 0 || (await failureOn(cardOf(page, id)).count()) > 0 || (await isShown());
  await expect.poll(isOver, WAIT).toBe(true);
  if ((await dialog.count()) === 0) return { ways: [], wrong: [] };
  if ((await failureOn(dialog).count()) > 0) {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return { ways: [], wrong: [] };
  }
  const isFilm = (await dialog.locator('video').count()) > 0;
  const played = isFilm ? await filmBytes(dialog) : '';
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const isRight = file?.buffer.toString('latin1', FILM_RANGE.start, FILM_RANGE.end) === played;
  return {
    ways: ['viewer', ...(played ? (['film'] as const) : [])],
    wrong: [...(file === null ? (['viewer'] as const) : []), ...(played && !isRight ? (['film'] as const) : [])],
  };
}

async function save(page: Page, id: string, downloads: readonly Download[]): Promise<void> {
  const button = cardOf(page, id).getByRole('button', { name: 'Download' });
  const before = downloads.length;
  if (!(await clickIfEnabled(button))) return;
  const isOver = async () => downloads.length > before || (await failureOn(cardOf(page, id)).count()) > 0;
  await expect.poll(isOver, WAIT).toBe(true);
}

const bytesOf = async (download: Download): Promise<Buffer | null> =>
  (await download.failure()) === null ? readFile(await download.path()) : null;

/**
 * Tries a card, the viewer, the film in it, and Download.
 * @param file the only acceptable result; null if nothing is acceptable
 */
export async function reachOf(page: Page, id: string, file: TestFile | null): Promise<Reach> {
  const card = cardOf(page, id);
  await card.scrollIntoViewIfNeeded();
  const opensUnasked = file !== null && file.buffer.length <= AUTO_OPEN_BYTES;
  if (opensUnasked)
    await card
      .getByText(/^(Cached|No Key)$/)
      .or(failureOn(card))
      .first()
      .waitFor(WAIT);
  const onCard = (await card.locator('img').or(card.getByText('Cached')).count()) > 0;
  const downloads: Download[] = [];
  const onDownload = (download: Download) => downloads.push(download);
  page.on('download', onDownload);
  const viewed = await view(page, id, file, downloads);
  await save(page, id, downloads);
  page.off('download', onDownload);
  const saved = (await Promise.all(downloads.map(bytesOf))).filter((bytes) => bytes !== null);
  const isWrong = saved.some((bytes) => file === null || !file.buffer.equals(bytes));
  return {
    ways: [
      ...(onCard ? (['card'] as const) : []),
      ...viewed.ways,
      ...(saved.length > 0 ? (['download'] as const) : []),
    ],
    wrong: [
      ...(onCard && file === null ? (['card'] as const) : []),
      ...viewed.wrong,
      ...(isWrong ? (['download'] as const) : []),
    ],
  };
}

/** The files of "Download all"; empty if it is unavailable or fails. */
export async function packedOn(page: Page): Promise<readonly ZipMember[]> {
  const button = page.getByRole('button', { name: 'Download all' });
  if (!(await isEnabled(button))) return [];
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const bytes = await bytesOf(download);
  return bytes === null ? [] : unzip(bytes);
}

/** Names of members that are not these files under their own names. */
export function strangersAmong(members: readonly ZipMember[], files: readonly TestFile[]): string[] {
  const known = new Map(files.map(({ name, buffer }) => [name, sha256(buffer)]));
  return members.filter(({ name, bytes }) => known.get(name) !== sha256(bytes)).map(({ name }) => name);
}
