import { afterAll, describe, expect } from 'vitest';
import { type EngineBrowser, enginesHere, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor, Tab } from '../support/engines/tab.ts';
import { randomBytesOf, sha256, type TestFile, unzip } from '../support/files.ts';
import { spreadFilm } from '../support/media.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import { clip, fixture, MIB, NOTES, PACKED, PAPER, PICTURE } from './kinds.ts';
import { card, look } from './looking.ts';

/** A visitor's way through a folder in every engine: its files are looked at, played, read and saved. Each is one story. */

const FILM_BYTES = 48 * MIB;
const SECONDS = 600;

const LARGE: TestFile = { name: 'archive.bin', mimeType: 'application/octet-stream', buffer: randomBytesOf(24 * MIB) };

const films = async (): Promise<TestFile[]> => [
  { name: 'journey.mp4', mimeType: 'video/mp4', buffer: spreadFilm(await fixture('film-h264.mp4'), FILM_BYTES) },
  await clip(),
];

/** Plays from a place; resolves once the film continued from there. */
async function playFrom(element: SVGElement | HTMLElement, seconds: number): Promise<void> {
  const player = element as HTMLVideoElement;
  player.muted = true;
  await new Promise<void>((resolve, reject) => {
    player.addEventListener('error', () => reject(new Error(player.error?.message)), { once: true });
    player.addEventListener('timeupdate', () => player.currentTime > seconds + 0.3 && !player.seeking && resolve());
    if (seconds > 0) player.currentTime = seconds;
    player.play().catch(reject);
  });
}

describe.each(enginesHere())('a visitor in %s', (engine) => {
  inOrder();
  let browser: EngineBrowser;
  let visitor: EngineVisitor;
  let page: Tab;
  let files: TestFile[];

  test.beforeAll(async ({ place }) => {
    files = [PICTURE, PAPER, NOTES, PACKED, LARGE, ...(await films())];
    const folder = await createFolderAs(await signIn(place.site, 'mika'), place.site, {
      name: `Seen in ${engine}`,
      files,
    });
    browser = await openEngine(engine);
    visitor = await browser.visit();
    ({ page } = visitor);
    await page.goto(folder.link());
  });
  afterAll(async () => {
    await visitor?.close();
    await browser?.close();
  });

  test('sees all files, and the picture as large as it is', async () => {
    for (const { name } of files) await card(page, name).waitFor();
    // Small files are opened unasked.
    const small = files.filter(({ name, buffer }) => buffer.length < MIB && name !== PACKED.name);
    for (const { name } of small) await card(page, name).getByText('Cached').waitFor();
    const { dialog, close } = await look(page, PICTURE.name);
    const picture = dialog.getByRole('img', { name: PICTURE.name });
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(512);
    await close();
  });

  test('plays films of both kinds, and goes to a place far into a large one', async () => {
    const short = await look(page, 'clip.webm');
    await short.dialog.locator('video').evaluate(playFrom, 0);
    await short.close();
    const { dialog, close } = await look(page, 'journey.mp4');
    const film = dialog.locator('video');
    await film.waitFor();
    await film.evaluate(playFrom, 0);
    await film.evaluate(playFrom, SECONDS * 0.75);
    await film.evaluate(playFrom, SECONDS * 0.25);
    await close();
  });

  test('reads the PDF, the text, and what is in the zip', async () => {
    const paper = await look(page, PAPER.name);
    await paper.dialog.getByRole('region', { name: 'Page 1 of 2' }).waitFor();
    await paper.close();
    const notes = await look(page, NOTES.name);
    await notes.dialog.getByText('The ferry leaves at nine.').first().waitFor();
    await notes.close();
    const packed = await look(page, PACKED.name);
    await packed.dialog.getByText('harbour.txt').first().waitFor();
    await packed.close();
  });

  test('saves a file, and all of them as one zip, byte for byte', async () => {
    const saved = await visitor.saved(() => card(page, LARGE.name).getByRole('button', { name: 'Download' }).click());
    expect(sha256(saved)).toBe(sha256(LARGE.buffer));
    const zip = await visitor.saved(() => page.getByRole('button', { name: 'Download all' }).click());
    const packed = unzip(zip).map(({ name, bytes }) => [name, sha256(bytes)]);
    expect(Object.fromEntries(packed)).toEqual(
      Object.fromEntries(files.map(({ name, buffer }) => [name, sha256(buffer)])),
    );
  });

  test('and the browser’s console has nothing to say', () => {
    expect(visitor.problems()).toEqual([]);
  });
});
