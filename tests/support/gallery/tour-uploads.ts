import type { Route } from 'playwright-core';
import { bytesFile, pictureFile } from './made-files.ts';
import { shown, silence, type Tour } from './tour.ts';
import type { World } from './world.ts';

const MIB = 1024 ** 2;
/** What follows a file's first request is never answered, so that it stays under way. */
const isHalfWay = (route: Route) => (route.request().headers()['upload-offset'] ?? '0') !== '0';

/** The upload zone from empty to half-way, of a folder of one's own. */
export async function tourUploads({ page, go, visit, look }: Tour, world: World): Promise<void> {
  await visit('folder-empty-owner', world.links.empty, 'No files yet');
  await go(world.links.packing, 'No files yet');
  // One worker, so that one file is done, one under way and one waits.
  await page.evaluate(() => Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 }));
  const picture = await pictureFile('planet.webp');
  const files = [picture, bytesFile(14 * MIB, 'part-one.bin'), bytesFile(MIB, 'part-two.bin')];
  await page.getByLabel('Choose files').setInputFiles([...files, bytesFile(0, 'nothing.txt')]);
  await shown(page, '3 files selected');
  await look('folder-owner-selected');
  await page.context().route(/upload\/resumable/, (route) => (isHalfWay(route) ? silence() : route.continue()));
  await page.getByRole('button', { name: 'Upload 3 files' }).click();
  await shown(page, '1 completed');
  await page.getByText(/^(Encrypting|Uploading) [1-9]\d%$/).waitFor();
  await look('folder-owner-uploading');
  await page.getByRole('link', { name: 'Satchel' }).click();
  await page.getByRole('alertdialog', { name: 'Leave while files are uploading?' }).waitFor();
  await look('folder-owner-leave');
  await page.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Pause' }).first().click();
  await shown(page, '1 paused');
  await look('folder-owner-paused');
  await page.context().unroute(/upload\/resumable/);
}
