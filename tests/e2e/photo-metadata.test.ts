import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { card, newVisitor, signInAs } from '../support/browser.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { SECRET, taggedAvif, taggedJpeg, taggedPng, taggedWebp } from '../support/media.ts';
import { createFolderAs, listFiles } from '../support/people.ts';
import { test } from '../support/shared.ts';

/** Photos leave their place and device behind, and look the same. */

const [WIDTH_PX, HEIGHT_PX] = [120, 80];
const SWITCH = 'Remove place and device from photos';

/** Red over blue, with grain, as the browser encodes it. */
async function drawn(page: Page, type: string): Promise<Buffer> {
  const bytes = await page.evaluate(
    async ([width, height, wanted]) => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d', { alpha: false });
      if (!context) throw new Error('no canvas');
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
          context.fillStyle = y < height / 2 ? `rgb(200 ${(x * 7) % 60} 30)` : `rgb(30 ${(x * 7) % 60} 200)`;
          context.fillRect(x, y, 1, 1);
        }
      }
      return [...new Uint8Array(await (await canvas.convertToBlob({ type: wanted, quality: 0.9 })).arrayBuffer())];
    },
    [WIDTH_PX, HEIGHT_PX, type] as const,
  );
  return Buffer.from(bytes);
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
  const pictures: Readonly<Record<string, Buffer>> = {
    'beach.jpg': taggedJpeg(await drawn(page, 'image/jpeg')),
    'chart.png': taggedPng(await drawn(page, 'image/png')),
    'hut.webp': taggedWebp(await drawn(page, 'image/webp')),
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
