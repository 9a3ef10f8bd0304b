import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripMetadata } from '@satchel/client/send/metadata/strip-metadata';
import { afterAll, describe, expect } from 'vitest';
import { fullLinkOf, PASSPHRASE, signInByHand } from '../support/browser.ts';
import { type EngineBrowser, enginesHere, openEngine } from '../support/engines/engine.ts';
import type { EngineVisitor } from '../support/engines/tab.ts';
import { makePhoto, randomBytesOf, sha256, type TestFile } from '../support/files.ts';
import type { Line } from '../support/line.ts';
import { turned } from '../support/media.ts';
import { signIn } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';
import { clip, fixture, MIB, NOTES, PACKED, PAPER, PICTURE } from './kinds.ts';
import { card } from './looking.ts';

/** An owner's whole way with a folder in every engine, and a visitor who follows it in another one. Each is one story. */

const LARGE: TestFile = { name: 'archive.bin', mimeType: 'application/octet-stream', buffer: randomBytesOf(97 * MIB) };
const UNWANTED: TestFile = {
  name: 'unwanted.bin',
  mimeType: 'application/octet-stream',
  buffer: randomBytesOf(13 * MIB),
};
/** What passes of a large file before its upload stands still: more than a window of the socket. */
const HELD_BYTES = 7 * MIB;
/** Stands in the photo where a camera writes its maker, beside the place. */
const SECRET = 'SECRET 52.5200N 13.4050E';

/** Each engine's folder is opened in the next one. */
const here = enginesHere();
const PAIRS = here.map((sender, at) => ({ sender, opener: here[(at + 1) % here.length] ?? sender }));

