import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { card, newVisitor, type Visitor } from '../support/browser.ts';
import type { Line } from '../support/line.ts';
import { spreadFilm } from '../support/media.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** What of a sealed film travels when a person looks at a place far into it. In order. */

const MIB = 1024 ** 2;
const FILM_BYTES = 96 * MIB;
/**
 * What Chromium reads ahead of a film of any size: once at the beginning, where it turns to the index sooner or later, as the
 * machine is fast or slow, and once at the place.
 */
const AHEAD_BYTES = 2 * 4 * MIB;
const SECONDS = 600;
const PLACE = 0.8;

let line: Line;
let site: Site;
let friend: Visitor;
let link: string;

let bytes: Buffer;

test.beforeAll(async ({ behindLine }) => {
  ({ line, site } = behindLine);
  bytes = spreadFilm(await readFile(join(import.meta.dirname, '../fixtures/film.mp4')), FILM_BYTES);
  const files = [
    { name: 'journey.mp4', mimeType: 'video/mp4', buffer: bytes },
    { name: 'route.txt', mimeType: 'text/plain', buffer: Buffer.from('North, then west.') },
  ];
  link = (await createFolderAs(await signIn(site, 'mika'), site, { name: 'Films', files })).link();
  friend = await newVisitor(behindLine.browser);
});

const film = (page: Page) => page.getByRole('dialog').locator('video');

test('a large film is not fetched before a click', async () => {
  const { page } = friend;
  await page.goto(link);
  await card(page, 'journey.mp4').getByText('API').waitFor();
  expect(line.answeredBytes()).toBeLessThan(3 * MIB);
});

test('plays from 80 % of it with less than 5 % fetched and what a player reads ahead, though its index is at the end', async () => {
  const { page } = friend;
  // The viewer's own scripts come with the first file that it shows.
  await card(page, 'route.txt').getByText('Cached').waitFor();
  await card(page, 'route.txt').getByRole('button', { name: 'route.txt' }).click();
  await page.getByRole('dialog').getByText('North, then west.').waitFor();
  await page.keyboard.press('Escape');
  line.forget();
  await card(page, 'journey.mp4').getByRole('button', { name: 'journey.mp4' }).click();
  await film(page).waitFor();
  await expect.poll(() => film(page).evaluate((element) => (element as HTMLVideoElement).duration)).toBe(SECONDS);
  await film(page).evaluate(playFrom, SECONDS * PLACE);
  expect(line.answeredBytes()).toBeLessThan(0.05 * FILM_BYTES + AHEAD_BYTES);
});

test('any place has exactly its bytes, also after the browser ended the service worker', async () => {
  const { page, context } = friend;
  const src = await film(page).evaluate((element) => {
    (element as HTMLVideoElement).pause();
    return (element as HTMLVideoElement).currentSrc;
  });
  const ask = (Range: string) =>
    page.evaluate(
      async ([url, range]) => {
        const response = await fetch(url, { headers: { Range: range } });
        return [...new Uint8Array(await response.arrayBuffer())];
      },
      [new URL(src).pathname, Range] as const,
    );
  expect(await ask('bytes=0-1')).toEqual([...bytes.subarray(0, 2)]);
  const session = await context.newCDPSession(page);
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  expect(await ask('bytes=20000000-20000999')).toEqual([...bytes.subarray(20_000_000, 20_001_000)]);
  expect(await ask('bytes=-10')).toEqual([...bytes.subarray(-10)]);
});

test('causes no browser error', () => {
  expect(friend.problems()).toEqual([]);
});

/** Plays from a place; resolves once the film continued from there. */
async function playFrom(element: SVGElement | HTMLElement, seconds: number): Promise<void> {
  const player = element as HTMLVideoElement;
  await new Promise<void>((resolve, reject) => {
    player.addEventListener('error', () => reject(new Error(player.error?.message)), { once: true });
    player.addEventListener('timeupdate', () => player.currentTime > seconds + 2 && !player.seeking && resolve());
    player.currentTime = seconds;
    player.play().catch(reject);
  });
}
