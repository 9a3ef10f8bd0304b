import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { card, newVisitor, signInAs } from '../support/browser.ts';
import { makePhoto } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { jpegSegment, turned, withSegments } from '../support/media.ts';
import { createFolderAs, listFiles } from '../support/people.ts';
import { test } from '../support/shared.ts';

/** Photos leave their place and device behind, and look the same. */

const SWITCH = 'Remove place and device from photos and videos';

/** Stands wherever a maker is told of. */
const SECRET = 'SECRET 52.5200N 13.4050E body 4711';
const text = (words: string) => Buffer.from(words, 'latin1');

/** With a comment, XMP, IPTC, and the film of a motion photo behind it. */
function taggedJpeg(jpeg: Buffer): Buffer {
  const segments = [
    jpegSegment(0xe1, text('http://ns.adobe.com/xap/1.0/\0'), text(SECRET)),
    jpegSegment(0xed, text('Photoshop 3.0\0'), text(SECRET)),
    jpegSegment(0xfe, text(SECRET)),
  ];
  return Buffer.concat([turned(withSegments(jpeg, ...segments), 6, SECRET), text(`....ftypmp42${SECRET}`)]);
}

/** A screenshot as macOS makes it: its colour profile has the display's number (fixtures/display.icc). */
async function screenshot(png: Buffer): Promise<Buffer> {
  const profile = await readFile(join(import.meta.dirname, '../fixtures/display.icc'));
  const checked = Buffer.concat([text('iCCPDisplay of Mika\0\0'), deflateSync(profile)]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(checked.length - 4);
  crc.writeUInt32BE(crc32(checked));
  // Behind the signature and the header of the picture.
  return Buffer.concat([png.subarray(0, 33), length, checked, crc, png.subarray(33)]);
}

/** Size and hash of the pixels that a browser shows, turned as the picture says. */
const pixelsOf = (page: Page, picture: Buffer) =>
  page.evaluate(
    async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]), { imageOrientation: 'from-image' });
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      if (!context) throw new Error('no canvas');
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
      return { widthPx: bitmap.width, heightPx: bitmap.height, hash: [...digest].join() };
    },
    [...picture],
  );

async function downloaded(page: Page, name: string): Promise<Buffer> {
  const button = card(page, name).getByRole('button', { name: 'Download' });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(await download.failure()).toBeNull();
  return readFile(await download.path());
}

let dir: string;
afterAll(() => rm(dir, { recursive: true, force: true }));

test('a friend gets the photos without place and device and with every pixel; as they are where the owner wants that', async ({
  place: { site, browser },
}) => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-photos-'));
  const owner = await newVisitor(browser);
  const person = await signInAs(owner.page, site.url, 'mika');
  const { page } = owner;
  const folder = await createFolderAs(person, site, { name: 'Photos' });
  await page.goto(folder.link().replace('#', '?upload=true#'));
  await page.getByText('Drop files here or click to upload').waitFor();
  const drawn = await makePhoto(page, { widthPx: 120, heightPx: 80 });
  const bare = await makePhoto(page, { widthPx: 120, heightPx: 80, type: 'image/png' });
  const pictures: Readonly<Record<string, Buffer>> = {
    'beach.jpg': taggedJpeg(drawn),
    'screen.png': await screenshot(bare),
    'place.mp4': await readFile(join(import.meta.dirname, '../fixtures/place.mp4')),
    'IMG_0001.heic': await readFile(join(import.meta.dirname, '../fixtures/photo.heic')),
    // Its segment is longer than the file: a browser draws nothing of it, and nothing can be taken out.
    'torn.jpg': Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff]), Buffer.from(SECRET)]),
  };
  const kept = { 'kept.jpg': pictures['beach.jpg'] ?? Buffer.alloc(0) };
  for (const [name, bytes] of Object.entries({ ...pictures, ...kept })) await writeFile(join(dir, name), bytes);
  const choose = (names: readonly string[]) =>
    page.getByLabel('Choose files').setInputFiles(names.map((name) => join(dir, name)));
  const areThere = (count: number) =>
    expect.poll(async () => (await listFiles(person, folder.folder.bucket_storage_path)).length).toBe(count);

  await choose(Object.keys(pictures));
  const toggle = page.getByRole('switch', { name: SWITCH });
  await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true');
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Upload 5 files' }).click();
  await areThere(5);
  await page
    .getByRole('status')
    .filter({ hasText: /1 file is sent unchanged.*torn\.jpg/ })
    .waitFor();
  expect(await axeViolations(page)).toEqual([]);

  // The choice is this device's: it is still there on the next page.
  await choose(['kept.jpg']);
  await toggle.click();
  await page.goto(`${site.url}/auth`);
  await page.goto(folder.link().replace('#', '?upload=true#'));
  await choose(['kept.jpg']);
  await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('false');
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await areThere(6);

  const friend = await newVisitor(browser);
  await friend.page.goto(folder.link());
  await card(friend.page, 'beach.jpg').waitFor();
  const [before, after] = [pictures['beach.jpg'] ?? Buffer.alloc(0), await downloaded(friend.page, 'beach.jpg')];
  expect([before.includes(SECRET), after.includes('SECRET')]).toEqual([true, false]);
  const shown = await pixelsOf(friend.page, after);
  expect(shown).toEqual(await pixelsOf(friend.page, before));
  // It lies on its side in the file.
  expect(shown.heightPx).toBeGreaterThan(shown.widthPx);
  const screen = await downloaded(friend.page, 'screen.png');
  expect(screen.includes('Display of Mika')).toBe(false);
  expect(await pixelsOf(friend.page, screen)).toEqual(await pixelsOf(friend.page, pictures['screen.png']!));
  // The profile still counts: without it, the same numbers are other colours.
  expect((await pixelsOf(friend.page, bare)).hash).not.toBe((await pixelsOf(friend.page, screen)).hash);
  const film = await downloaded(friend.page, 'place.mp4');
  expect([film.length, film.includes('+48.8584'), film.includes('TestCam')]).toEqual([
    pictures['place.mp4']?.length,
    false,
    false,
  ]);
  // That the pixels of HEIC and of the other kinds stay is strip-metadata.test.ts.
  const heic = [pictures['IMG_0001.heic'], await downloaded(friend.page, 'IMG_0001.heic')];
  expect(heic.map((bytes) => bytes?.includes('SECRET'))).toEqual([true, false]);
  for (const name of ['torn.jpg', 'kept.jpg']) {
    const bytes = await downloaded(friend.page, name);
    expect(bytes.equals({ ...pictures, ...kept }[name] ?? Buffer.alloc(0)), name).toBe(true);
  }
  expect([...owner.problems(), ...friend.problems()]).toEqual([]);
  await friend.close();
  await owner.close();
});
