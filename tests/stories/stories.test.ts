import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { card, chooseOpener, signInAs, withoutSocket } from '../support/browser.ts';
import { randomBytesOf, twelveFiles, unzip, worldFiles } from '../support/files.ts';
import { makePdf } from '../support/media.ts';
import { eraseEveryone, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';
import { beginStory, type Story, WALKED } from './story.ts';

/**
 * An owner's and a visitor's whole way, at a desk and on a phone, with pictures of each step (`npm run stories`): what a
 * person sees from the first page to the end, one step after the other. `npm run gallery` has the states beside the way.
 */

let site: Site;
let browser: Browser;
let dir: string;
test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  dir = await mkdtemp(join(tmpdir(), 'satchel-stories-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const shown = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).filter({ visible: true }).first().waitFor();
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const button = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .filter({ visible: true })
    .first();

/** More than the 24 MiB of one request. */
const LARGE_BYTES = 26 * 1024 ** 2;

interface HeldUploads {
  /** The server has the first bytes of a large file. */
  readonly begun: Promise<void>;
  go(): Promise<void>;
}

/** Requests after a file's first wait for `go`: the pictures show the large one under way. */
async function holdUploads(page: Page): Promise<HeldUploads> {
  const held: Route[] = [];
  const begun = Promise.withResolvers<void>();
  let isHeld = true;
  await withoutSocket(page.context());
  await page.context().route(/upload\/resumable/, (route) => {
    const isFirst = (route.request().headers()['upload-offset'] ?? '0') === '0';
    if (!isHeld || isFirst) return route.continue();
    held.push(route);
    begun.resolve();
  });
  return {
    begun: begun.promise,
    async go() {
      isHeld = false;
      // The request of a file that was paused is gone by now.
      await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
    },
  };
}

/** A directory on this person's disk. */
async function directoryOf(page: Page, name: string): Promise<{ path: string; names: string[] }> {
  const files = await twelveFiles(page);
  const path = join(dir, name);
  await mkdir(path, { recursive: true });
  for (const [file, bytes] of files) await writeFile(join(path, file), bytes);
  await writeFile(join(path, 'world-save.bin'), randomBytesOf(LARGE_BYTES));
  // Its pages show something.
  await writeFile(join(path, 'handbook.pdf'), makePdf({ widthPt: 420, heightPt: 595, pages: 3 }));
  return { path, names: [...files.keys()] };
}

async function signIn({ page, press, look }: Story): Promise<void> {
  await page.goto(site.url);
  await shown(page, 'How It Works');
  await look('landing');
  await press(page.getByRole('link', { name: 'Sign In' }).first());
  await button(page, 'Continue with Discord').waitFor();
  await look('auth');
  await press(button(page, 'Continue with Discord'));
  await page.getByRole('radio', { name: /Mika/ }).check();
  await press(page.getByRole('button', { name: 'Authorize' }));
  await button(page, 'Sign Out').waitFor();
  await shown(page, 'How It Works');
  await look('signed-in');
}

/** From the empty form to the moment at the end. */
async function makeFolder({ page, press, look, isPhone }: Story, name: string): Promise<string[]> {
  await page.goto(`${site.url}/profile`);
  await shown(page, 'Account Details');
  await look('profile-first');
  await press(page.getByRole('link', { name: /Create/ }).first());
  await shown(page, 'Drop files here or click to upload');
  await look('create');
  const { path, names } = await directoryOf(page, isPhone ? 'Trip by phone' : 'Trip');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(button(page, 'Choose a folder'))]);
  await chooser.setFiles(path);
  await shown(page, '12 files selected');
  await page.getByLabel('Folder name').fill(name);
  await look('create-files');
  await chooseOpener(page, 'discord');
  await look('create-discord');
  await chooseOpener(page, 'plain');
  await look('create-everyone');
  await chooseOpener(page, 'private');
  await page.getByRole('switch', { name: 'Ask for a passphrase' }).check({ force: true });
  await press(page.getByText('More options'));
  await look('create-passphrase-and-more');
  await page.getByRole('switch', { name: 'Ask for a passphrase' }).uncheck({ force: true });
  await press(page.getByRole('link', { name: 'Satchel' }).first());
  await page.getByRole('alertdialog', { name: 'Leave this page?' }).waitFor();
  await look('create-leave');
  await press(button(page, 'Stay'));
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  const uploads = await holdUploads(page);
  await press(button(page, 'Create Folder'));
  await page.waitForURL(/\/f\/[A-Za-z0-9]{16}/);
  await shown(page, /^(Encrypting|Uploading) [1-9]\d?%$/);
  await look('uploading');
  // Without bytes on the server there is nothing to ask for.
  await uploads.begun;
  await press(button(page, 'Pause'));
  await shown(page, /^Paused at [1-9]\d?%$/);
  await press(button(page, 'Clear All'));
  await page.getByRole('alertdialog').waitFor();
  await look('clear-all');
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await look('paused');
  await press(button(page, 'Resume'));
  await uploads.go();
  await page.getByRole('heading', { name: '12 files are in' }).waitFor();
  await look('moment');
  return names;
}

/** What the page fetches of files: bytes by GET, a screenful of stills by POST. */
function watchFetches(page: Page): string[] {
  const fetched: string[] = [];
  page.context().on('request', (request) => {
    const call = `${request.method()} ${new URL(request.url()).pathname}`;
    if (/^(GET \/storage\/v1\/object|POST \/storage\/v1\/still)\//.test(call)) fetched.push(call);
  });
  return fetched;
}

/** Pictures and a film that are not in the directory yet. */
async function morePictures() {
  const world = await worldFiles();
  const pictures = world.filter(({ mimeType }) => mimeType === 'image/webp');
  const film = world.find(({ mimeType }) => mimeType === 'video/webm')!;
  return [...pictures, { ...film, name: 'ferry.webm' }];
}

for (const device of WALKED) {
  test(`an owner makes a folder, hands it on and ends it (${device})`, async () => {
    await eraseEveryone(site);
    const story = await beginStory(browser, device, 'owner');
    onTestFinished(() => story.visitor.close());
    const { page, press, look, isPhone } = story;
    const fetched = watchFetches(page);
    await signIn(story);
    await makeFolder(story, 'Coast in March');
    await press(button(page, 'Copy link'));
    await shown(page, '✓ Copied!');
    await press(button(page, 'Send to Discord'));
    await look('moment-discord');
    await press(button(page, 'Send to Discord'));
    if (isPhone) {
      await press(button(page, 'QR code'));
      await page
        .getByRole('img', { name: /^QR code of the link/ })
        .filter({ visible: true })
        .waitFor();
      await look('moment-code');
      await press(button(page, 'QR code'));
    }
    await press(page.getByRole('button', { name: /12 completed/ }));
    await look('moment-list');
    await press(button(page, `Folder ${isPhone ? 'Trip by phone' : 'Trip'}`));
    // On a phone, the last cards are not in the page until they come near the view.
    const kinds = page.getByRole('group', { name: 'Show' }).getByRole('button');
    for (const [kind, name] of [
      ['Images', 'beach.jpg'],
      ['Videos', 'raid-highlights.webm'],
    ] as const) {
      await press(kinds.filter({ hasText: kind }));
      await card(page, name).locator('img').first().waitFor();
    }
    await press(kinds.first());
    // Texts, sounds and the like come from the server, pictures and films don't.
    const stills = fetched.filter((call) => call.startsWith('POST'));
    expect(stills, 'stills fetched back after the upload').toEqual([]);
    await look('directory');

    await press(button(page, 'Add More Files'));
    await page.getByLabel('Choose files').setInputFiles(await morePictures());
    fetched.length = 0;
    await press(button(page, /^Upload \d files$/));
    await shown(page, /^1\d files are in$/);
    await press(kinds.filter({ hasText: 'Videos' }));
    await card(page, 'ferry.webm').locator('img').first().waitFor();
    expect(fetched, 'fetched back after the upload').toEqual([]);
    await press(kinds.first());
    await look('more-pictures');

    await press(button(page, 'Share'));
    await page.getByRole('dialog', { name: /^Share / }).waitFor();
    await look('share');
    await chooseOpener(page, 'discord');
    await page.getByRole('alertdialog').waitFor();
    await look('share-question');
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await press(button(page, 'Hide Upload'));
    await press(button(page, 'Rename folder'));
    await page.getByRole('textbox', { name: 'Folder name' }).fill('Coast in April');
    await look('rename-folder');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Coast in April' }).waitFor();

    await card(page, 'beach.jpg').hover();
    await press(card(page, 'beach.jpg').locator('label'));
    await page.getByRole('checkbox', { name: 'Select beach.jpg', checked: true }).waitFor({ state: 'attached' });
    await look('selection');
    await press(page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Rename' }));
    await page.getByRole('dialog').waitFor();
    await look('rename-file');
    await page.getByRole('dialog').getByRole('textbox').fill('a/b');
    await press(page.getByRole('dialog').getByRole('button', { name: 'Rename' }));
    await shown(page, 'A name can’t contain a slash or be only dots.');
    await look('rename-error');
    await page.keyboard.press('Escape');
    await press(page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Clear' }));

    await press(page.getByRole('tab', { name: 'Info' }));
    await shown(page, 'Recent Activity');
    await look('info');
    await press(page.getByRole('tab', { name: 'Settings' }));
    await shown(page, 'Danger Zone');
    await page.getByText('Who can open it?').filter({ visible: true }).first().waitFor();
    await look('settings');
    await page.goto(`${site.url}/profile`);
    await shown(page, 'Coast in April');
    await look('profile');
    await press(page.getByRole('link', { name: /Coast in April/ }).first());
    await press(page.getByRole('button', { name: 'Delete', exact: true }).first());
    await page.getByRole('alertdialog').waitFor();
    await look('delete');
    await page.getByRole('alertdialog').getByRole('textbox').fill('DELETE');
    await press(page.getByRole('button', { name: 'Yes, Delete Forever' }));
    await shown(page, 'No folders yet');
    await look('deleted');
    expect(story.faults()).toEqual([]);
  });

  test(`a visitor opens the link, walks through the files and saves all (${device})`, async () => {
    await eraseEveryone(site);
    const story = await beginStory(browser, device, 'visitor');
    const owner = await beginStory(browser, 'desk', 'helper');
    onTestFinished(async () => {
      await story.visitor.close();
      await owner.visitor.close();
    });
    await signInAs(owner.page, site.url, 'ava');
    const { path, names } = await directoryOf(owner.page, `Walk ${device}`);
    await owner.page.goto(`${site.url}/upload`);
    await owner.page.getByLabel('Folder name').fill('Coast in March');
    await owner.page.getByLabel('Choose files').setInputFiles(names.map((name) => join(path, name)));
    await button(owner.page, 'Create Folder').click();
    await owner.page.getByRole('heading', { name: '12 files are in' }).waitFor();
    await button(owner.page, 'Copy link').click();
    const link = await copied(owner.page);

    const { page, press, look, isPhone } = story;
    await page.goto(link);
    const firstCard = page.getByRole('gridcell').first();
    await firstCard.getByText(/^(Cached|API)$/).waitFor({ state: 'attached' });
    // The first file, with its name, is on the first screen.
    const first = await firstCard.boundingBox();
    const foldPx = page.viewportSize()!.height;
    expect((first?.y ?? foldPx) + (first?.height ?? 0), 'end of the first card').toBeLessThanOrEqual(foldPx);
    await page.screenshot({
      path: join(process.env.STORIES_DIR ?? 'test-results/stories', `visitor.fold.${device}.png`),
    });
    await look('folder');
    await press(button(page, 'QR code and more'));
    await page.getByRole('dialog', { name: /^Share / }).waitFor();
    await look('share');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await press(button(page, 'List'));
    await page.getByRole('columnheader').first().waitFor({ state: 'attached' });
    await look('list');
    await press(button(page, 'List'));
    await press(button(page, 'Search files'));
    await page.getByRole('searchbox').fill('co');
    await shown(page, /\d found/);
    await look('search');
    await page.getByRole('searchbox').fill('zebra');
    await shown(page, 'No names match.');
    await look('search-nothing');
    await page.getByRole('searchbox').fill('');
    await page.keyboard.press('Escape');

    await firstCard.getByText(/^(Cached|API)$/).waitFor({ state: 'attached' });
    await press(firstCard.locator('[data-main]'));
    const walked = new Set<string>();
    for (let number = 1; number <= 12; number += 1) {
      const dialog = page.getByRole('dialog').filter({ hasText: `${number} / 12` });
      const name = (await dialog.getByRole('heading').first().textContent()) ?? '';
      walked.add(name);
      await dialog
        .getByText(/Opening|Downloading|Decrypting/)
        .first()
        .waitFor({ state: 'detached' });
      const contents = dialog.locator('img:not([alt=""]), video, audio, canvas, table, section[tabindex], dl');
      await contents.first().waitFor({ state: 'attached' });
      await dialog.getByRole('status').filter({ hasText: 'Loading' }).waitFor({ state: 'detached' });
      await look(`viewer-${name.split('.').at(-1)}`);
      await press(dialog.getByRole('button', { name: 'Next file', exact: true }));
    }
    expect([...walked].sort()).toEqual([...names].sort());
    await press(button(page, 'About this file'));
    await look('viewer-facts');
    await page.keyboard.press('Escape');
    await press(button(page, 'Close'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.evaluate(() => scrollTo(0, 0));
    const [download] = await Promise.all([page.waitForEvent('download'), press(button(page, /^Download all/))]);
    expect(unzip(await readFile(await download.path()))).toHaveLength(12);
    await look('saved');
    await press(page.getByRole('tab', { name: 'Info' }));
    await shown(page, 'Sign up to see detailed analytics');
    await look('info');
    await press(page.getByRole('tab', { name: 'Settings' }));
    await shown(page, 'Authentication Required');
    await look('settings');
    await press(page.getByRole('tab', { name: 'Folder' }));
    if (isPhone) await press(page.locator('aside summary').filter({ visible: true }).first());
    await press(page.getByText('What the server can see').filter({ visible: true }).first());
    await shown(page, 'What it could do');
    await look('server-sight');
    await press(button(page, 'Report'));
    await page.getByRole('dialog', { name: 'Report this folder' }).waitFor();
    await look('report');
    await page.keyboard.press('Escape');

    await signInAs(page, site.url, 'jonas');
    await page.goto('about:blank');
    await page.goto(link);
    await shown(page, 'Viewer');
    await shown(page, 'beach.jpg');
    await look('viewer-role');
    await page.goto(link.replace('#', '?tab=settings#'));
    await shown(page, 'Settings Access Restricted');
    await look('viewer-role-settings');
    await page.goto(link.replace('#', '?tab=info#'));
    await shown(page, 'Folder Statistics');
    await look('viewer-role-info');
    await press(page.getByRole('tab', { name: 'Folder' }));
    // What is deleted goes from the open page, too.
    story.visitor.allow(/status of 404/);
    await owner.press(button(owner.page, 'Delete'));
    await owner.page.getByRole('alertdialog').getByRole('textbox').fill('DELETE');
    await owner.press(owner.page.getByRole('button', { name: 'Yes, Delete Forever' }));
    await page.getByRole('heading', { name: / deleted this folder$/ }).waitFor();
    await look('folder-gone');
    expect([...story.faults(), ...owner.visitor.problems()]).toEqual([]);
  });
}
