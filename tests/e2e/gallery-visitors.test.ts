import { describe, expect } from 'vitest';
import { newVisitor, signInAs } from '../support/browser/browser.ts';
import { test } from '../support/browser/shared.ts';
import { chooseOpener, PASSPHRASE } from '../support/browser/world.ts';
import { bytesFile, pictureFile } from '../support/files/made-files.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { tooWide } from '../support/gallery/gallery.ts';
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
  tours = await openTours(place, 'visitors');
  ({ world } = tours);
  await world.revoke();
});

const tourAsVisitor = (steps: (tour: Tour) => Promise<void>) => tours.asVisitor(steps);
const tourAsOwner = (steps: (tour: Tour) => Promise<void>) => tours.as(world.owner, steps);
const slugOf = (link: string) => new URL(link).pathname.split('/').at(-1)!;
const withoutKey = (link: string) => link.replace(/#.*/, '');
const RPC = '/rest/v1/rpc';
const LIST = '/storage/v1/object/list';
const MIB = 1024 ** 2;

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
  expect(await tours.gallery.look(page, 'control')).toContain('control: untranslated: Never translated');
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
    tours.as(world.viewer, async ({ page, visit, go, look }) => {
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
