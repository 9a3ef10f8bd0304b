import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { newVisitor, signInAs } from '../support/browser/browser.ts';
import { test } from '../support/browser/shared.ts';
import { makeWorld, PASSPHRASE, type World } from '../support/browser/world.ts';
import { bytesFile, listInstead, longListing, pictureFile } from '../support/files/made-files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { type Gallery, openGallery, tooWide } from '../support/gallery/gallery.ts';
import { during, nowhere, serverError, shown, silence, type Tour, tourGuide } from '../support/gallery/tour.ts';
import * as abuse from '../support/gallery/tour-abuse.ts';
import { tourIntents, tourPreviews, tourShareWithoutKey } from '../support/gallery/tour-discord.ts';
import { tourUploads } from '../support/gallery/tour-uploads.ts';
import { changeListing, injectedEntry, swapLabels } from '../support/lying-server/listings.ts';

/**
 * Every screen in every state, from the real app: a picture of each look, and no axe violation, console error,
 * horizontal scroll or untranslated text. The pictures are in GALLERY_DIR, else in test-results/gallery.
 */

const DIR = process.env.GALLERY_DIR ?? join(import.meta.dirname, '../../test-results/gallery');

let world: World;
let gallery: Gallery;
let guide: ReturnType<typeof tourGuide>;

test.beforeAll(async ({ chromium }) => {
  world = await makeWorld(chromium);
  gallery = await openGallery(DIR, [...world.data, MANY.map(({ name }) => name).join('\n')]);
  guide = tourGuide(world, gallery);
});
afterAll(() => world?.stop());

