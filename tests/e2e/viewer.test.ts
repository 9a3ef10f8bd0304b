import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, CDPSession, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { card, newVisitor, type Visitor } from '../support/browser.ts';
import { noisePng, worldFiles } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { coveredSong, spreadFilm } from '../support/media.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { test } from '../support/shared.ts';

/** The viewer leads to every file of a folder, by keys and by touch. In order. */

const FILM_BYTES = 26 * 1024 ** 2;
const NAMES = [
  ...['a-picture.png', 'b-picture.png', 'broken.png', 'film.mp4', 'handbook.pdf', 'horn.wav'],
  ...['page.html', 'raid-highlights.webm', 'song.mp3', 'travel-notes.txt', 'voice.ogg', 'world-save.bin'],
];

/** It begins as a picture, and is none. */
const DAMAGED = Buffer.concat([noisePng(40, 40).subarray(0, 30), Buffer.alloc(2000, 7)]);

let browser: Browser;
let link: string;
let desk: Visitor;
let phone: Visitor;
let touch: CDPSession;

test.beforeAll(async ({ place }) => {
  ({ browser } = place);
  const world = await worldFiles();
  const [tone] = world.filter(({ name }) => name === 'horn.wav');
  const film = await readFile(join(import.meta.dirname, '../fixtures/film.mp4'));
  const files = [
    ...world.filter(({ name }) => NAMES.includes(name)),
    { name: 'a-picture.png', mimeType: 'image/png', buffer: noisePng(300, 400) },
    { name: 'b-picture.png', mimeType: 'image/png', buffer: noisePng(400, 300) },
    { name: 'broken.png', mimeType: 'image/png', buffer: DAMAGED },
    { name: 'film.mp4', mimeType: 'video/mp4', buffer: spreadFilm(film, FILM_BYTES) },
    { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<h1>Not a page</h1>') },
    { name: 'song.mp3', mimeType: 'audio/mpeg', buffer: coveredSong(noisePng(64, 64)) },
    { name: 'voice.ogg', mimeType: 'audio/ogg', buffer: tone!.buffer },
  ];
  const mika = await signIn(place.site, 'mika');
  link = (await createFolderAs(mika, place.site, { name: 'Twelve', files })).link();
  desk = await newVisitor(browser);
  phone = await newVisitor(browser, { width: 390, height: 844 });
});

const viewer = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

const viewFirst = (page: Page): Promise<void> =>
  card(page, 'a-picture.png').getByRole('button', { name: 'a-picture.png', exact: true }).click();

/** What a file shows once the viewer has come to it and opened it. */
const SHOWN: Readonly<Record<string, (dialog: Locator) => Locator>> = {
  'a-picture.png': (dialog) => dialog.getByText('300 × 400'),
  'b-picture.png': (dialog) => dialog.getByText('400 × 300'),
  'broken.png': (dialog) => dialog.getByText(/^This browser can’t show this file/),
  'film.mp4': (dialog) => dialog.locator('video'),
  'handbook.pdf': (dialog) => dialog.getByRole('region', { name: 'Page 1 of 1' }),
  'horn.wav': (dialog) => dialog.locator('audio'),
  'page.html': (dialog) => dialog.getByText('<h1>Not a page</h1>'),
  'raid-highlights.webm': (dialog) => dialog.getByText('480 × 270'),
  'song.mp3': (dialog) => dialog.getByRole('img', { name: 'Cover of Harbour song' }),
  'travel-notes.txt': (dialog) => dialog.getByText('The ferry leaves at nine.'),
  'voice.ogg': (dialog) => dialog.locator('audio'),
};

test('the arrows lead through all twelve files, the large film too, and open each on the way', async () => {
  const { page } = desk;
  await page.goto(link);
  await page.getByLabel('Sort by').selectOption('Name');
  await viewFirst(page);
  // The page behind the viewer does not move.
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).overflow)).toBe('hidden');
  for (const [index, name] of NAMES.entries()) {
    const dialog = viewer(page, name);
    await dialog.getByText(`${index + 1} / 12`).waitFor();
    await SHOWN[name]?.(dialog).first().waitFor();
    await page.keyboard.press('ArrowRight');
  }
  await viewer(page, 'a-picture.png').waitFor();
  await page.keyboard.press('ArrowLeft');
  await viewer(page, 'world-save.bin').getByText('12 / 12').waitFor();
});

