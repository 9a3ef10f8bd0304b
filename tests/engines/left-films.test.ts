import { afterAll, describe, expect } from 'vitest';
import { type EngineBrowser, enginesHere, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor } from '../support/engines/tab.ts';
import { randomBytesOf, sha256, type TestFile, unzip } from '../support/files.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import { film, MIB, NOTES } from './kinds.ts';
import { card, look } from './looking.ts';

/** Films that nobody reads further: files that are opened after them still come. */

const FILMS = ['hanging.mp4', 'paused.mp4', 'sought.mp4', 'removed.mp4'];
const LARGE: TestFile = { name: 'archive.bin', mimeType: 'application/octet-stream', buffer: randomBytesOf(12 * MIB) };

/** Runs in the page: leaves a film in a state, with its stream unread. */
async function leave(element: SVGElement | HTMLElement, name: string): Promise<void> {
  const film = element as HTMLVideoElement;
  film.muted = true;
  if (name.startsWith('hanging')) return;
  await film.play();
  if (name.startsWith('sought')) for (const part of [0.9, 0.1, 0.6]) film.currentTime = film.duration * part;
  if (name.startsWith('removed')) return film.remove();
  film.pause();
  // Beside the viewer, whose end would take it away.
  const beside = document.createElement('video');
  Object.assign(beside, { src: film.src, preload: 'auto', muted: true, hidden: true });
  document.body.append(beside);
}

describe.each(enginesHere())('films that were left in %s', (engine) => {
  inOrder();
  let browser: EngineBrowser;
  let visitor: EngineVisitor;

  test.beforeAll(async ({ place }) => {
    const { buffer } = await film('');
    const files = [...FILMS.map((name) => ({ name, mimeType: 'video/mp4', buffer })), LARGE, NOTES];
    const owner = await signIn(place.site, 'mika');
    const folder = await createFolderAs(owner, place.site, { name: `Left in ${engine}`, files });
    browser = await openEngine(engine);
    visitor = await browser.visit();
    await visitor.page.goto(folder.link());
    await card(visitor.page, NOTES.name).getByText('Cached').waitFor();
  });
  afterAll(async () => {
    await visitor?.close();
    await browser?.close();
  });

  test('hanging, paused, sought, removed, and in a tab behind', async () => {
    const { page } = visitor;
    for (const name of FILMS) {
      const { dialog, close } = await look(page, name);
      await dialog.locator('video').waitFor();
      await dialog.locator('video').evaluate(leave, name);
      await close();
    }
    const behind = await visitor.newTab();
    await behind.goto(await page.url());
    await look(behind, FILMS[0]!);
    await page.bringToFront();
  });

  test('hold up no text, no save and no zip', async () => {
    const { page } = visitor;
    const { dialog, close } = await look(page, NOTES.name);
    await dialog.getByText('The ferry leaves at nine.').first().waitFor();
    await close();
    const saved = await visitor.saved(() => card(page, LARGE.name).getByRole('button', { name: 'Download' }).click());
    expect(sha256(saved)).toBe(sha256(LARGE.buffer));
    const zip = await visitor.saved(() => page.getByRole('button', { name: 'Download all' }).click());
    expect(unzip(zip)).toHaveLength(FILMS.length + 2);
    expect(visitor.problems()).toEqual([]);
  });
});