const tourAsVisitor = (steps: (tour: Tour) => Promise<void>) => guide.tourAsVisitor(steps);
const tourAsOwner = (steps: (tour: Tour) => Promise<void>) => guide.tourAs(world.owner, steps);
const slugOf = (link: string) => new URL(link).pathname.split('/').at(-1)!;
const withoutKey = (link: string) => link.replace(/#.*/, '');
const withTab = (link: string, tab: string) => link.replace(/(?=#|$)/, `?tab=${tab}`);
const RPC = '/rest/v1/rpc';
const LIST = '/storage/v1/object/list';
const MIB = 1024 ** 2;
const MANY = longListing(2000);

test('the gallery finds faults that are there', async () => {
  const { page, close } = await newVisitor(world.browser, { isFirst: true });
  await page.setContent('<main><img src="data:,"><div style="width: 5000px">wide</div></main>');
  const found = [...(await axeViolations(page)), ...(await tooWide(page))];
  expect(found.some((fault) => fault.startsWith('image-alt'))).toBe(true);
  expect(found.some((fault) => fault.endsWith('px too wide'))).toBe(true);
  await page.goto(world.site.url);
  await shown(page, 'How It Works');
  await page.evaluate(() => {
    document.querySelector('main')!.append('Never translated');
  });
  expect(await gallery.look(page, 'control')).toContain('control: untranslated: Never translated');
  await close();
});

describe('for a visitor without an account', () => {
  test('the pages around the folders', () =>
    tourAsVisitor(async ({ visitor, page, visit, look }) => {
      await visit('landing', '/', 'How It Works');
      await visit('auth', '/auth', 'Continue with Discord');
      await during(page, '/auth/v1/authorize', nowhere, async () => {
        await page.getByRole('button', { name: 'Continue with Discord' }).click();
        await shown(page, 'Connecting...');
        await look('auth-connecting');
      });
      await visit(
        'auth-callback-error',
        '/auth/callback#error=access_denied&error_description=No',
        'Authentication Error',
      );
      await during(page, '/auth/v1/session', silence, () =>
        visit('auth-callback', '/auth/callback', 'Processing Sign In...'),
      );
      await visit('profile-public', '/profile', 'Authentication Required');
      await visit('create-public', '/upload', 'Authentication Required');
      await visit('folder-no-slug', '/f', /No folder/);
      visitor.allow(/404/);
      await visit('folder-not-found', '/f/AAAAAAAAAAAAAAAA', 'Folder Not Found');
      await visit('folder-expired', `/f/${world.expiredSlug}`, 'Folder Expired');
    }));

  test('folders as they load, and when they fail', () =>
    tourAsVisitor(async ({ visitor, page, visit }) => {
      const path = `/f/${slugOf(world.links.sealed)}`;
      const { plain } = world.links;
      await during(page, RPC, silence, () => visit('folder-loading', path, 'Loading folder...'));
      await during(page, LIST, silence, () => visit('folder-files-loading', plain, 'Loading files...'));
      visitor.allow(/status of 500/);
      await during(page, LIST, serverError, () => visit('folder-files-error', plain, /^Error: /));
      await during(page, RPC, serverError, () =>
        during(page, '/rest/v1/folders', serverError, () => visit('folder-error', path, 'Something went wrong')),
      );
    }));

  test('folders that open', () =>
    tourAsVisitor(async ({ page, visit, look }) => {
      const { sealed, plain, empty, discord } = world.links;
      await visit('folder-public', sealed, 'Cached');
      await page.getByRole('button', { name: 'QR code and more' }).click();
      await page.getByRole('dialog', { name: /^Share / }).waitFor();
      await look('share-public');
      await visit('folder-plain-public', plain, 'aurora-over-the-lake.webp');
      await visit('folder-discord-public', discord, 'Cached');
      await visit('folder-empty-public', empty, 'No files shared yet');
      await visit('info-public', withTab(sealed, 'info'), 'Sign up to see detailed analytics');
      await visit('settings-public', withTab(sealed, 'settings'), 'Authentication Required');
    }));

  test('what the server can see of a folder', () =>
    tourAsVisitor(async ({ page, go, look }) => {
      const { sealed, plain, discord, revoked } = world.links;
      for (const [name, link] of Object.entries({ sealed, plain, discord, revoked })) {
        await go(link, 'Expires in');
        // One for wide screens, and one inside the expandable row of narrow screens.
        await page.locator('aside details').evaluateAll((all) => {
          for (const details of all) (details as HTMLDetailsElement).open = true;
        });
        await shown(page, 'What it could do');
        await look(`server-sight-${name}`);
      }
    }));

  test('folders that need a key', () =>
    tourAsVisitor(async ({ visitor, page, visit, look, go }) => {
      const { sealed, revoked, passphrase } = world.links;
      await visit('folder-no-key', withoutKey(sealed), 'No Key');
      await visit('folder-bad-key', `${withoutKey(sealed)}#${'a'.repeat(120)}`, /Expected 128 hex characters, got 120/);
      await visit('folder-revoked-public', revoked, 'No Key');
      await visit('passphrase', passphrase, 'This folder needs a passphrase');
      visitor.allow(/status of 403/);
      const prompt = page.getByRole('region', { name: 'This folder needs a passphrase' });
      await prompt.getByLabel('Passphrase', { exact: true }).fill('not this one');
      await prompt.getByRole('button', { name: 'Open Files' }).click();
      await shown(page, /^Wrong passphrase/);
      await look('passphrase-wrong');
      await go(passphrase, 'This folder needs a passphrase');
      await prompt.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
      await prompt.getByRole('button', { name: 'Open Files' }).click();
      await shown(page, 'Cached');
    }));
});

describe('for a signed-in person', () => {
  test('another person’s folder', () =>
    guide.tourAs(world.viewer, async ({ page, visit, go, look }) => {
      await go('/auth', 'Already Signed In');
      // While a button has the focus, the page doesn't redirect.
      await page.getByRole('link', { name: 'Go to Home' }).focus();
      await look('auth-signed-in');
      const { sealed } = world.links;
      await visit('folder-viewer', sealed, 'Cached');
      await visit('info-viewer', withTab(sealed, 'info'), 'Folder Statistics');
      await visit('settings-viewer', withTab(sealed, 'settings'), 'Settings Access Restricted');
      await visit('profile-no-folders', '/profile', 'No folders yet');
    }));

  test.each(['otto', 'lena'])('the profile of %s', (name) =>
    tourAsVisitor(async ({ page, visit }) => {
      await signInAs(page, world.site.url, name);
      await visit(`profile-${name}`, '/profile', 'Account Details');
    }),
  );

  test('the own profile', () =>
    tourAsOwner(async ({ visitor, page, visit, look }) => {
      await visit('profile', '/profile', 'My Folders');
      await page.getByRole('button', { name: 'Erase my data' }).click();
      await page.getByRole('alertdialog', { name: 'Erase everything?' }).waitFor();
      await look('profile-erase');
      await during(page, '/rest/v1/profiles/me', silence, () =>
        visit('profile-loading', '/profile', 'Loading profile...'),
      );
      visitor.allow(/status of 500/);
      await during(page, '/rest/v1/profiles/me', serverError, () =>
        visit('profile-error', '/profile', 'Error Loading Profile'),
      );
    }));

  test('the list of sessions', () => tourAsOwner(abuse.tourSessions));

  test('the page that creates a folder', () =>
    tourAsOwner(async ({ page, visit, look }) => {
      await visit('create', '/upload', 'Drop files here or click to upload');
      await page.getByRole('switch', { name: 'Ask for a passphrase' }).check();
      await page.getByRole('button', { name: 'Create Folder' }).click();
      await shown(page, 'Type a passphrase, or turn it off.');
      await look('create-passphrase');
      await page.getByRole('switch', { name: 'Discord link' }).check();
      await look('create-discord');
      await page.getByLabel('Encrypt files').uncheck();
      await look('create-plain');
      const files = [
        await pictureFile('planet.webp'),
        bytesFile(2.5 * MIB, 'part-one.bin'),
        bytesFile(0, 'nothing.txt'),
      ];
      await page.getByLabel('Choose files').setInputFiles(files);
      await shown(page, '2 files selected');
      await look('create-files');
    }));

  test('where the bot sends people', () =>
    tourAsVisitor(async (tour) => {
      await tour.visit('create-intent-public', `/upload#intent=${'i'.repeat(43)}`, 'Authentication Required');
      await signInAs(tour.page, world.site.url, 'ava');
      await tourIntents(tour);
      await tourShareWithoutKey(tour, world.links.sealed);
      await tourPreviews(tour, world.links.plain);
    }));
});

describe('for a reporter and the operator', () => {
  const tourAsOperator = (steps: (tour: Tour) => Promise<void>) => guide.tourAs(world.viewer, steps);

  test('the empty operator’s page, and a key for it', () => tourAsOperator(abuse.tourNewOperator));

  test('a report', () => tourAsVisitor((tour) => abuse.tourReport(tour, world)));

  test('the operator’s actions on it', () => tourAsOperator(abuse.tourOperator));

  test('a folder that was taken down', async () => {
    const path = await abuse.takenDownFolder(world);
    await tourAsVisitor(async ({ visitor, visit }) => {
      visitor.allow(/status of 410/);
      await visit('folder-taken-down', path, 'This folder was taken down');
    });
  });
});

describe('for the owner of a folder', () => {
  const cardOf = (page: Page, name: string) => page.getByRole('gridcell').filter({ hasText: name });

  test('its files', () =>
    tourAsOwner(async ({ page, visit, look }) => {
      await visit('folder-owner', world.links.sealed, 'Cached');
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
    }));

  test.each([
    ['image', 'aurora-over-the-lake.webp'],
    ['video', 'raid-highlights.webm'],
    ['audio', 'horn.wav'],
    ['text', 'travel-notes.txt'],
    ['pdf', 'handbook.pdf'],
    ['other', 'world-save.bin'],
  ])('the viewer of a file: %s', (kind, name) =>
    tourAsOwner(async ({ page, go, look }) => {
      await go(world.links.sealed, 'Cached');
      const card = cardOf(page, name);
      await card.scrollIntoViewIfNeeded();
      await card.getByText('Cached').waitFor();
      await card.getByRole('button', { name, exact: true }).click();
      const dialog = page.getByRole('dialog', { name });
      await dialog.getByRole('button', { name: 'Close' }).waitFor();
      await look(`file-${kind}`);
      await dialog.getByRole('button', { name: 'Close' }).click();
    }),
  );

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
      await page.getByRole('region', { name: 'Download as zip' }).getByRole('button', { name: 'Cancel' }).click();
      await page.context().unroute(/object\/public/);
      await undo();
    }));

  test('two thousand files, half-way down', () =>
    tourAsOwner(async ({ page, go, look }) => {
      await listInstead(page, MANY);
      await go(world.links.plain, 'file-0001.txt');
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2));
      await shown(page, /^file-1\d\d\d\.txt$/);
      await look('folder-big');
      await page.unroute('**/storage/v1/object/list/**');
    }));

  test('its link', () =>
    tourAsOwner(async ({ page, go, visit, look }) => {
      const { sealed, discord, revoked, plain } = world.links;
      const share = async (name: string) => {
        await page.getByRole('button', { name: 'Share', exact: true }).click();
        await page.getByRole('dialog', { name: /^Share / }).waitFor();
        await look(name);
      };
      await go(sealed, 'Cached');
      await share('share');
      await page.getByRole('switch', { name: 'Include the key' }).click();
      await look('share-apart');
      await page.getByRole('switch', { name: 'Discord link' }).click();
      await page.getByRole('alertdialog').waitFor();
      await look('share-discord-question');
      await go(discord, 'Cached');
      await share('share-discord');
      await go(plain, 'aurora-over-the-lake.webp');
      await share('share-plain');
      await visit('folder-revoked-owner', revoked, 'Cached');
    }));

  test('its Info and Settings tabs', () =>
    tourAsOwner(async ({ visitor, page, visit, look }) => {
      const { sealed } = world.links;
      await visit('info', withTab(sealed, 'info'), 'Recent Activity');
      await page.getByRole('button', { name: 'Show table' }).click();
      await look('info-table');
      visitor.allow(/status of 500/);
      await during(page, `${RPC}/get_folder_analytics`, serverError, () =>
        visit('info-error', withTab(sealed, 'info'), 'The folder’s activity could not be loaded.'),
      );
      await visit('settings-owner', withTab(sealed, 'settings'), 'Danger Zone');
      await page.getByRole('button', { name: 'Delete Folder' }).click();
      await page.getByRole('alertdialog', { name: 'Delete this folder?' }).waitFor();
      await look('settings-delete');
    }));
});

