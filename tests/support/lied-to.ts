import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { decodeBase64Url } from '@satchel/container/base64url';
import { type FolderKeys, formatKey, importKeys, newFolderKey } from '@satchel/container/key';
import { openKeyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { deadline, until } from '@satchel/contract/testing/pace';
import type { Browser, Download, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import {
  BARE_PATH,
  makeFolder,
  type NewFolder,
  newVisitor,
  signInAs,
  type Visitor,
  visit,
  withChosen,
} from './browser.ts';
import { noisePng, sha256, type TestFile, unzip, type ZipMember } from './files.ts';
import { type Gain, gainOf, type Lie, type LyingServer, openLyingServer } from './lying-server.ts';
import { createFolderAs, type FolderWish, listFiles, type Person } from './people.ts';
import { eraseEveryone, test as sharedTest } from './shared.ts';
import { type Site, startSite } from './site.ts';

/** People of a lying server: their browsers, folders and actions. */

/** Unique text, under a unique name. */
export const newFile = (): TestFile => ({
  name: `Grüße ${randomBytes(6).toString('hex')}.txt`,
  mimeType: 'text/plain',
  buffer: Buffer.from(randomBytes(3072).toString('base64url')),
});

/** The server's record of a private link's key. */
interface Deposit {
  readonly sealed_key: string;
  readonly key_share: string;
}

export interface Made {
  /** The full link. */
  readonly link: string;
  readonly slug: string;
  readonly data: FolderCompleteData;
  readonly deposit: Deposit;
}

/** `asked`: the page shows the question of docs/container.md §6; `refused`: it accepts no files, and says so. */
type Outcome = 'sent' | 'asked' | 'refused';

const slugOf = (link: string): string => new URL(link).pathname.split('/').at(-1) ?? '';

/** Opens a folder with its upload zone, as a new visit. */
export async function visitZone(page: Page, link: string): Promise<void> {
  await visit(page, link.replace(/(#|$)/, '?upload=true$1'));
}

export const question = (page: Page) => page.getByLabel('Question before uploading');
export const chooser = (page: Page) => page.getByLabel('Choose files');
export const startButton = (page: Page) => page.getByRole('button', { name: /^Upload \d+ files?$/ });
const notice = (page: Page) =>
  page.getByText(/takes no further uploads|Open the (full|new) link on this device|So nothing is uploaded/);

async function stopOf(page: Page): Promise<Outcome | null> {
  if ((await question(page).count()) > 0) return 'asked';
  return (await notice(page).count()) > 0 ? 'refused' : null;
}

/** The outcome of an upload that continues on its own. */
export async function outcomeOf(page: Page, completed = 1): Promise<Outcome> {
  const done = page.getByText(`${completed} completed`);
  await done.or(question(page)).or(notice(page)).first().waitFor();
  return (await stopOf(page)) ?? 'sent';
}

/**
 * Adds a file and starts its upload as far as the page allows it, also while a question is open.
 * @param completed files that the queue has completed when this one is
 */
export async function add(page: Page, file: TestFile, completed = 1): Promise<Outcome> {
  // A notice disappears for a moment while the keys are loaded again.
  const isSettled = async () => (await stopOf(page)) === 'refused' || (await chooser(page).count()) > 0;
  await until(isSettled, () => 'the page shows neither a file chooser nor the reason for its absence');
  if ((await stopOf(page)) === 'refused' || (await chooser(page).count()) === 0) return 'refused';
  let outcome: Outcome = 'refused';
  await withChosen(chooser(page), [file], async () => {
    await startButton(page).or(notice(page)).first().waitFor();
    const isOffered = (await startButton(page).count()) > 0;
    const isReady = isOffered && (await startButton(page).getAttribute('aria-disabled')) !== 'true';
    if (isReady) await startButton(page).click();
    outcome = await outcomeOf(page, completed);
  });
  return outcome;
}

/** Waits for an answer, and until the page has reacted to it. */
export async function heard(page: Page, path: RegExp): Promise<void> {
  const response = await page.waitForResponse(path);
  await response.finished();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** The folder keys that a private link without a passphrase gives, oldest first; 64 bytes each. */
async function rawKeysOf({
  link,
  deposit,
}: Pick<Made, 'link' | 'deposit'>): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const secret = decodeBase64Url(link.split('#k=')[1] ?? '');
  const share = decodeBase64Url(deposit.key_share);
  return (await openKeyring({ sealedKey: deposit.sealed_key, share, secret })).keys;
}

export const keysOf = async (made: Pick<Made, 'link' | 'deposit'>): Promise<FolderKeys[]> =>
  Promise.all((await rawKeysOf(made)).map(importKeys));

export interface LiedTo {
  readonly server: LyingServer;
  readonly site: Site;
  readonly browser: Browser;
  /** Mika's first browser, which makes every folder. */
  readonly maker: Visitor;
  /** A folder key that the server made up, in hex; it has no other. */
  readonly serversKey: string;
  /** Makes a folder on the maker's page, which stays on it. */
  makeByPage(folder?: Partial<NewFolder>): Promise<Made>;
  /** Makes a folder without a page: no device knows of it. */
  make(folder?: Partial<FolderWish>): Promise<Made>;
  /** The folder's files in the server's present list. */
  list(made: Pick<Made, 'data'>): Promise<FileEntry[]>;
  /** The server's record of the newest link. */
  deposit(): Deposit;
  /** From now on the server lies, and accepts every upload. */
  lie(lies: readonly Lie[]): void;
  /** Leaves the earlier test's page, ends the lies and deletes the recorded requests. */
  calm(): Promise<void>;
  gain(files: readonly TestFile[], owners: readonly FolderKeys[], servers?: readonly FolderKeys[]): Promise<Gain>;
}

/** The folder's facts in the server's present answers, true or not. */
async function factsOf(person: Person, slug: string): Promise<FolderCompleteData> {
  const response = await person.rpc('get_folder_complete_data', { input_folder_slug: slug });
  return (await response.json()) as FolderCompleteData;
}

interface LyingSite {
  readonly server: LyingServer;
  readonly site: Site;
}

/** Starts a site behind a lying server. */
async function startLyingSite(): Promise<LyingSite> {
  const port = await freePort();
  const server = await openLyingServer(port);
  return { server, site: await startSite({ port, publicUrl: server.url }) };
}

/** Signs Mika in. */
async function lieTo({ server, site }: LyingSite, browser: Browser): Promise<LiedTo> {
  const maker = await newVisitor(browser);
  const person = await signInAs(maker.page, site.url, 'mika');
  const key = newFolderKey();
  const made = await importKeys(key);
  const deposit = (): Deposit => {
    const calls = server.received().filter(({ url, body }) => url.includes('/rpc/') && body.includes('"sealed_key"'));
    return JSON.parse(calls.at(-1)?.body.toString() ?? '{}') as Deposit;
  };
  return {
    server,
    site,
    browser,
    maker,
    serversKey: formatKey(key),
    async makeByPage(folder = {}) {
      const link = await makeFolder(maker.page, site.url, { name: 'Under watch', ...folder });
      const slug = slugOf(link);
      return { link, slug, data: await factsOf(person, slug), deposit: deposit() };
    },
    async make(folder = {}) {
      const made = await createFolderAs(person, site, { name: 'Under watch', ...folder });
      const { slug } = made.folder;
      return { link: made.link(), slug, data: await factsOf(person, slug), deposit: deposit() };
    },
    deposit,
    list: ({ data }) => listFiles(person, data.folder_bucket_storage_path),
    lie(lies) {
      server.takeUploads();
      server.lie(...lies);
    },
    async calm() {
      // An earlier test's page uploads its waiting files as soon as the server tells the truth.
      await maker.page.goto(`${site.url}${BARE_PATH}`);
      server.tellTheTruth();
      server.forget();
    },
    gain: (files, owners, servers = [made]) => gainOf(server, { files, owners, servers }),
  };
}

/** The test files of one worker share a site behind a lying server, like the shared honest one. */
export const test = sharedTest
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs
  .extend('lyingSite', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const lyingSite = await startLyingSite();
    onCleanup(async () => {
      await lyingSite.site.stop();
      await lyingSite.server.close();
    });
    return lyingSite;
  })
  .extend('liedTo', { scope: 'file' }, async ({ lyingSite, chromium }) => {
    const { server, site } = lyingSite;
    server.tellTheTruth();
    await eraseEveryone(site);
    server.forget();
    return lieTo(lyingSite, chromium);
  });

/** Generated files of several kinds, identified by name, and found again in a server's list. */

export const textOf = (name: string, words: string): TestFile => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(`${words}\n`.repeat(40)),
});

export const pictureOf = (name: string, width: number): TestFile => ({
  name,
  mimeType: 'image/png',
  buffer: noisePng(width, 72),
});

/** Files of one queue are stored in any order; each has a unique size to identify it. */
export function entriesBySize<Name extends string>(
  list: readonly FileEntry[],
  contents: Readonly<Record<Name, TestFile>>,
): Record<Name, FileEntry> {
  const stored = [...list].sort((a, b) => a.metadata.size - b.metadata.size);
  const names = (Object.keys(contents) as Name[]).sort((a, b) => contents[a].buffer.length - contents[b].buffer.length);
  return Object.fromEntries(names.map((name, at) => [name, stored[at]])) as Record<Name, FileEntry>;
}

/** Tries all ways to a file on a folder's page. */

/** `wrong`: it gave other bytes than this file's. */
type Way = 'card' | 'viewer' | 'download' | 'wrong download';

/** A file's card by the id of its entry, with any name. */
export const cardOf = (page: Page, id: string): Locator =>
  page
    .getByRole('grid', { name: 'Files' })
    .getByRole('gridcell')
    .filter({ has: page.locator(`[data-file="${id}"]`) });

const failureOn = (place: Locator) => place.getByText(/corrupted|HMAC|Not from this folder|failed/i).first();

/** What the viewer shows until a file is open. */
const waitingIn = (dialog: Locator) =>
  dialog.getByRole('progressbar').or(dialog.getByRole('status').filter({ hasText: 'Loading' }));

/** Read in one step: an element that is there when it is counted may be gone when it is asked. */
const isEnabled = (target: Locator): Promise<boolean> =>
  target.evaluateAll((found) => found.some((one) => !one.matches(':disabled, [aria-disabled="true"]')));

/** Clicks, unless the target is gone or unclickable or becomes so: the code behind it may reject the file late. */
async function clickIfEnabled(target: Locator): Promise<boolean> {
  let isClicked = false;
  const isOver = async () => {
    if (!(await isEnabled(target))) return true;
    isClicked = await target.click({ timeout: deadline(2) }).then(
      () => true,
      () => false,
    );
    return isClicked;
  };
  await until(isOver, () => `${target} can neither be clicked nor does it say that it can't`);
  return isClicked;
}

/** Clicks a clickable card, and checks the result. */
async function view(page: Page, id: string, downloads: readonly Download[]): Promise<Way[]> {
  const main = cardOf(page, id).locator(`[data-file="${id}"]`);
  const dialog = page.getByRole('dialog');
  await main.waitFor({ state: 'attached' });
  if (!(await clickIfEnabled(main))) return [];
  const isShown = async () => (await dialog.count()) > 0 && (await waitingIn(dialog).count()) === 0;
  const isOver = async () =>
    downloads.length > 0 || (await failureOn(cardOf(page, id)).count()) > 0 || (await isShown());
  await expect.poll(isOver).toBe(true);
  if ((await dialog.count()) === 0) return [];
  const hasFailed = (await failureOn(dialog).count()) > 0;
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return hasFailed ? [] : ['viewer'];
}

async function save(page: Page, id: string, downloads: readonly Download[]): Promise<void> {
  const button = cardOf(page, id).getByRole('button', { name: 'Download' });
  const before = downloads.length;
  if (!(await clickIfEnabled(button))) return;
  const isOver = async () => downloads.length > before || (await failureOn(cardOf(page, id)).count()) > 0;
  await expect.poll(isOver).toBe(true);
}

const bytesOf = async (download: Download): Promise<Buffer | null> =>
  (await download.failure()) === null ? readFile(await download.path()) : null;

/**
 * Tries a card, the viewer, and Download.
 * @param file whose bytes they should give; null where they should give none
 * @returns the ways that gave bytes
 */
export async function reachOf(page: Page, id: string, file: TestFile | null): Promise<Way[]> {
  const card = cardOf(page, id);
  await card.scrollIntoViewIfNeeded();
  const opensUnasked = file !== null && file.buffer.length <= AUTO_OPEN_BYTES;
  if (opensUnasked)
    await card
      .getByText(/^(Cached|No Key)$/)
      .or(failureOn(card))
      .first()
      .waitFor();
  const onCard = (await card.locator('img').or(card.getByText('Cached')).count()) > 0;
  const downloads: Download[] = [];
  const onDownload = (download: Download) => downloads.push(download);
  page.on('download', onDownload);
  const viewed = await view(page, id, downloads);
  await save(page, id, downloads);
  page.off('download', onDownload);
  const saved = (await Promise.all(downloads.map(bytesOf))).filter((bytes) => bytes !== null);
  const isWrong = saved.some((bytes) => file !== null && !file.buffer.equals(bytes));
  const ways: Way[] = [...(onCard ? (['card'] as const) : []), ...viewed];
  if (saved.length > 0) ways.push(isWrong ? 'wrong download' : 'download');
  return ways;
}

/** The files of "Download all"; empty if it is unavailable or fails. */
export async function packedOn(page: Page): Promise<readonly ZipMember[]> {
  const button = page.getByRole('button', { name: 'Download all' });
  if (!(await isEnabled(button))) return [];
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const bytes = await bytesOf(download);
  return bytes === null ? [] : unzip(bytes);
}

/** Names of members that are not these files under their own names. */
export function strangersAmong(members: readonly ZipMember[], files: readonly TestFile[]): string[] {
  const known = new Map(files.map(({ name, buffer }) => [name, sha256(buffer)]));
  return members.filter(({ name, bytes }) => known.get(name) !== sha256(bytes)).map(({ name }) => name);
}
