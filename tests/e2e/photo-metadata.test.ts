import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { card, newVisitor, signInAs } from '../support/browser.ts';
import { makePhoto, pngChunk } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { boxOf, exif, jpegSegment, turned, uint, withSegments } from '../support/media.ts';
import { createFolderAs, listFiles } from '../support/people.ts';
import { test } from '../support/shared.ts';

/** Photos leave their place and device behind, and look the same. */

const SWITCH = 'Remove place and device from photos';

/** Stands wherever a maker is told of. */
const SECRET = 'SECRET 52.5200N 13.4050E body 4711';
const text = (words: string) => Buffer.from(words, 'latin1');
const zeros = (length: number) => Buffer.alloc(length);

/** With a comment, XMP, IPTC, and the film of a motion photo behind it. */
function taggedJpeg(jpeg: Buffer): Buffer {
  const segments = [
    jpegSegment(0xe1, text('http://ns.adobe.com/xap/1.0/\0'), text(SECRET)),
    jpegSegment(0xed, text('Photoshop 3.0\0'), text(SECRET)),
    jpegSegment(0xfe, text(SECRET)),
  ];
  return Buffer.concat([turned(withSegments(jpeg, ...segments), 6, SECRET), text(`....ftypmp42${SECRET}`)]);
}

/** After IHDR, which takes 33 bytes with the signature. */
const taggedPng = (png: Buffer): Buffer =>
  Buffer.concat([
    png.subarray(0, 33),
    pngChunk('gAMA', uint(45_455, 4)),
    pngChunk('tEXt', text(`Author\0${SECRET}`)),
    pngChunk('eXIf', exif(6, SECRET)),
    png.subarray(33),
    text(SECRET),
  ]);

/** @param webp of the extended format, as Chromium writes it, with a colour profile */
function taggedWebp(webp: Buffer): Buffer {
  const size = (bytes: number) => uint(bytes, 4).reverse();
  const part = (type: string, data: Buffer) =>
    Buffer.concat([text(type), size(data.length), data, zeros(data.length % 2)]);
  if (webp.toString('latin1', 12, 16) !== 'VP8X') throw new Error('a WebP of the simple format');
  const flagsAt = 20;
  const flags = Buffer.from([(webp[flagsAt] ?? 0) | 0b1100]);
  const tags = Buffer.concat([part('EXIF', exif(6, SECRET)), part('XMP ', text(SECRET))]);
  const body = Buffer.concat([webp.subarray(8, flagsAt), flags, webp.subarray(flagsAt + 1), tags]);
  return Buffer.concat([text('RIFF'), size(body.length), body]);
}

/** One coded picture of 64 by 48 pixels, red over blue. */
const AV1 = Buffer.from(
  'CgwAAAACr/eANEGBgYEyQBBhACyyyxQSQNgJU+M7YKaUHMjiftvleVzLkY1udhQZ4sFqJPHmS7TQ34IJLhS8GdLo6MGMnHjuYehqSese5FA=',
  'base64',
);

/** A file of the same boxes as HEIC, which few browsers decode: turned by `irot`, with Exif data, XMP and a film. */
function taggedAvif(): Buffer {
  const item = (id: number, type: string, more = '') =>
    boxOf('infe', Buffer.from([2, 0, 0, 0]), uint(id, 2), zeros(2), text(`${type}\0${more}`));
  const metadata = [
    Buffer.concat([zeros(4), exif(1, SECRET)]),
    text(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`),
  ];
  const media = [AV1, ...metadata];
  const brands = boxOf('ftyp', text('avif'), zeros(4), text('avifmif1miaf'));
  const properties = boxOf(
    'ipco',
    boxOf('ispe', zeros(4), uint(64, 4), uint(48, 4)),
    boxOf('pixi', zeros(4), Buffer.from([3, 8, 8, 8])),
    boxOf('av1C', Buffer.from([0x81, 4, 0x0c, 0])),
    boxOf('irot', Buffer.from([1])),
  );
  const meta = (mediaAt: number) => {
    let at = mediaAt;
    const places = media.map(({ length }, index) => {
      const place = [uint(index + 1, 2), zeros(2), uint(1, 2), uint(at, 4), uint(length, 4)];
      at += length;
      return Buffer.concat(place);
    });
    return boxOf(
      'meta',
      zeros(4),
      boxOf('hdlr', zeros(8), text('pict'), zeros(13)),
      boxOf('pitm', zeros(4), uint(1, 2)),
      boxOf('iloc', zeros(4), Buffer.from([0x44, 0]), uint(places.length, 2), ...places),
      boxOf('iinf', zeros(4), uint(3, 2), item(1, 'av01'), item(2, 'Exif'), item(3, 'mime', 'application/rdf+xml\0')),
      boxOf('iprp', properties, boxOf('ipma', zeros(4), uint(1, 4), uint(1, 2), Buffer.from([4, 1, 2, 0x83, 0x84]))),
    );
  };
  const mediaAt = brands.length + meta(0).length + 8;
  return Buffer.concat([brands, meta(mediaAt), boxOf('mdat', ...media), boxOf('mpvd', text(SECRET))]);
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
  const drawn = (type: string) => makePhoto(page, { widthPx: 120, heightPx: 80, type });
  const pictures: Readonly<Record<string, Buffer>> = {
    'beach.jpg': taggedJpeg(await drawn('image/jpeg')),
    'chart.png': taggedPng(await drawn('image/png')),
    'hut.webp': taggedWebp(await drawn('image/webp')),
    'lake.avif': taggedAvif(),
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
  await page.getByRole('button', { name: 'Upload 6 files' }).click();
  await areThere(6);
  await page
    .getByRole('status')
    .filter({ hasText: /1 photo is sent unchanged.*torn\.jpg/ })
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
  await areThere(7);

  const friend = await newVisitor(browser);
  await friend.page.goto(folder.link());
  await card(friend.page, 'beach.jpg').waitFor();
  for (const name of ['beach.jpg', 'chart.png', 'hut.webp', 'lake.avif']) {
    const [before, after] = [pictures[name] ?? Buffer.alloc(0), await downloaded(friend.page, name)];
    expect(before.includes(SECRET), name).toBe(true);
    expect(after.includes('SECRET'), name).toBe(false);
    const shown = await pixelsOf(friend.page, after);
    expect(shown, name).toEqual(await pixelsOf(friend.page, before));
    // Each of them lies on its side in the file; Chromium turns all but WebP.
    expect(shown.heightPx > shown.widthPx, name).toBe(name !== 'hut.webp');
  }
  // This browser draws no HEIC: that its pixels stay is strip-metadata.test.ts.
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
