import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { card, openVisitor, type Visitor } from '../support/browser.ts';
import { unzip } from '../support/files.ts';
import { createFolderAs, signIn } from '../support/people.ts';
import { refuseStorage } from '../support/refuse-storage.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** A browser that keeps nothing for the site: its person has blocked cookies and site data. */

const NOTE = { name: 'landing-place.txt', mimeType: 'text/plain', buffer: Buffer.from('Behind the third lighthouse.') };
const MAP = { name: 'map.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(300_000, 'reef ') };
const NEWS = { name: 'news.txt', mimeType: 'text/plain', buffer: Buffer.from('The tide has turned.') };

let site: Site;
test.beforeAll(({ place }) => {
  ({ site } = place);
});

/** How the browser refuses: each with an own profile whose cookies are blocked by its setting. */
const WAYS = [
  { way: 'as Chromium does', prepare: undefined },
  { way: 'wherever the page asks', prepare: refuseStorage },
];

async function inShutBrowser(prepare: (() => void) | undefined, act: (visitor: Visitor) => Promise<void>) {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-shut-'));
  await mkdir(join(dir, 'Default'));
  const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
  await writeFile(join(dir, 'Default', 'Preferences'), JSON.stringify(settings));
  const visitor = await openVisitor(dir);
  try {
    if (prepare) await visitor.context.addInitScript(prepare);
    await act(visitor);
  } finally {
    await visitor.close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function saved(page: Page, button: Locator): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return readFile(await download.path());
}

const notice = (page: Page) => page.getByRole('complementary', { name: 'What this browser keeps' });

test.each(WAYS)(
  'a visitor whose browser keeps nothing, $way, opens a private link and saves all of it',
  ({ prepare }) =>
    inShutBrowser(prepare, async ({ page, problems }) => {
      const mika = await signIn(site, 'mika');
      const folder = await createFolderAs(mika, site, { name: 'Lighthouse', files: [NOTE, MAP] });
      await page.goto(folder.link());
      await notice(page).getByText('This browser keeps nothing for this site').waitFor();
      await card(page, NOTE.name).waitFor();
      expect(await saved(page, card(page, MAP.name).getByRole('button', { name: 'Download' }))).toEqual(MAP.buffer);
      const zip = unzip(await saved(page, page.getByRole('button', { name: 'Download all' })));
      expect(zip.map(({ name }) => name).sort()).toEqual([NOTE.name, MAP.name].sort());
      // The page follows the folder, too.
      await folder.add(NEWS);
      await card(page, NEWS.name).waitFor();
      expect(problems()).toEqual([]);
    }),
);

test('every page of the site shows there, and says what needs cookies', () =>
  inShutBrowser(refuseStorage, async ({ page, problems }) => {
    for (const path of ['/', '/auth', '/upload', '/profile', '/privacy', '/docs']) {
      await page.goto(`${site.url}${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await notice(page)
        .getByText(/Signing in, making folders and uploading need cookies/)
        .waitFor();
    }
    expect(problems()).toEqual([]);
  }));