test('the strip has all files, says which picture is broken, and the facts say what is open', async () => {
  const { page } = desk;
  const strip = page.getByRole('navigation', { name: 'Files' });
  await strip.getByRole('button', { name: 'world-save.bin', exact: true }).waitFor();
  await strip.getByRole('button', { name: 'film.mp4', exact: true }).click();
  const dialog = viewer(page, 'film.mp4');
  await strip.getByRole('button', { name: 'broken.png, can’t be shown' }).waitFor();
  await dialog.getByRole('button', { name: 'About this file' }).click();
  await dialog.getByRole('note').getByText('Cached').waitFor();
  await page.keyboard.press('Escape');
  await dialog.getByRole('note').waitFor({ state: 'hidden' });
  // Download closes the viewer.
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(await download.failure()).toBeNull();
  await dialog.waitFor({ state: 'detached' });
  await card(page, 'raid-highlights.webm').getByText('0:06', { exact: true }).waitFor();
  await card(page, 'broken.png').getByText('Can’t be shown').waitFor();
  await page.getByRole('button', { name: /^Audio/ }).click();
  await expect.poll(() => page.getByRole('gridcell').count()).toBe(3);
});

interface Finger {
  readonly x: number;
  readonly y: number;
}

/** Moves fingers over the screen, all in the same steps. */
async function drag(from: readonly Finger[], to: readonly Finger[]): Promise<void> {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: readonly Finger[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: [...touchPoints] });
  await send('touchStart', from);
  for (let step = 1; step <= 5; step++) {
    const between = (a: number, b: number) => a + ((b - a) * step) / 5;
    const now = from.map(({ x, y }, at) => ({ x: between(x, to[at]!.x), y: between(y, to[at]!.y) }));
    await send('touchMove', now);
  }
  await send('touchEnd', []);
}

const MIDDLE = { x: 195, y: 400 };
const swipeLeft = () => drag([{ x: 300, y: 400 }], [{ x: 80, y: 410 }]);
const swipeRight = () => drag([{ x: 80, y: 400 }], [{ x: 300, y: 390 }]);

/** Two taps, the second a tenth of a second after the first by the clock that comes with them. */
async function doubleTap(): Promise<void> {
  for (const timestamp of [1000, 1000.1]) {
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [MIDDLE], timestamp });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [], timestamp: timestamp + 0.05 });
  }
}

test('on a phone, swipes and buttons lead on, and a pinch or a double tap zooms', async () => {
  const { page, context } = phone;
  touch = await context.newCDPSession(page);
  await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 });
  await page.goto(link);
  // The first file, with its name, is on the first screen.
  const { y, height } = (await page.getByRole('gridcell').first().boundingBox())!;
  expect(y + height).toBeLessThanOrEqual(844);
  await page.getByLabel('Sort by').selectOption('Name');
  await viewFirst(page);
  const first = viewer(page, 'a-picture.png');
  await first.getByText('100%').waitFor();
  await swipeLeft();
  await viewer(page, 'b-picture.png').getByText('100%').waitFor();
  await swipeRight();
  await first.getByText('100%').waitFor();
  await drag(
    [MIDDLE, { x: 205, y: 400 }],
    [
      { x: 100, y: 400 },
      { x: 300, y: 400 },
    ],
  );
  await expect
    .poll(async () => Number.parseInt(await first.getByRole('status').first().innerText(), 10))
    .toBeGreaterThan(110);
  // What is zoomed follows the finger.
  await swipeLeft();
  await first.getByRole('button', { name: 'Fit' }).click();
  await first.getByText('100%').waitFor();
  await doubleTap();
  await first.getByText('300%').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await first.getByRole('button', { name: 'Next file' }).click();
  await viewer(page, 'b-picture.png').getByText('100%').waitFor();
});

test('the browser reported no error', () => {
  expect([desk.problems(), phone.problems()]).toEqual([[], []]);
});