describe.each(PAIRS)('an owner in $sender, with a visitor in $opener', ({ sender, opener }) => {
  inOrder();
  let dir: string;
  let line: Line;
  let site: Site;
  let kinds: TestFile[];
  let browsers: EngineBrowser[];
  let owner: EngineVisitor;
  let visitor: EngineVisitor;

  test.beforeAll(async ({ behindLine }) => {
    ({ line, site } = behindLine);
    dir = await mkdtemp(join(tmpdir(), 'satchel-owner-'));
    const painter = await behindLine.browser.newPage();
    const drawn = await makePhoto(painter, { widthPx: 480, heightPx: 320 });
    await painter.close();
    const photo = { name: 'beach.jpg', mimeType: 'image/jpeg', buffer: turned(drawn, 6, SECRET) };
    const film = { name: 'film.mp4', mimeType: 'video/mp4', buffer: await fixture('film-h264.mp4') };
    kinds = [photo, PICTURE, film, await clip(), PAPER, PACKED, NOTES];
    for (const { name, buffer } of [...kinds, LARGE, UNWANTED]) await writeFile(join(dir, name), buffer);
    browsers = await Promise.all([openEngine(sender), openEngine(opener)]);
    [owner, visitor] = (await Promise.all(browsers.map((browser) => browser.visit()))) as [
      EngineVisitor,
      EngineVisitor,
    ];
    visitor.allow(/404|410/); // of a folder that is deleted
  });
  afterAll(async () => {
    line?.hold(null);
    await Promise.all([owner?.close(), visitor?.close()]);
    await Promise.all((browsers ?? []).map((browser) => browser.close()));
    await rm(dir, { recursive: true, force: true });
  });

  const row = (name: string) =>
    owner.page.getByRole('list', { name: 'Files to upload' }).getByRole('listitem').filter({ hasText: name });
  const button = (name: string) => owner.page.getByRole('button', { name, exact: true });
  const choose = (...files: readonly TestFile[]) =>
    owner.page.getByLabel('Choose files').setInputFiles(files.map(({ name }) => join(dir, name)));
  const standsStill = () => expect.poll(() => line.heldCount()).toBeGreaterThan(0);
  async function reservedBytes(): Promise<number> {
    const profile = await (await signIn(site, 'mika')).call('GET', '/rest/v1/profiles/me');
    return ((await profile.json()) as { reserved_bytes: number }).reserved_bytes;
  }
  const saved = (name: string) =>
    visitor.saved(() => card(visitor.page, name).getByRole('button', { name: 'Download' }).click());

  test('signs in, and makes a folder with a passphrase, which the visitor opens', async () => {
    const { page } = owner;
    await signInByHand(page, site.url, 'Mika');
    await page.goto(`${site.url}/upload`);
    await page.getByLabel('Folder name').pressSequentially(`From ${sender}`);
    await page.getByRole('switch', { name: 'Ask for a passphrase' }).check();
    await page.getByLabel('Passphrase', { exact: true }).pressSequentially(PASSPHRASE);
    await page.getByLabel('Passphrase again').pressSequentially(PASSPHRASE);
    await page.getByRole('button', { name: 'Create folder' }).click();
    await page.getByRole('heading', { name: `From ${sender}` }).waitFor();
    await page.getByText('Drop files here or click to upload').waitFor();
    await visitor.page.goto(await fullLinkOf(page));
    const prompt = visitor.page.getByRole('region', { name: 'This folder needs a passphrase' });
    await prompt.getByLabel('Passphrase', { exact: true }).pressSequentially(PASSPHRASE);
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('heading', { name: 'No files shared yet' }).waitFor();
  });

  test('sends files of all kinds, which the visitor sees come with their stills', async () => {
    await choose(...kinds);
    await button(`Upload ${kinds.length} files`).click();
    await owner.page.getByText(`${kinds.length} completed`).waitFor();
    for (const { name } of kinds) await card(visitor.page, name).waitFor();
    for (const { name } of kinds.slice(0, 5)) await card(visitor.page, name).locator('img').first().waitFor();
    await button('Clear All').click();
  });

  test('pauses a large one, continues, and after a reload sends only what is not there yet', async () => {
    const { page } = owner;
    line.hold(HELD_BYTES);
    await choose(LARGE);
    await button('Upload 1 file').click();
    await standsStill();
    await row(LARGE.name).getByRole('button', { name: 'Pause' }).click();
    await row(LARGE.name)
      .getByText(/Paused at \d+%/)
      .waitFor();
    line.hold(2 * HELD_BYTES);
    await row(LARGE.name).getByRole('button', { name: 'Resume' }).click();
    await standsStill();
    await page.reload();
    line.letGo();
    await page.getByText('1 upload was not finished').waitFor();
    line.forget();
    await choose(LARGE);
    await row(LARGE.name)
      .getByText(/Pending, continues at \d+%/)
      .waitFor();
    await button('Upload 1 file').click();
    await page.getByText('1 completed').waitFor();
    expect(line.sentBytes()).toBeLessThan(LARGE.buffer.length - 2 * HELD_BYTES);
    await card(visitor.page, LARGE.name).waitFor();
    await button('Clear All').click();
  });

  test('cancels one, of which the folder shows nothing', async () => {
    line.hold(HELD_BYTES);
    await choose(UNWANTED);
    await button('Upload 1 file').click();
    await standsStill();
    await row(UNWANTED.name)
      .getByText(/Uploading \d+%/)
      .waitFor();
    await row(UNWANTED.name).getByRole('button', { name: 'Cancel' }).click();
    await owner.page.getByRole('alertdialog').getByRole('button', { name: 'Yes, Cancel' }).click();
    await row(UNWANTED.name).waitFor({ state: 'detached' });
    await expect.poll(reservedBytes).toBe(0);
    line.hold(null);
    expect(await card(owner.page, UNWANTED.name).count()).toBe(0);
    expect(await card(visitor.page, UNWANTED.name).count()).toBe(0);
  });

  test('the visitor saves each byte for byte, and the photo without its place', async () => {
    for (const { name, buffer } of [...kinds, LARGE]) {
      const { file } = await stripMetadata(new File([new Uint8Array(buffer)], name));
      const sent = Buffer.from(await file.arrayBuffer());
      expect(sha256(await saved(name)), name).toBe(sha256(sent));
      expect(sent.includes(SECRET), name).toBe(false);
    }
  });

  test('deletes the folder, which the visitor’s open page says', async () => {
    // Firefox shows the saved PDF in front, and a page that is not seen is told later.
    await visitor.page.bringToFront();
    await button('Delete').click();
    const question = owner.page.getByRole('alertdialog');
    await question.getByRole('textbox').pressSequentially('DELETE');
    await question.getByRole('button', { name: 'Yes, Delete Forever' }).click();
    await owner.page.getByText('No folders yet').waitFor();
    await visitor.page.getByRole('heading', { name: 'Mika deleted this folder' }).waitFor();
  });

  test('and neither browser’s console has anything to say', () => {
    expect({ owner: owner.problems(), visitor: visitor.problems() }).toEqual({ owner: [], visitor: [] });
  });
});
