import { describe, expect } from 'vitest';
import { chooseOpener, newVisitor, signInAs, test } from '../support/browser.ts';
import { bytesFile, pictureFile } from '../support/files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { IS_WHOLE, tooWide } from '../support/gallery/gallery.ts';
import type { World } from '../support/gallery/sample-world.ts';
import {
  during,
  nowhere,
  openTours,
  serverError,
  shown,
  silence,
  type Tour,
  type Tours,
  withTab,
} from '../support/gallery/tour.ts';
import { tourSessions } from '../support/gallery/tour-abuse.ts';
import { tourIntents, tourPreviews, tourShareWithoutKey } from '../support/gallery/tour-discord.ts';

/** Every screen that visitors and other signed-in people see, in every state (tests/support/gallery/tour.ts). */

let tours: Tours;
let world: World;
test.beforeAll(async ({ place }) => {
  tours = await openTours(place, 'visitors', ['sealed', 'plain', 'empty', 'passphrase', 'discord', 'revoked']);
  ({ world } = tours);
  await world.revoke();
});

const tourAsVisitor = (steps: (tour: Tour) => Promise<void>) => tours.asVisitor(steps);
const tourAsOwner = (steps: (tour: Tour) => Promise<void>) => tours.as(world.owner, steps);
const withoutKey = (link: string) => link.replace(/#.*/, '');
const RPC = '/rest/v1/rpc';
const LIST = '/storage/v1/object/list';
const MIB = 1024 ** 2;

test('the gallery finds faults that are there', async () => {
  const { page, close } = await newVisitor(world.browser);
  await page.setContent('<main><img src="data:,"><div style="width: 5000px">wide</div></main>');
  const found = [...(await axeViolations(page)), ...(await tooWide(page))];
  expect(found.some((fault) => fault.startsWith('image-alt'))).toBe(true);
  expect(found.some((fault) => fault.endsWith('px too wide'))).toBe(true);
  await page.goto(world.site.url);
  await shown(page, 'How It Works');
  await page.evaluate(() => {
    document.querySelector('main')!.append('Never translated');
  });
  expect(await tours.gallery.look(page, 'control')).toContain('control: untranslated: Never translated');
  await close();
});

describe('for a visitor without an account', () => {
  test('the pages around the folders', () =>
    tourAsVisitor(async ({ visitor, page, visit, follow, look }) => {
      await visit('landing', '/', 'How It Works');
      const step = async (name: string, path: string, text: string | RegExp) => {
        await follow(path, text);
        await look(name);
      };
      await step('privacy', '/privacy', 'What our server sees');
      await step('auth', '/auth', 'Continue with Discord');
      await page.getByRole('button', { name: 'Theme and language' }).click();
      await shown(page, 'As my device');
      await look('display');
      await page.keyboard.press('Escape');
      await during(page, '/auth/v1/authorize', nowhere, async () => {
        await page.getByRole('button', { name: 'Continue with Discord' }).click();
        await shown(page, 'Connecting...');
        await look('auth-connecting');
      });
      await step('profile-public', '/profile', 'Authentication Required');
      await step('folder-no-slug', '/f', /No folder/);
      await step('create-public', '/upload', 'Authentication Required');
      visitor.allow(/404/);
      await step('folder-not-found', '/f/AAAAAAAAAAAAAAAA', 'Folder Not Found');
      await step('folder-expired', `/f/${world.expiredSlug}`, 'Folder Expired');
      const refused = '/auth/callback#error=access_denied&error_description=No';
      await step('auth-callback-error', refused, 'Authentication Error');
      await during(page, '/auth/v1/session', silence, () =>
        visit('auth-callback', '/auth/callback', 'Processing Sign In...'),
      );
    }));

  test('folders as they load, and when they fail', () =>
    tourAsVisitor(async ({ visitor, page, go, follow, look }) => {
      const { sealed, plain, discord, passphrase, revoked } = world.links;
      await go('/f', /No folder/);
      // A folder for each: what one has asked for is never answered.
      const states = [
        { name: 'folder-loading', under: RPC, answer: silence, path: withoutKey(sealed), text: 'Loading folder...' },
        { name: 'folder-files-loading', under: LIST, answer: silence, path: plain, text: 'Loading files...' },
        { name: 'folder-files-error', under: LIST, answer: serverError, path: discord, text: /^Error: / },
      ];
      visitor.allow(/status of 500/);
      for (const { name, under, answer, path, text } of states) {
        await during(page, under, answer, async () => {
          await follow(path, text);
          await look(name);
        });
      }
      visitor.allow(/ERR_FAILED/);
      await during(
        page,
        `${RPC}/get_folder_complete_data`,
        (route) => route.abort(),
        async () => {
          await follow(passphrase, 'Error: Failed to load files');
          await look('folder-key-lost');
        },
      );
      await during(page, RPC, serverError, () =>
        during(page, '/rest/v1/folders', serverError, async () => {
          await follow(withoutKey(revoked), 'Something went wrong');
          await look('folder-error');
        }),
      );
    }));

  test('folders that open, and what the server can see of them', () =>
    tourAsVisitor(async ({ page, follow, look }) => {
      const { sealed, plain, empty, discord, revoked } = world.links;
      /** One for wide screens, and one inside the expandable row of narrow screens. */
      const setSight = (isOpen: boolean) =>
        page.locator('aside details').evaluateAll((all, open) => {
          for (const details of all) (details as HTMLDetailsElement).open = open;
        }, isOpen);
      const lookAtSight = async (name: string) => {
        await setSight(true);
        await shown(page, 'What it could do');
        await look(`server-sight-${name}`);
        await setSight(false);
      };
      await follow(sealed, 'Lantern Festival');
      await shown(page, 'Cached');
      await look('folder-public');
      await page.getByRole('button', { name: 'QR code and more' }).click();
      await page.getByRole('dialog', { name: /^Share / }).waitFor();
      await look('share-public');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await lookAtSight('sealed');
      await follow(withTab(sealed, 'info'), 'Sign up to see detailed analytics');
      await look('info-public');
      await follow(withTab(sealed, 'settings'), 'Authentication Required');
      await look('settings-public');
      await follow(plain, 'Open letters');
      await shown(page, 'aurora-over-the-lake.webp');
      await look('folder-plain-public');
      await lookAtSight('plain');
      await follow(discord, 'For the server');
      await shown(page, 'Cached');
      await look('folder-discord-public');
      await lookAtSight('discord');
      await follow(revoked, 'Withdrawn');
      await shown(page, 'No Key');
      await look('folder-revoked-public');
      await lookAtSight('revoked');
      await follow(empty, 'No files shared yet');
      await look('folder-empty-public');
      await world.arrive();
      await shown(page, 'Cached');
      await look('folder-arrived');
    }));

  test('folders that need a key', () =>
    tourAsVisitor(async ({ visitor, page, visit, follow, look }) => {
      const { sealed, passphrase } = world.links;
      await visit('folder-no-key', withoutKey(sealed), 'No Key');
      await page.getByLabel('Link or key').fill('the key');
      await page.getByRole('button', { name: 'Open Files' }).click();
      await shown(page, /^This is neither a link/);
      await look('folder-key-refused');
      await page.evaluate((address) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(address, 'text/uri-list');
        document.body.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer }));
      }, sealed);
      await look('folder-link-over');
      await page.evaluate(() => window.dispatchEvent(new DragEvent('dragend')));
      await follow(passphrase, 'This folder needs a passphrase');
      await look('passphrase');
      visitor.allow(/status of 403/);
      const prompt = page.getByRole('region', { name: 'This folder needs a passphrase' });
      await prompt.getByLabel('Passphrase', { exact: true }).fill('not this one');
      await prompt.getByRole('button', { name: 'Open Files' }).click();
      await shown(page, /^Wrong passphrase/);
      await look('passphrase-wrong');
      await follow(`${withoutKey(sealed)}#${'a'.repeat(120)}`, /Expected 128 hex characters, got 120/);
      await look('folder-bad-key');
    }));
});