describe('for the owner who uploads', () => {
  test('the upload zone', () => tourAsOwner((tour) => tourUploads(tour, world)));

  test('an upload that is refused', () =>
    tourAsOwner(async ({ visitor, page, go, look }) => {
      await go(world.links.empty, 'No files yet');
      visitor.allow(/status of 413/);
      const error = { code: 'upload.over_quota', params: { freeBytes: MIB }, message: '' };
      await page.context().route(/upload\/resumable/, (route) => route.fulfill({ status: 413, json: { error } }));
      await page.getByLabel('Choose files').setInputFiles([bytesFile(2 * MIB, 'part-one.bin')]);
      await page.getByRole('button', { name: 'Upload 1 file' }).click();
      await shown(page, '1 failed');
      await look('folder-owner-failed');
      await page.context().unroute(/upload\/resumable/);
    }));

  test('many files packed into one', () =>
    tourAsOwner(async ({ page, go, look }) => {
      await go(world.links.sealed, 'Cached');
      // No answer arrives until the request is cancelled, however long the picture takes.
      await page.context().route(/object\/public/, () => undefined);
      await page.getByRole('button', { name: 'Download all' }).click();
      await page.getByRole('region', { name: 'Download as zip' }).getByText(/of 8/).waitFor();
      await look('folder-zip');
      await page.getByRole('region', { name: 'Download as zip' }).getByRole('button', { name: 'Cancel' }).click();
      await page.context().unroute(/object\/public/);
    }));

  test('files that are dragged over the page, and a lost connection', () =>
    tourAsOwner(async ({ visitor, page, go, look }) => {
      await go(world.links.sealed, 'Cached');
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

  test('leaving, and what this device remembers', () =>
    tourAsOwner(async ({ page, go, look }) => {
      await go(world.links.sealed, 'Cached');
      await page.getByRole('button', { name: 'Sign Out' }).first().click();
      await page.getByRole('alertdialog', { name: 'Forget keys on this device?' }).waitFor();
      await look('forget-keys');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Keep Keys' }).click();
    }));
});
