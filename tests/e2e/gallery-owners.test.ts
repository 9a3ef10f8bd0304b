import type { Locator, Page } from 'playwright-core';
import { describe } from 'vitest';
import { chooseOpener, test } from '../support/browser.ts';
import { bytesFile, TRAVEL_NOTES } from '../support/files.ts';
import { IS_WHOLE } from '../support/gallery/gallery.ts';
import type { World } from '../support/gallery/sample-world.ts';
import { during, openTours, serverError, shown, type Tour, type Tours, withTab } from '../support/gallery/tour.ts';
import { tourMoments, tourRefusals, tourResume, tourUnfinished, tourUploads } from '../support/gallery/tour-uploads.ts';
import { changeListing, injectedEntry, listInstead, longListing, swapLabels } from '../support/listings.ts';

/**
 * Every screen of a folder's owner, in every state (tests/support/gallery/tour.ts). In one page wherever a state needs no
 * new one: a test leaves it as a person who has closed what they opened.
 */

let tours: Tours;
let world: World;
test.beforeAll(async ({ place }) => {
  const folders = ['sealed', 'plain', 'empty', 'packing', 'discord', 'revoked', 'tree'] as const;
  const wanted = IS_WHOLE ? ([...folders, 'odd'] as const) : folders;
  tours = await openTours(place, 'owners', wanted, [MANY.map(({ name }) => name).join('\n')]);
  ({ world } = tours);
});

const tourAsOwner = (steps: (tour: Tour) => Promise<void>) => tours.as(world.owner, steps);
const RPC = '/rest/v1/rpc';
const MIB = 1024 ** 2;
const MANY = longListing(2000);
const region = (name: RegExp) => (dialog: Locator) => dialog.getByRole('region', { name });
/** What the viewer shows of each kind once the file is open. */
const KINDS = [
  { kind: 'image', name: 'aurora-over-the-lake.webp', content: (dialog: Locator) => dialog.getByText('100%') },
  { kind: 'video', name: 'raid-highlights.webm', content: (dialog: Locator) => dialog.locator('video') },
  { kind: 'audio', name: 'horn.wav', content: (dialog: Locator) => dialog.locator('audio') },
  { kind: 'text', name: 'travel-notes.txt', content: region(/^Text of/) },
  { kind: 'pdf', name: 'handbook.pdf', content: region(/^Pages? /) },
  { kind: 'other', name: 'world-save.bin', content: (dialog: Locator) => dialog.getByText('application/octet-stream') },
  { kind: 'markdown', name: 'plan.md', content: region(/^Text of/) },
  { kind: 'table', name: 'costs.csv', content: region(/^Table/) },
  { kind: 'code', name: 'leave.py', content: region(/^Text of/) },
  { kind: 'zip', name: 'trip.zip', content: region(/^Contents of/) },
] as const;
/** What the viewer shows of odd files that it opens. */
const ODD: Readonly<Record<string, (dialog: Locator) => Locator>> = {
  'song.mp3': (dialog) => dialog.getByRole('img', { name: 'Cover of Harbour song' }),
  'locked.pdf': (dialog) => dialog.getByText('This PDF needs a password.'),
  'bomb.zip': (dialog) => dialog.getByText('Unpacking it may fill a disk.'),
};
const zipRegion = (page: Page) => page.getByRole('region', { name: 'Download as zip' });
/** The folder with a file of each kind, with its files open. */
async function toSealed({ page, follow }: Tour): Promise<void> {
  await follow(world.links.sealed, 'Lantern Festival');
  await shown(page, 'Cached');
}