describe('for a signed-in person', () => {
  test('another person’s folder', () =>
    tours.as(world.viewer, async ({ page, go, follow, look }) => {
      await go('/auth', 'Already Signed In');
      // While a button has the focus, the page doesn't redirect.
      await page.getByRole('link', { name: 'Go to Home' }).focus();
      await look('auth-signed-in');
      const { sealed } = world.links;
      await follow(sealed, 'Lantern Festival');
      await shown(page, 'Cached');
      await look('folder-viewer');
      await follow(withTab(sealed, 'info'), 'Folder Statistics');
      await look('info-viewer');
      await follow(withTab(sealed, 'settings'), 'Settings Access Restricted');
      await look('settings-viewer');
      await follow('/profile', 'No folders yet');
      await look('profile-no-folders');
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

  test('the list of sessions', () => tourAsOwner(tourSessions));

  test('the page that creates a folder', () =>
    tourAsOwner(async ({ page, visit, look }) => {
      await visit('create', '/upload', 'Drop files here or click to upload');
      await page.getByRole('switch', { name: 'Ask for a passphrase' }).check();
      await page.getByRole('button', { name: 'Create Folder' }).click();
      await shown(page, 'Type a passphrase, or turn it off.');
      await look('create-passphrase');
      await chooseOpener(page, 'discord');
      await look('create-discord');
      await chooseOpener(page, 'plain');
      await page.getByText('More options').click();
      await look('create-plain');
      const files = [
        await pictureFile('planet.webp'),
        bytesFile(2.5 * MIB, 'part-one.bin'),
        bytesFile(0, 'nothing.txt'),
      ];
      await page.getByLabel('Choose files').setInputFiles(files);
      await shown(page, '2 files selected');
      await look('create-files');
      await page.getByRole('link', { name: 'Satchel' }).first().click();
      await page.getByRole('alertdialog', { name: 'Leave this page?' }).waitFor();
      await look('create-leave');
      await page.getByRole('button', { name: 'Leave', exact: true }).click();
      await visit('create-shared', '/upload?shared=none', 'There were no files in what you shared.');
      if (IS_WHOLE) await visit('create-shared-unread', '/upload?shared=unread', /^What you shared was not read/);
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
