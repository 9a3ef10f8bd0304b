import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeEach, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser/browser.ts';
import { visit } from '../support/browser/folder-page.ts';
import { tabTo } from '../support/browser/keyboard.ts';
import { test } from '../support/browser/shared.ts';
import { callAs, fullLinkOf, makeFolder } from '../support/browser/world.ts';
import { noisePng } from '../support/files/samples.ts';
import { switchLanguage } from '../support/gallery/page-texts.ts';
import { makeGrants } from '../support/people/grants.ts';
import { type Site, startSite } from '../support/site/site.ts';

/** The owner's Settings tab: changed in the page, and checked on the server. */

const NOTE = { name: 'plain-to-see.txt', mimeType: 'text/plain', buffer: Buffer.from('The ferry leaves at nine.') };
const PICTURE = { name: 'boat.png', mimeType: 'image/png', buffer: noisePng(64, 48) };
const HOUR_MS = 3_600_000;
const SAVE = '**/rpc/update_folder_settings';

interface Data {
  readonly folder_name: string | null;
  readonly folder_description: string | null;
  readonly folder_created_at: string;
  readonly folder_expires_at: string;
  readonly hide_names: boolean;
  readonly folder_bucket: string;
  readonly folder_bucket_storage_path: string;
}

let site: Site;
let browser: Browser;
let owner: Visitor;
let page: Page;
let link: string;

test.beforeAll(async ({ chromium }) => {
  site = await startSite();
  browser = chromium;
  owner = await newVisitor(browser);
  page = owner.page;
  await signInAs(page, site.url, 'mika');
  link = await makeFolder(page, site.url, { name: 'Saturday raid', files: [NOTE, PICTURE] });
});
beforeEach(async () => {
  await visit(page, link.replace('#', '?tab=settings#'));
  await page.getByRole('heading', { name: 'Danger Zone' }).waitFor();
});
afterAll(async () => {
  expect(owner.problems()).toEqual([]);
  await site.stop();
});

const slug = () => new URL(link).pathname.split('/').at(-1) ?? '';
const stored = () => callAs(page, 'get_folder_complete_data', { input_folder_slug: slug() }) as Promise<Data>;
const section = (name: string | RegExp) => page.getByRole('region', { name });
const leftMs = async () => Date.parse((await stored()).folder_expires_at) - Date.now();

test('name and description are saved, and show at once', async () => {
  const general = section('General');
  const save = general.getByRole('button', { name: 'Save changes' });
  expect(await save.isDisabled()).toBe(true);
  await general.getByLabel('Name', { exact: true }).fill('Sunday raid');
  await general.getByLabel('Description').fill('Maps and clips.');
  await general.getByText('Unsaved changes').waitFor();
  await save.click();
  await general.getByText('Saved', { exact: true }).waitFor();
  expect(await save.isDisabled()).toBe(true);
  await page.getByRole('heading', { name: 'Sunday raid' }).waitFor();
  await page.getByRole('banner').or(page.locator('main header')).getByText('Maps and clips.').waitFor();
  expect(await stored()).toMatchObject({ folder_name: 'Sunday raid', folder_description: 'Maps and clips.' });
});

test('unsaved values can be discarded', async () => {
  const general = section('General');
  const name = general.getByLabel('Name', { exact: true });
  const before = await name.inputValue();
  await name.fill('Never mind');
  await general.getByRole('button', { name: 'Discard' }).click();
  expect(await name.inputValue()).toBe(before);
  expect((await stored()).folder_name).toBe(before);
});

test('unsaved values are kept while another tab is open', async () => {
  const name = section('General').getByLabel('Name', { exact: true });
  await name.fill('Half a name');
  await page.getByRole('tab', { name: 'Info' }).click();
  await page.getByRole('heading', { name: 'Recent Activity' }).waitFor();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await section('General').getByText('Unsaved changes').waitFor();
  expect(await name.inputValue()).toBe('Half a name');
  await section('General').getByRole('button', { name: 'Discard' }).click();
});

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

