import { randomBytes } from 'node:crypto';
import { decodeBase64Url } from '@satchel/container/base64url';
import { type FolderKeys, formatKey, importKeys, newFolderKey } from '@satchel/container/key';
import { openKeyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { freePort } from '../../../apps/server/test/support/free-port.ts';
import { newVisitor, signInAs, type Visitor } from '../browser/browser.ts';
import { visit } from '../browser/folder-page.ts';
import { endOf, eraseEveryone, test as sharedTest } from '../browser/shared.ts';
import { makeFolder, type NewFolder } from '../browser/world.ts';
import { withChosen } from '../files/made-files.ts';
import type { Person } from '../people/client.ts';
import { createFolderAs, type FolderWish, listFiles } from '../people/made-folders.ts';
import { type Site, startSite } from '../site/site.ts';
import { type Lie, type LyingServer, openLyingServer } from './lying-server.ts';
import { type Gain, gainOf, opened, type TestFile } from './lying-server-gain.ts';

/** People of a lying server: their browsers, folders and actions. */

/** Unique text, under a unique name. */
export const newFile = (): TestFile => ({
  name: `Grüße ${randomBytes(6).toString('hex')}.txt`,
  mimeType: 'text/plain',
  buffer: Buffer.from(randomBytes(3072).toString('base64url')),
});

/** The server's record of a private link's key. */
export interface Deposit {
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

/** `asked`: the page shows the question of CONTAINER §6; `refused`: it accepts no files, and says so. */
export type Outcome = 'sent' | 'asked' | 'refused';

export const slugOf = (link: string): string => new URL(link).pathname.split('/').at(-1) ?? '';

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
  await done.or(question(page)).or(notice(page)).first().waitFor({ timeout: 60_000 });
  return (await stopOf(page)) ?? 'sent';
}

/**
 * Adds a file and starts its upload as far as the page allows it, also while a question is open.
 * @param completed files that the queue has completed when this one is
 */
export async function add(page: Page, file: TestFile, completed = 1): Promise<Outcome> {
  // A notice disappears for a moment while the keys are loaded again.
  const isSettled = async () => (await stopOf(page)) === 'refused' || (await chooser(page).count()) > 0;
  const untilMs = Date.now() + 60_000;
  while (!(await isSettled())) {
    if (Date.now() > untilMs) throw new Error('The page shows neither a file chooser nor the reason for its absence');
    await page.waitForTimeout(50);
  }
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
export async function rawKeysOf({
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
  /** The page of another profile, signed in as Mika. All tests of a file share it: their folders are new to it. */
  secondDevice(): Promise<Page>;
  /** From now on the server lies, and accepts every upload. */
  lie(lies: readonly Lie[]): void;
  /** Leaves the earlier test's pages, ends the lies and deletes the recorded requests. */
  calm(): Promise<void>;
  gain(files: readonly TestFile[], owners: readonly FolderKeys[], servers?: readonly FolderKeys[]): Promise<Gain>;
  /** Whether the newest upload is this file, sealed under one of the owner's keys. */
  isSealedByOwner(file: TestFile, owners: readonly FolderKeys[]): Promise<boolean>;
}

/** The folder's facts in the server's present answers, true or not. */
async function factsOf(person: Person, slug: string): Promise<FolderCompleteData> {
  const response = await person.rpc('get_folder_complete_data', { input_folder_slug: slug });
  return (await response.json()) as FolderCompleteData;
}

async function deviceLike(browser: Browser, { context }: Visitor): Promise<Visitor> {
  const device = await newVisitor(browser);
  await device.context.addCookies(await context.cookies());
  return device;
}

async function isLastOf(server: LyingServer, file: TestFile, owners: readonly FolderKeys[]): Promise<boolean> {
  const last = server.uploads().at(-1);
  expect(last, 'nothing was uploaded').toBeDefined();
  const contents = await Promise.all(owners.map((keys) => opened(keys, last!)));
  return contents.some((content) => content?.equals(file.buffer));
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
  let second: Promise<Visitor> | null = null;
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
    async secondDevice() {
      second ??= deviceLike(browser, maker);
      return (await second).page;
    },
    lie(lies) {
      server.takeUploads();
      server.lie(...lies);
    },
    async calm() {
      // An earlier test's page uploads its waiting files as soon as the server tells the truth.
      const pages = [maker.page, (await second)?.page];
      await Promise.all(pages.map((page) => page?.goto(`${site.url}/healthz`)));
      server.tellTheTruth();
      server.forget();
    },
    gain: (files, owners, servers = [made]) => gainOf(server, { files, owners, servers }),
    isSealedByOwner: (file, owners) => isLastOf(server, file, owners),
  };
}

/** The test files of one worker share a site behind a lying server, like the shared honest one. */
export const test = sharedTest
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs
  .extend('lyingSite', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const lyingSite = await startLyingSite();
    onCleanup(async () => {
      await endOf('lying site', lyingSite.site.stop(), lyingSite.site.logs);
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
