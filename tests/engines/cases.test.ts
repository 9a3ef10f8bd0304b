import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { type EngineBrowser, enginesHere, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor, Found, Tab } from '../support/engines/tab.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { test } from '../support/shared.ts';
import { card, look } from './looking.ts';

/** Files that people reported, in every engine: each opens, plays, or the page says why not. */

const CASES = join(import.meta.dirname, '../fixtures/cases');

/** The type that a person's system gives, where it gives one. */
const TYPES: Readonly<Record<string, string>> = {
  'recording.mkv': 'video/x-matroska',
  'place.mp4': 'video/mp4',
  'card.vcf': 'text/vcard',
  'release.nfo': 'text/x-nfo',
};

/** What a text says, and the encoding that the viewer found, where a person could choose another. */
const TEXTS: readonly (readonly [name: string, line: string, encoding: string | null])[] = [
  ['gbk.txt', '八点在广场集合。', 'gb18030'],
  ['koi8-r.txt', 'Сбор в восемь на площади.', 'koi8-r'],
  ['shift-jis.txt', '集合は八時、広場です。', 'shift_jis'],
  ['utf-16le-no-mark.txt', 'Meet at eight on the square.', 'utf-16le'],
  ['windows-1250.txt', 'Příliš žluťoučký kůň.', 'windows-1250'],
  ['windows-1251.txt', 'Сбор в восемь на площади.', 'windows-1251'],
  ['release.nfo', '║OK║', 'ibm437'],
  ['Makefile', 'echo hello', null],
  ['README', 'the square', null],
  ['card.vcf', 'FN:Test Person', null],
  ['ZipStream.java', 'ZipInputStream', null],
];

async function outcomeOf(dialog: Found): Promise<'plays' | 'says why not' | 'silent'> {
  if ((await dialog.getByText('This browser can’t show this file').count()) > 0) return 'says why not';
  const play = async (element: SVGElement | HTMLElement) => {
    const film = element as HTMLVideoElement;
    film.muted = true;
    await film.play();
    return film.currentTime > 0 && film.videoWidth > 0;
  };
  const film = dialog.locator('video');
  const plays = (await film.count()) > 0 && (await film.evaluate(play).catch(() => false));
  return plays ? 'plays' : 'silent';
}

describe.each(enginesHere())('files that people reported, in %s', (engine) => {
  let browser: EngineBrowser;
  let visitor: EngineVisitor;
  let page: Tab;

  test.beforeAll(async ({ place }) => {
    const files = (await readdir(CASES)).map(async (name) => ({
      name,
      mimeType: TYPES[name] ?? (name.endsWith('.txt') ? 'text/plain' : ''),
      buffer: await readFile(join(CASES, name)),
    }));
    const folder = await createFolderAs(await signIn(place.site, 'mika'), place.site, {
      name: `Cases in ${engine}`,
      files: await Promise.all(files),
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

  test.each(TEXTS)('%s is read', async (name, line, encoding) => {
    await card(page, name).getByText('Cached').waitFor();
    const { dialog, close } = await look(page, name);
    await dialog.getByText(line).first().waitFor();
    const choice = dialog.getByRole('combobox', { name: /Read as/ });
    const chosen =
      encoding === null ? await choice.count() : await choice.evaluate((select) => (select as HTMLSelectElement).value);
    expect(chosen).toBe(encoding ?? 0);
    await close();
  });

  test.each(['recording.mkv', 'place.mp4'])('%s plays, or the page says that this browser can’t', async (name) => {
    await card(page, name).getByText('Cached').waitFor();
    // An engine says in its console, too, that it knows no such film.
    visitor.allow(/could not show the file|media|video|decode|codec/i);
    const { dialog, close } = await look(page, name);
    const known = engine === 'chromium' ? ['plays'] : ['plays', 'says why not'];
    await expect.poll(() => outcomeOf(dialog)).toBeOneOf(known);
    await close();
  });

  test('and the browser’s console has nothing else to say', () => {
    expect(visitor.problems()).toEqual([]);
  });
});
