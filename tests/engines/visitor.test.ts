import { afterAll, describe, expect } from 'vitest';
import { type EngineBrowser, enginesHere, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor, Tab } from '../support/engines/tab.ts';
import { randomBytesOf, sha256, type TestFile, unzip } from '../support/files.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import { clip, FILM_SECONDS, film, MIB, NOTES, PACKED, PAPER, PICTURE, song } from './kinds.ts';
import { card, look, playFrom } from './looking.ts';

/** A visitor's way through a folder in every engine: its files are looked at, played, read and saved. Each is one story. */

const SONG_SECONDS = 1000;
const LARGE: TestFile = { name: 'archive.bin', mimeType: 'application/octet-stream', buffer: randomBytesOf(97 * MIB) };

let files: TestFile[];
let link: string;
test.beforeAll(async ({ place }) => {
  files = [PICTURE, PAPER, NOTES, PACKED, LARGE, await film('journey.mp4'), song(), await clip()];
  link = (await createFolderAs(await signIn(place.site, 'mika'), place.site, { name: 'Seen', files })).link();
});

describe.each(enginesHere())('a visitor in %s', (engine) => {
  inOrder();
  let browser: EngineBrowser;
  let visitor: EngineVisitor;
  let page: Tab;

  test.beforeAll(async () => {
    browser = await openEngine(engine);
    visitor = await browser.visit();
    ({ page } = visitor);
    await page.goto(link);
  });
  afterAll(async () => {
    await visitor?.close();
    await browser?.close();
  });

  test('sees all files, and the picture as large as it is and larger', async () => {
    for (const { name } of files) await card(page, name).waitFor();
    // Small files are opened unasked.
    const small = files.filter(({ name, buffer }) => buffer.length < MIB && name !== PACKED.name);
    for (const { name } of small) await card(page, name).getByText('Cached').waitFor();
    const { dialog, close } = await look(page, PICTURE.name);
    const picture = dialog.getByRole('img', { name: PICTURE.name });
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(512);
    const scale = dialog.getByRole('group', { name: 'Zoom' }).getByRole('status');
    expect(await scale.innerText()).toBe('100%');
    await page.keyboard.press('+');
    await expect.poll(() => scale.innerText()).not.toBe('100%');
    await page.keyboard.press('0');
    await expect.poll(() => scale.innerText()).toBe('100%');
    await close();
  });

  test('plays films of both kinds and a sound, and goes to places far into them', async () => {
    const short = await look(page, 'clip.webm');
    await short.dialog.locator('video').evaluate(playFrom, 0);
    await short.close();
    const { dialog, close } = await look(page, 'journey.mp4');
    const player = dialog.locator('video');
    await player.waitFor();
    await player.evaluate(playFrom, 0);
    await player.evaluate(playFrom, FILM_SECONDS * 0.75);
    await player.evaluate(playFrom, FILM_SECONDS * 0.25);
    await close();
    const sound = await look(page, 'song.mp3');
    for (const seconds of [0, SONG_SECONDS * 0.75, SONG_SECONDS * 0.25])
      await sound.dialog.locator('audio').evaluate(playFrom, seconds);
    await sound.close();
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