test('a refused change shows an error, and keeps the typed values', async () => {
  await page.route(SAVE, (route) => route.abort());
  owner.allow(/update_folder_settings/);
  const general = section('General');
  await general.getByLabel('Name', { exact: true }).fill('Through the storm');
  await general.getByRole('button', { name: 'Save changes' }).click();
  await general.getByText('The changes were not saved.').waitFor();
  expect(await general.getByLabel('Name', { exact: true }).inputValue()).toBe('Through the storm');
  await page.unroute(SAVE);
  await general.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'Through the storm' }).waitFor();
});

test('all of it works by keyboard', async () => {
  await tabTo(page, 'Name');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('By keys alone');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By keys alone' }).waitFor();
  await tabTo(page, 'Hide file names');
  await page.keyboard.press('Space');
  await section('General').getByText('Unsaved changes').waitFor();
  await page.keyboard.press('Space');
  expect(await section('General').getByText('Unsaved changes').count()).toBe(0);
});

test('without hidden names, new files have readable names on the server; earlier ones stay sealed', async () => {
  const general = section('General');
  await general.getByText(/are sealed: our server can’t read them/).waitFor();
  await general.getByRole('switch', { name: 'Hide file names' }).click();
  await general.getByText(/Our server can read the names and types/).waitFor();
  await general.getByRole('button', { name: 'Save changes' }).click();
  await general.getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Upload File' }).click();
  await page.getByLabel('Choose files').setInputFiles([{ ...NOTE, name: 'in-the-open.txt' }]);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await page.getByText('1 completed').waitFor({ timeout: 30_000 });
  const { folder_bucket: bucket, folder_bucket_storage_path: prefix } = await stored();
  const names = await page.evaluate(
    async ([place, path]) => {
      const response = await fetch(`/storage/v1/object/list/${place}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prefix: path }),
      });
      return ((await response.json()) as { name: string }[]).map(({ name }) => name);
    },
    [bucket, prefix] as const,
  );
  expect(names.some((name) => name.startsWith('in-the-open'))).toBe(true);
  expect(names.some((name) => name.startsWith('plain-to-see'))).toBe(false);
});

test('link previews show a plain folder’s name if its owner wants that, and no other name', async () => {
  const choice = section('General').getByRole('switch', { name: 'Show the folder’s name in link previews' });
  expect(await choice.count()).toBe(0);
  const made = await callAs(page, 'create_folder_with_temp_key', { folder_name: 'Open day' });
  const address = `${site.url}/f/${(made as { folder: { slug: string } }).folder.slug}`;
  const cardTitle = async () => {
    const html = await (await fetch(address)).text();
    return /property="og:title" content="([^"]*)"/.exec(html)?.[1];
  };
  expect(await cardTitle()).toBe('Satchel');
  await page.goto(`${address}?tab=settings`);
  expect(await choice.isChecked()).toBe(false);
  await choice.click();
  await section('General').getByRole('button', { name: 'Save changes' }).click();
  await section('General').getByText('Saved', { exact: true }).waitFor();
  expect(await cardTitle()).toBe('Open day');
});

test('a folder can end sooner, and later again within its limit', async () => {
  const lifetime = section('Lifetime');
  const ends = lifetime.getByLabel('Ends');
  const save = lifetime.getByRole('button', { name: 'Save lifetime' });
  expect(await save.isDisabled()).toBe(true);
  await ends.selectOption({ label: 'In 3 hours' });
  await save.click();
  await page
    .getByText(/^This folder now ends on /)
    .first()
    .waitFor();
  expect(await leftMs()).toBeGreaterThan(2.9 * HOUR_MS);
  expect(await leftMs()).toBeLessThanOrEqual(3 * HOUR_MS);
  await page
    .getByText(/^2h 59m \d\ds$/)
    .filter({ visible: true })
    .first()
    .waitFor();

  await ends.selectOption('latest');
  await save.click();
  await expect.poll(leftMs).toBeGreaterThan(23 * HOUR_MS);
  const { folder_created_at: born, folder_expires_at: end } = await stored();
  expect(Date.parse(end) - Date.parse(born)).toBe(24 * HOUR_MS);
});

test('a near end needs a confirmation', async () => {
  const lifetime = section('Lifetime');
  await lifetime.getByLabel('Ends').selectOption({ label: 'In 30 minutes' });
  await lifetime.getByRole('button', { name: 'Save lifetime' }).click();
  const question = page.getByRole('alertdialog', { name: 'End this folder so soon?' });
  await question.getByText(/It would end in (30|29) minutes/).waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await leftMs()).toBeGreaterThan(23 * HOUR_MS);
  await lifetime.getByRole('button', { name: 'Save lifetime' }).click();
  await question.getByRole('button', { name: 'Yes, Shorten' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await leftMs()).toBeLessThanOrEqual(HOUR_MS / 2);
});

test('an end that the server refuses shows an error at its field', async () => {
  const refusal = {
    error: { code: 'folder.lifetime', params: { hours: 24 }, message: 'A folder lives for at most 24 hours' },
  };
  await page.route(SAVE, (route) => route.fulfill({ status: 400, json: refusal }));
  owner.allow(/400/);
  const ends = section('Lifetime').getByLabel('Ends');
  await ends.selectOption('latest');
  await section('Lifetime').getByRole('button', { name: 'Save lifetime' }).click();
  await section('Lifetime').getByText('A folder lives for at most 24 hours', { exact: true }).waitFor();
  expect(await ends.getAttribute('aria-invalid')).toBe('true');
  await page.unroute(SAVE);
});

test('the link can be changed here, too', async () => {
  const settings = section('Link');
  await settings.getByRole('switch', { name: 'Discord link' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Turn On' }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  const discordLink = settings.getByRole('switch', { name: 'Discord link' });
  await expect.poll(() => discordLink.isChecked()).toBe(true);
  expect(await stored()).toMatchObject({ folder_link_mode: 'discord' });
  await discordLink.click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make Private' }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ folder_link_mode: 'private' });
  link = await fullLinkOf(page);
  expect(link).toMatch(/#k=[A-Za-z0-9_-]{43}$/);
});

/** The folder's picture, opened and decrypted. */
async function seePicture(on: Page): Promise<void> {
  const card = on.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: PICTURE.name });
  await card.getByText('Cached').waitFor({ timeout: 30_000 });
  await card.getByRole('button', { name: PICTURE.name }).click();
  const shown = on.getByRole('dialog').getByRole('img', { name: PICTURE.name });
  await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(64);
  await on.keyboard.press('Escape');
  await on.getByRole('dialog').waitFor({ state: 'detached' });
}

test('restricted, the folder opens for its owner, and for people with a grant from Discord', async () => {
  const access = section('Who gets in');
  const save = access.getByRole('button', { name: 'Save access' });
  expect(await save.isDisabled()).toBe(true);
  await access.getByRole('radio', { name: 'Only people let in through Discord' }).check();
  await access.getByText(/^Whoever has the folder open now is shut out/).waitFor();
  await save.click();
  await page.getByText('Only people let in through Discord get in now').first().waitFor();
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
  await late.page.getByRole('heading', { name: 'This invitation is no longer good' }).waitFor();
  expect(late.page.url()).toBe(link);
  await late.page.goto(link.replace(/#.*/, `#grant=${another}`));
  await late.page.getByText(`/f/${slug()}`).first().waitFor();
  expect(late.page.url()).toBe(link.replace(/#.*/, ''));
  expect(late.problems()).toEqual([]);
  await late.close();
});

test('deleting shows the slug, requires a typed word, and leaves nothing', async () => {
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete this folder?' });
  await question.getByText(`/${slug()}`).waitFor();
  const yes = question.getByRole('button', { name: 'Yes, Delete Forever' });
  expect(await yes.isDisabled()).toBe(true);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  await section('Danger Zone').getByRole('button', { name: 'Delete Folder' }).click();
  await question.getByLabel('Type DELETE to confirm').fill('delete');
  await yes.click();
  await page.waitForURL(/\/profile$/);
  owner.allow(/404/);
  await page.goto(link);
  await page.getByRole('heading', { name: 'Folder Not Found' }).waitFor();
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
