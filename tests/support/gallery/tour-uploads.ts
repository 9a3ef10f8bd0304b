import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { withChosen, withoutSocket } from '../browser.ts';
import { bytesFile, pictureFile } from '../files.ts';
import type { World } from './sample-world.ts';
import { shown, silence, type Tour } from './tour.ts';

const MIB = 1024 ** 2;
/** More than goes with one request. */
const partOne = () => bytesFile(7 * MIB, 'part-one.bin');
/** Requests after a file's first are never answered, so that its upload stays in progress. */
const isHalfWay = (route: Route) => (route.request().headers()['upload-offset'] ?? '0') !== '0';

/** Uploads that an earlier page of this browser left unfinished, in their folder and on the profile. */
export async function tourUnfinished({ page, go, look }: Tour, world: World): Promise<void> {
  await withoutSocket(page.context());
  await go(world.links.empty, 'No files yet');
  await page.context().route(/upload\/resumable/, (route) => (isHalfWay(route) ? silence() : route.continue()));
  await withChosen(page.getByLabel('Choose files'), [partOne()], async () => {
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
    await page.getByText(/^(Encrypting|Uploading) [1-9]\d%$/).waitFor();
  });
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await shown(page, /^1 upload was not finished/);
  await look('folder-owner-unfinished');
  await go('/profile', 'Unfinished uploads');
  await look('profile-unfinished');
  await page.context().unroute(/upload\/resumable/);
}

/** The upload zone from empty to half-way, of the person's own folder. */
export async function tourUploads(tour: Tour, world: World): Promise<void> {
  const { page, visit } = tour;
  await withoutSocket(page.context());
  await visit('folder-empty-owner', world.links.packing, 'No files yet');
  // One worker: one file is complete, one in progress and one queued.
  await page.evaluate(() => Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 }));
  const picture = await pictureFile('planet.webp');
  const files = [picture, partOne(), bytesFile(2 * MIB, 'part-two.bin'), bytesFile(0, 'nothing.txt')];
  await withChosen(page.getByLabel('Choose files'), files, () => tourChosen(tour));
}

async function tourChosen({ visitor, page, look }: Tour): Promise<void> {
  await shown(page, '3 files selected');
  await look('folder-owner-selected');
  await page.context().route(/upload\/resumable/, (route) => (isHalfWay(route) ? silence() : route.continue()));
  await page.getByRole('button', { name: 'Upload 3 files' }).click();
  await shown(page, '1 completed');
  await page.getByText(/^(Encrypting|Uploading) [1-9]\d%$/).waitFor();
  await look('folder-owner-uploading');
  const dock = page.getByRole('region', { name: 'Uploads', exact: true });
  await page.getByRole('link', { name: 'Satchel' }).click();
  await dock.getByText(/^1 of 3 files/).waitFor();
  await look('upload-dock');
  await dock.getByRole('link', { name: 'Empty shelf' }).click();
  await page.getByText(/^(Encrypting|Uploading) [1-9]\d%$/).waitFor();
  await page.getByRole('button', { name: 'Sign Out' }).first().click();
  await page.getByRole('alertdialog', { name: 'Leave while files are uploading?' }).waitFor();
  await look('folder-owner-leave');
  await page.getByRole('button', { name: 'Stay' }).click();
  visitor.allow(/ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(true);
  await shown(page, 'Waiting for the line');
  await look('folder-owner-waiting');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Pause' }).first().click();
  await shown(page, '1 paused');
  await look('folder-owner-paused');
  await page.context().unroute(/upload\/resumable/);
  // The next file still uploads: when it ends, its Cancel button goes with it.
  await shown(page, '2 completed');
  await page.getByRole('button', { name: 'Cancel' }).first().click();
  await page.getByRole('alertdialog', { name: 'Cancel this upload?' }).waitFor();
  await look('folder-owner-cancel');
  await page.getByRole('button', { name: 'Yes, Cancel' }).click();
  await shown(page, /^\d files? (is|are) in$/);
  await page.getByRole('button', { name: 'Send to Discord' }).click();
  await look('folder-owner-done');
}

/** After {@link tourUnfinished}: another upload that was left, of a file whose handle this browser has kept. */
export async function tourResume({ page, go, look }: Tour, world: World): Promise<void> {
  await go(world.links.empty, /^1 upload was not finished/);
  await page.evaluate(async (sizeBytes) => {
    const directory = await navigator.storage.getDirectory();
    const handle = await directory.getFileHandle('part-three.bin', { create: true });
    const writing = await handle.createWritable();
    await writing.write(new Uint8Array(sizeBytes));
    await writing.close();
    Object.assign(window, { showOpenFilePicker: async () => [handle] });
  }, 7 * MIB);
  await page.context().route(/upload\/resumable/, (route) => (isHalfWay(route) ? silence() : route.continue()));
  await page.getByRole('button', { name: 'Drop files here or click to upload' }).click();
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await page.getByText(/^(Encrypting|Uploading) [1-9]\d%$/).waitFor();
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await shown(page, /^2 uploads were not finished/);
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await look('folder-owner-resume');
  await page.context().unroute(/upload\/resumable/);
}

const withZone = (link: string): string => link.replace(/(?=#|$)/, '?upload=true');

async function uploadTo(page: Page, files: Parameters<typeof withChosen>[1]): Promise<void> {
  await page.getByLabel('Choose files').setInputFiles([...files]);
  await page.getByRole('button', { name: /^Upload \d files?$/ }).click();
}

/** The end of an upload to folders that are sent to Discord in other ways than a private one. */
export async function tourMoments({ page, follow, look }: Tour, { links }: World): Promise<void> {
  for (const [mode, name] of [
    ['discord', 'For the server'],
    ['plain', 'Open letters'],
  ] as const) {
    await follow(withZone(links[mode]), name);
    await uploadTo(page, [bytesFile(1000, 'part-one.bin')]);
    // This browser has not made the folder: it asks before it encrypts with a key that the server has.
    if (mode === 'discord') await page.getByRole('button', { name: 'Use the server’s key' }).click();
    await shown(page, '1 file is in');
    await page.getByRole('button', { name: 'Send to Discord' }).click();
    await look(`folder-owner-done-${mode}`);
  }
}

/** A photo whose metadata stays, a file that changes between choice and upload, and one that is there already. */
export async function tourRefusals({ page, follow, look }: Tour, { links }: World): Promise<void> {
  await follow(withZone(links.packing), 'Empty shelf');
  // A segment that ends behind the end of the file.
  const cut = Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0, 0]);
  const damaged = { name: 'damaged.jpg', mimeType: 'image/jpeg', buffer: cut };
  await uploadTo(page, [damaged]);
  await shown(page, /^1 photo is sent unchanged/);
  await look('folder-owner-kept-metadata');
  const dir = await mkdtemp(join(tmpdir(), 'satchel-changed-'));
  try {
    const path = join(dir, 'part-three.bin');
    await writeFile(path, Buffer.alloc(2 * MIB));
    await page.getByLabel('Choose files').setInputFiles(path);
    await writeFile(path, Buffer.alloc(MIB));
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
    await page.getByRole('button', { name: 'Choose it again' }).waitFor();
    await look('folder-owner-changed');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