describe('for the owner of a folder', () => {
  test('its files', () =>
    tourAsOwner(async (tour) => {
      const { page, look } = tour;
      await toSealed(tour);
      await look('folder-owner');
      await page.getByRole('button', { name: 'What the badges mean' }).click();
      await look('badge-legend');
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox', { name: 'Select planet.webp' }).check({ force: true });
      await page.getByRole('checkbox', { name: 'Select horn.wav' }).check({ force: true });
      await look('folder-selection');
      await page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('alertdialog', { name: 'Delete 2 files?' }).waitFor();
      await look('files-delete');
      await page.keyboard.press('Escape');
      await page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Clear' }).click();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await look('shortcuts');
      await page.keyboard.press('Escape');
    }));

  test('many files packed into one', () =>
    tourAsOwner(async (tour) => {
      const { page, look } = tour;
      await toSealed(tour);
      // No answer arrives until the request is cancelled, however long the picture takes.
      await page.context().route(/object\/public/, () => undefined);
      await page.getByRole('button', { name: 'Download all' }).click();
      await zipRegion(page).getByText(/of 12/).waitFor();
      await look('folder-zip');
      await zipRegion(page).getByRole('button', { name: 'Cancel' }).click();
      await page.context().unroute(/object\/public/);
    }));

  test('the viewer of each kind of file', () =>
    tourAsOwner(async (tour) => {
      const { page, look } = tour;
      await toSealed(tour);
      const [first] = KINDS;
      const card = page.getByRole('gridcell').filter({ hasText: first.name });
      // A click counts once the file is open.
      await card.getByText('Cached').waitFor();
      await card.getByRole('button', { name: first.name, exact: true }).click();
      const strip = page.getByRole('navigation', { name: 'Files' });
      for (const { kind, name, content } of KINDS) {
        await strip.getByRole('button', { name, exact: true }).click();
        const dialog = page.getByRole('dialog', { name });
        await content(dialog).first().waitFor();
        await look(`file-${kind}`);
        if (kind !== 'image') continue;
        await dialog.getByRole('button', { name: 'About this file' }).click();
        await look('file-facts');
        await page.keyboard.press('Escape');
      }
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }));

  if (IS_WHOLE) {
    test('files that can’t be shown', () =>
      tourAsOwner(async ({ page, follow, look }) => {
        await follow(world.links.odd, 'Odd things');
        await shown(page, 'Can’t be shown');
        await look('folder-odd');
        for (const name of ['broken.png', 'IMG_0001.heic', 'concert.ts', 'song.mp3', 'locked.pdf', 'bomb.zip']) {
          await page.getByRole('gridcell').filter({ hasText: name }).getByRole('button', { name, exact: true }).click();
          const dialog = page.getByRole('dialog', { name });
          await dialog.waitFor();
          await dialog
            .getByText(/Opening|Downloading|Decrypting/)
            .first()
            .waitFor({ state: 'detached' });
          await ODD[name]?.(dialog).first().waitFor();
          await look(`file-odd-${name.split('.').at(-1)}`);
          await dialog.getByRole('button', { name: 'Close' }).click();
          await dialog.waitFor({ state: 'detached' });
        }
      }));
  }

  test('files that are dragged over the page, and a lost connection', () =>
    tourAsOwner(async (tour) => {
      const { visitor, page, look } = tour;
      await toSealed(tour);
      const transfer = await page.evaluateHandle(() => {
        const data = new DataTransfer();
        data.items.add(new File(['x'], 'part-one.bin'));
        return data;
      });
      await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
      await shown(page, /^Drop to pack into/);
      await look('folder-owner-drop');
      await page.dispatchEvent('body', 'dragleave', { dataTransfer: transfer });
      visitor.allow(/ERR_INTERNET_DISCONNECTED/);
      await page.context().setOffline(true);
      await shown(page, /You’re offline/);
      await look('offline');
      await page.context().setOffline(false);
    }));

  test('its link', () =>
    tourAsOwner(async (tour) => {
      const { page, follow, visit, look } = tour;
      const { discord, revoked, plain } = world.links;
      const share = async (name: string) => {
        await page.getByRole('button', { name: 'Share', exact: true }).click();
        await page.getByRole('dialog', { name: /^Share / }).waitFor();
        await look(name);
      };
      await toSealed(tour);
      await share('share');
      await page.getByRole('switch', { name: 'Include the key' }).click();
      await look('share-apart');
      await chooseOpener(page, 'discord');
      await page.getByRole('alertdialog').waitFor();
      await look('share-discord-question');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await follow(discord, 'For the server');
      await share('share-discord');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await follow(plain, 'Open letters');
      await share('share-plain');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      // This device keeps the keys of a folder whose link is revoked after the visit.
      await follow(revoked, 'Withdrawn');
      await shown(page, 'Cached');
      await world.revoke();
      await visit('folder-revoked-owner', revoked, 'Cached');
    }));

  test('its Info and Settings tabs', () =>
    tourAsOwner(async ({ visitor, page, follow, look }) => {
      const { sealed, plain } = world.links;
      await follow(withTab(sealed, 'info'), 'Recent Activity');
      await look('info');
      await page.getByRole('button', { name: 'Show table' }).click();
      await look('info-table');
      await follow(withTab(sealed, 'settings'), 'Danger Zone');
      await look('settings-owner');
      await page.getByRole('button', { name: 'Delete Folder' }).click();
      await page.getByRole('alertdialog', { name: 'Delete this folder?' }).waitFor();
      await look('settings-delete');
      await page.keyboard.press('Escape');
      visitor.allow(/status of 500/);
      await during(page, `${RPC}/get_folder_analytics`, serverError, async () => {
        await follow(withTab(plain, 'info'), 'The folder’s activity could not be loaded.');
        await look('info-error');
      });
    }));

  test('directories, a list, a search, other names, and a question about a name that is taken', () =>
    tourAsOwner(async ({ page, follow, look }) => {
      await follow(world.links.tree, 'Photos');
      await look('folder-directories');
      await page.locator('[data-file="dir:Notes"]').focus();
      await page.keyboard.press('F2');
      await page.getByRole('dialog').waitFor();
      await look('folder-rename-directory');
      await page.keyboard.press('Escape');
      await page.locator('[data-file="dir:Notes"]').click();
      await page.getByRole('navigation', { name: 'Path' }).waitFor();
      await page.getByRole('button', { name: 'List' }).click();
      await page.getByRole('columnheader').first().waitFor({ state: 'attached' });
      await look('folder-list');
      await page.keyboard.press('/');
      await page.getByRole('searchbox').fill('travel');
      await page.getByText('1 found').waitFor();
      await look('folder-search');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'List' }).click();
      await page.getByRole('button', { name: 'Rename folder' }).click();
      await page.getByRole('textbox', { name: 'Folder name' }).waitFor();
      await look('folder-rename');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Upload File' }).click();
      const other = { name: 'travel-notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Another journey') };
      await page.getByLabel('Choose files').setInputFiles([other]);
      await page.getByRole('button', { name: 'Keep both' }).waitFor();
      await look('folder-collision');
      await page.getByRole('button', { name: 'Leave out' }).click();
      if (!IS_WHOLE) return;
      await page.getByLabel('Choose files').setInputFiles([{ ...other, buffer: Buffer.from(TRAVEL_NOTES) }]);
      await shown(page, /^1 file is already there, with the same content/);
      await look('folder-already-there');
    }));

  test('foreign files', () =>
    tourAsOwner(async ({ page, visit, look }) => {
      const injected = [injectedEntry('invoice_1763750000000_abcdefgh.html')];
      const undo = await changeListing(page, (entries) => [...injected, ...swapLabels(entries)]);
      await visit('folder-foreign', world.links.sealed, 'Not from this folder');
      await page.getByRole('checkbox', { name: 'Select Unknown file' }).first().check({ force: true });
      await look('folder-foreign-selected');
      await page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Clear' }).click();
      await page.context().route(/object\/public/, () => undefined);
      await page.getByRole('button', { name: 'Download all' }).click();
      await page.getByText('3 files are left out: they are not from this folder.').waitFor();
      await look('folder-foreign-zip');
      await zipRegion(page).getByRole('button', { name: 'Cancel' }).click();
      await page.context().unroute(/object\/public/);
      undo();
    }));

  test('two thousand files, half-way down', () =>
    tourAsOwner(async ({ page, follow, look }) => {
      await listInstead(page, MANY);
      await follow(world.links.plain, 'file-0001.txt');
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2));
      await shown(page, /^file-1\d\d\d\.txt$/);
      await look('folder-big');
      if (IS_WHOLE) {
        await page.getByRole('button', { name: 'List' }).click();
        await shown(page, /^file-0\d\d\d\.txt$/);
        await look('folder-big-list');
        await page.getByRole('button', { name: 'List' }).click();
      }
      await page.unroute('**/storage/v1/object/list/**');
    }));
});

