import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Download, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { newVisitor, type Visitor } from '../support/browser.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { test } from '../support/shared.ts';
import { type Site, startSite } from '../support/site.ts';

/** Files too large to open on their own: how they play and save, and what damage does. In order. */

const MIB = 1024 ** 2;
const SOUND_BYTES = 30 * MIB;
const NOISE_BYTES = 34 * MIB;
const WAV_HEADER_BYTES = 44;
const BYTES_PER_SECOND = 44_100 * 2 * 2;

const cell = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: name });
const downloadButton = (page: Page, name: string) => cell(page, name).getByRole('button', { name: 'Download' });

/** A sound of that many bytes: players seek in it by byte ranges, and any bytes are valid samples. */
function wavOf(sizeBytes: number): Buffer {
  const wav = randomBytesOf(sizeBytes);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(sizeBytes - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(2, 22);
  wav.writeUInt32LE(44_100, 24);
  wav.writeUInt32LE(BYTES_PER_SECOND, 28);
  wav.writeUInt16LE(4, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(sizeBytes - WAV_HEADER_BYTES, 40);
  return wav;
}

async function savedSha(download: Download): Promise<string> {
  expect(await download.failure()).toBeNull();
  return sha256(await readFile(await download.path()));
}

/** Flips one bit in the middle of the largest stored file. */
async function damageLargest(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sized = await Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })));
  const largest = sized.reduce((a, b) => (b.size > a.size ? b : a));
  expect(largest.size).toBeGreaterThan(NOISE_BYTES);
  const file = await open(largest.path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, NOISE_BYTES / 2);
  byte[0] = (byte[0] ?? 0) ^ 1;
  await file.write(byte, 0, 1, NOISE_BYTES / 2);
  await file.close();
}

describe('a large file', () => {
  let site: Site;
  let friend: Visitor;
  let link: string;
  const sound = wavOf(SOUND_BYTES);
  const noise = randomBytesOf(NOISE_BYTES);

  test.beforeAll(async ({ chromium }) => {
    site = await startSite();
    const files = [
      { name: 'Tönchen (1).wav', mimeType: 'audio/wav', buffer: sound },
      { name: 'noise.bin', mimeType: 'application/octet-stream', buffer: noise },
    ];
    link = (await createFolderAs(await signIn(site, 'mika'), site, { name: 'Large things', files })).link();
    friend = await newVisitor(chromium);
  });
  afterAll(() => site?.stop());

  const audio = () => friend.page.getByRole('dialog').locator('audio');
  /** Plays from a place in the file; resolves once sound plays from there. */
  const seekTo = (seconds: number) =>
    audio().evaluate(
      (element, place) =>
        new Promise<number>((resolve, reject) => {
          const player = element as HTMLAudioElement;
          player.addEventListener('seeked', () => resolve(player.currentTime), { once: true });
          player.addEventListener('error', () => reject(new Error(player.error?.message)), { once: true });
          player.currentTime = place;
        }),
      seconds,
    );

  test('is not opened without a click, and plays from any place after one', async () => {
    const { page } = friend;
    await page.goto(link);
    await cell(page, 'Tönchen (1).wav').getByText('API').waitFor();
    await cell(page, 'Tönchen (1).wav').getByRole('button', { name: 'Tönchen (1).wav' }).click();
    await audio().waitFor();
    expect(await audio().evaluate((element) => (element as HTMLAudioElement).currentSrc)).toMatch(/\/media\/[\w-]+$/);
    const seconds = (SOUND_BYTES - WAV_HEADER_BYTES) / BYTES_PER_SECOND;
    const duration = () => audio().evaluate((element) => (element as HTMLAudioElement).duration);
    await expect.poll(duration).toBeCloseTo(seconds, 0);
    expect(await seekTo(seconds * 0.9)).toBeCloseTo(seconds * 0.9, 0);
    expect(await seekTo(seconds * 0.2)).toBeCloseTo(seconds * 0.2, 0);
  });

  test('answers exactly the bytes that a player asks for, also after the browser ended the service worker', async () => {
    const { page, context } = friend;
    const ask = (range: string) =>
      page.evaluate(
        async ([url, Range]) => {
          const response = await fetch(url, { headers: { Range } });
          const bytes = [...new Uint8Array(await response.arrayBuffer())];
          return { status: response.status, range: response.headers.get('Content-Range'), bytes };
        },
        [new URL(src).pathname, range] as const,
      );
    const src = await audio().evaluate((element) => (element as HTMLAudioElement).currentSrc);
    const first = { status: 206, range: `bytes 0-1/${SOUND_BYTES}`, bytes: [...sound.subarray(0, 2)] };
    expect(await ask('bytes=0-1')).toEqual(first);
    const session = await context.newCDPSession(page);
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    expect(await ask('bytes=0-1')).toEqual(first);
    const middle = await ask('bytes=20000000-20000999');
    expect(middle.bytes).toEqual([...sound.subarray(20_000_000, 20_001_000)]);
    expect((await ask('bytes=-10')).bytes).toEqual([...sound.subarray(-10)]);
    await page.keyboard.press('Escape');
    await audio().waitFor({ state: 'detached' });
  });

  test('is saved whole, two at once and under their names, without leaving the page', async () => {
    const { page } = friend;
    const downloads: Download[] = [];
    page.on('download', (download) => downloads.push(download));
    await downloadButton(page, 'noise.bin').click();
    await downloadButton(page, 'Tönchen (1).wav').click();
    await expect.poll(() => downloads.length).toBe(2);
    const saved = await Promise.all(
      downloads.map(async (download) => [download.suggestedFilename(), await savedSha(download)] as const),
    );
    expect(Object.fromEntries(saved)).toEqual({ 'noise.bin': sha256(noise), 'Tönchen (1).wav': sha256(sound) });
    expect(page.url()).toBe(link);
  });

  test('that was damaged on the server fails with an error', async () => {
    const { page } = friend;
    await damageLargest(site.dataDir);
    const [download] = await Promise.all([page.waitForEvent('download'), downloadButton(page, 'noise.bin').click()]);
    expect(await download.failure()).not.toBeNull();
    await cell(page, 'noise.bin')
      .getByText(/HMAC verification failed for chunk \d+/)
      .waitFor();
  });

  test('causes no browser error', () => {
    expect(friend.problems()).toEqual([]);
  });
});
