import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { tabTo } from '../support/assistive.ts';
import { newVisitor, signInAs, type Visitor, visit } from '../support/browser.ts';
import { noisePng } from '../support/files.ts';
import { switchLanguage } from '../support/gallery/page-texts.ts';
import { createFolderAs, listFiles, type OwnedFolder, type Person } from '../support/people.ts';
import { inOrder, test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Grants of restricted folders, as created by a click in Discord. */

/** Writes grants into the database: no page or call creates them. */
async function makeGrants(site: Site, slug: string, count: number): Promise<string[]> {
  const grants = Array.from({ length: count }, () => randomBytes(32).toString('base64url'));
  const client = new pg.Client({ connectionString: site.databaseUrl });
  await client.connect();
  for (const grant of grants) {
    await client.query(
      `insert into folder_grants (token_hash, folder_id, expires_at)
       select $1, id, now() + interval '5 minutes' from folders where slug = $2`,
      [createHash('sha256').update(grant).digest('hex'), slug],
    );
  }
  await client.end();
  return grants;
}

/**
 * What of the owner's Settings tab needs a real layout, keys, another person or the server. One story on one page, in order.
 * What the tab says, asks and sends is held in apps/web/src/pages/folder/settings.test.tsx.
 */

const NOTE = { name: 'plain-to-see.txt', mimeType: 'text/plain', buffer: Buffer.from('The ferry leaves at nine.') };
const PICTURE = { name: 'boat.png', mimeType: 'image/png', buffer: noisePng(64, 48) };

let site: Site;
let browser: Browser;
let owner: Visitor;
let page: Page;
let mika: Person;
let folder: OwnedFolder;
let link: string;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  owner = await newVisitor(browser);
  page = owner.page;
  mika = await signInAs(page, site.url, 'mika');
  folder = await createFolderAs(mika, site, { name: 'Saturday raid', files: [NOTE, PICTURE] });
  link = folder.link();
  await openSettings();
});
inOrder();
afterAll(async () => {
  expect(owner.problems()).toEqual([]);
});

async function openSettings(): Promise<void> {
  await visit(page, link.replace('#', '?tab=settings#'));
  await page.getByRole('heading', { name: 'Danger Zone' }).waitFor();
}

const slug = () => new URL(link).pathname.split('/').at(-1) ?? '';
const section = (name: string | RegExp) => page.getByRole('region', { name });

test('the end of the folder is read in full on a phone', async () => {
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 900 });
  const select = section(/^(Lifetime|Lebensdauer)$/).getByRole('combobox');
  for (const language of ['de', 'en'] as const) {
    await switchLanguage(page, language);
    await select.waitFor();
    expect(await select.evaluate(spareWidthPx)).toBeGreaterThanOrEqual(0);
  }
  await page.setViewportSize(size);
});

test('all of it works by keyboard', async () => {
  await openSettings();
  await tabTo(page, 'Name');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('By keys alone');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By keys alone' }).waitFor();
  await tabTo(page, 'Hide file names');
  await page.keyboard.press('Space');
  await page.getByText('Unsaved changes').waitFor();
  await page.keyboard.press('Space');
  expect(await page.getByText('Unsaved changes').count()).toBe(0);
});

test('without hidden names, new files have readable names on the server; earlier ones stay sealed', async () => {
  const general = section('General');
  await general.getByText(/are sealed: our server can’t read them/).waitFor();
  await general.getByRole('switch', { name: 'Hide file names' }).click();
  await general.getByText(/Our server can read the names and types/).waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Upload File' }).click();
  await page.getByLabel('Choose files').setInputFiles([{ ...NOTE, name: 'in-the-open.txt' }]);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await page.getByText('1 completed').waitFor();
  const names = (await listFiles(mika, folder.folder.bucket_storage_path)).map(({ name }) => name);
  expect(names.some((name) => name.startsWith('in-the-open'))).toBe(true);
  expect(names).toHaveLength(3);
  expect(names.some((name) => name.startsWith('plain-to-see'))).toBe(false);
});

/** The folder's picture, opened and decrypted. */
async function seePicture(on: Page): Promise<void> {
  const card = on.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: PICTURE.name });
  await card.getByText('Cached').waitFor();
  await card.getByRole('button', { name: PICTURE.name }).click();
  const shown = on.getByRole('dialog').getByRole('img', { name: PICTURE.name });
  await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(64);
  await on.keyboard.press('Escape');
  await on.getByRole('dialog').waitFor({ state: 'detached' });
}

test('restricted, the folder opens for its owner, and for people with a grant from Discord', async () => {
  await openSettings();
  const access = section('More protection');
  const save = page.getByRole('button', { name: 'Save changes' });
  expect(await save.isDisabled()).toBe(true);
  await access.getByText('Only people invited in Discord', { exact: true }).click();
  expect(await access.getByRole('switch', { name: 'Only people invited in Discord' }).isChecked()).toBe(true);
  await access.getByText(/^People who have the folder open now are shut out/).waitFor();
  await save.click();
  await page.getByText('Only people invited in Discord get in now').first().waitFor();
  await page.getByText('Invited only').filter({ visible: true }).first().waitFor();
  await page.goto('about:blank');
  // There is no click in Discord here: write the grants into the database while the server is down.
  const [grant = '', another = ''] = await makeGrants(site, slug(), 2);
  await page.goto(link);
  await seePicture(page);

  const stranger = await newVisitor(browser);
  stranger.allow(/404/);
  const asked: string[] = [];
  stranger.page.on('request', (request) => asked.push(request.url()));
  await stranger.page.goto(link);
  await stranger.page.getByRole('heading', { name: 'Folder Not Found' }).waitFor();
  await stranger.page.goto(`${link}&grant=${grant}`);
  await seePicture(stranger.page);
  expect(stranger.page.url()).toBe(link);
  await stranger.page.reload();
  await seePicture(stranger.page);
  expect(asked.filter((url) => url.replace(/#.*/, '').includes(grant))).toEqual([]);
  expect(stranger.problems()).toEqual([]);
  await stranger.close();

  const late = await newVisitor(browser);
  late.allow(/404/);
  await late.page.goto(`${link}&grant=${grant}`);
  await late.page.getByRole('heading', { name: 'This invitation is no longer valid' }).waitFor();
  expect(late.page.url()).toBe(link);
  await late.page.goto(link.replace(/#.*/, `#grant=${another}`));
  await late.page.getByText(`/f/${slug()}`).first().waitFor();
  expect(late.page.url()).toBe(link.replace(/#.*/, ''));
  expect(late.problems()).toEqual([]);
  await late.close();
});

/** Free width of a select beside its longest text, without its arrow. */
function spareWidthPx(element: Element): number {
  const select = element as HTMLSelectElement;
  const style = getComputedStyle(select);
  const pen = document.createElement('canvas').getContext('2d')!;
  pen.font = style.font;
  const widest = Math.max(...[...select.options].map(({ text }) => pen.measureText(text).width));
  const arrowPx = 20;
  return (
    select.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight) - arrowPx - widest
  );
}