describe('for the owner who uploads', () => {
  test('the upload zone', () => tourAsOwner((tour) => tourUploads(tour, world)));

  test('an upload that is refused', () =>
    tourAsOwner(async ({ visitor, page, follow, look }) => {
      await follow(world.links.empty, 'No files yet');
      visitor.allow(/status of 413/);
      const error = { code: 'upload.over_quota', params: { freeBytes: MIB }, message: '' };
      await page.context().route(/upload\/resumable/, (route) => route.fulfill({ status: 413, json: { error } }));
      await page.getByLabel('Choose files').setInputFiles([bytesFile(2 * MIB, 'part-one.bin')]);
      await page.getByRole('button', { name: 'Upload 1 file' }).click();
      await shown(page, '1 failed');
      await look('folder-owner-failed');
      await page.context().unroute(/upload\/resumable/);
    }));

  if (IS_WHOLE) {
    // tests/e2e/upload-zone.test.ts and account-uploads.test.ts check that they work.
    test('uploads that were left', () =>
      tourAsOwner(async (tour) => {
        await tourUnfinished(tour, world);
        await tourResume(tour, world);
      }));

    test('the end of uploads to a Discord link and in clear', () => tourAsOwner((tour) => tourMoments(tour, world)));

    test('uploads that don’t go as they were meant', () => tourAsOwner((tour) => tourRefusals(tour, world)));
  }

  test('leaving, and what this device remembers', () =>
    tourAsOwner(async ({ page, go, look }) => {
      // On the profile a card that loads late may ask for uploads when the person has left, and is answered 401.
      await go('/privacy', 'What our server sees');
      await page.getByRole('button', { name: 'Sign Out' }).first().click();
      await page.getByRole('alertdialog', { name: 'Forget keys on this device?' }).waitFor();
      await look('forget-keys');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Keep Keys' }).click();
    }));
});
