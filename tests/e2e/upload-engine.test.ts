import { mkdtemp, open, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBase64Url } from '@satchel/container/base64url';
import { type FolderKeys, importKeys } from '@satchel/container/key';
import { openKeyring, sealingKeyOf } from '@satchel/container/keyring';
import { openContainer } from '@satchel/container/open';
import { deadline } from '@satchel/contract/testing/pace';
import type { Browser, Dialog, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { fullLinkOf, newVisitor, signInAs, type Visitor } from '../support/browser.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import type { Line } from '../support/line.ts';
import { ask, listFiles, type Person } from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/**
 * What an upload does when it is cancelled, or filtered on its way, and when its file changes. In order. One that is paused and
 * resumed is in tests/engines/owner.test.ts.
 */

const MB = 1_000_000;
/** Two windows of the socket. */
const LARGE_BYTES = 12 * 1024 ** 2;
/** Where more would show nothing more: more than a small file, which has no log. */
const LEAST_BYTES = 3 * 1024 ** 2;
const CHANGING_BYTES = 7 * 1024 ** 2;
/** What passes of a file before its upload stands still, half-way. */
const HELD_BYTES = 4 * MB;

interface Stored {
  readonly name: string;
  readonly size: number;
}

const row = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Upload' }).getByRole('listitem').filter({ hasText: name });

describe('an upload', () => {
  let dir: string;
  let line: Line;
  let site: Site;
  let browser: Browser;
  let owner: Visitor;
  let mika: Person;
  let folderPath: string;
  let keys: FolderKeys;

  test.beforeAll(async ({ behindLine }) => {
    dir = await mkdtemp(join(tmpdir(), 'satchel-engine-'));
    ({ line, site, browser } = behindLine);
    owner = await newVisitor(browser);
    // This test is about requests that the line or the server cuts off.
    owner.allow(/net::ERR_|Failed to load resource/);
  });
  afterAll(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  /** A new file of its own name: one that the folder has already would not be sent again. */
  async function newFile(name: string, sizeBytes = LARGE_BYTES): Promise<string> {
    const path = join(dir, name);
    await writeFile(path, randomBytesOf(sizeBytes));
    return path;
  }

  const choose = (path: string) => owner.page.getByLabel('Choose files').setInputFiles(path);
  const start = () => owner.page.getByRole('button', { name: 'Upload 1 file' }).click();
  const stoodStill = () => expect.poll(() => line.heldCount()).toBe(1);
  const completed = () => owner.page.getByText('1 completed').waitFor({ timeout: deadline(120) });
  const stored = async (): Promise<Stored[]> => {
    const listed = await listFiles(mika, folderPath);
    return listed
      .filter(({ name }) => name.endsWith('.enc'))
      .map(({ name, metadata }) => ({ name, size: metadata.size }));
  };

  async function reservedBytes(): Promise<number> {
    const profile = await mika.call('GET', '/rest/v1/profiles/me');
    return ((await profile.json()) as { reserved_bytes: number }).reserved_bytes;
  }

  /** Opens the folder by its link. */
  async function keysOfLink(link: string): Promise<FolderKeys> {
    const { pathname, hash } = new URL(link);
    const slug = pathname.split('/')[2];
    const asked = await ask(`${site.url}/rest/v1/rpc/get_folder_complete_data`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: site.url },
      body: JSON.stringify({ input_folder_slug: slug }),
    });
    const folder = (await asked.json()) as { temp_key_api_token: string; folder_bucket_storage_path: string };
    folderPath = folder.folder_bucket_storage_path;
    const response = await ask(`${site.url}/bot/${slug}/${folder.temp_key_api_token}`);
    const { sealed_key, key_share } = (await response.json()) as { sealed_key: string; key_share: string };
    const secrets = { secret: decodeBase64Url(hash.slice('#k='.length)), share: decodeBase64Url(key_share) };
    return importKeys(sealingKeyOf(await openKeyring({ sealedKey: sealed_key, ...secrets })));
  }

  /** Fetches a stored container and opens it with the folder's key. */
  async function openedSha(name: string): Promise<string> {
    const response = await ask(`${site.url}/storage/v1/object/public/unlocked-folders/${folderPath}/${name}`);
    const { plaintext } = await openContainer(keys, response.body!);
    const parts: Uint8Array[] = [];
    for await (const unit of plaintext) parts.push(...unit.map((piece) => piece.slice()));
    return sha256(Buffer.concat(parts));
  }

  const shaOf = async (path: string) => {
    const file = await open(path);
    const bytes = await file.readFile();
    await file.close();
    return sha256(bytes);
  };

  /** The files that the next upload adds to the folder, opened. */
  async function added(upload: () => Promise<void>): Promise<string> {
    const before = new Set((await stored()).map(({ name }) => name));
    line.forget();
    await upload();
    const fresh = (await stored()).filter(({ name }) => !before.has(name));
    expect(fresh).toHaveLength(1);
    return openedSha(fresh[0]!.name);
  }

  /** Leaves after a yes to the browser's question, and returns to the folder. */
  async function leaveAndComeBack(whileAway: () => Promise<void> = async () => undefined): Promise<void> {
    const { page } = owner;
    const address = page.url();
    const answer = (dialog: Dialog) => void dialog.accept();
    page.on('dialog', answer);
    await page.goto('about:blank');
    await whileAway();
    await page.goto(address);
    page.off('dialog', answer);
    await page.getByRole('button', { name: /Upload File|Hide Upload/ }).waitFor();
    const shut = page.getByRole('button', { name: 'Upload File' });
    if ((await shut.count()) > 0) await shut.click();
  }

  const clear = () => owner.page.getByRole('button', { name: 'Clear All' }).click();

  test('needs a folder and a signed-in person', async () => {
    const { page } = owner;
    mika = await signInAs(page, site.url, 'mika');
    await page.goto(`${site.url}/upload`);
    await page.getByRole('textbox', { name: /name/i }).fill('Long way');
    await page.getByRole('button', { name: 'Create folder' }).click();
    await page.waitForURL(/\/f\/[A-Za-z0-9]{16}/);
    await page.getByText('Drop files here or click to upload').waitFor();
    keys = await keysOfLink(await fullLinkOf(page));
  });

  test('starts again when the file has other content under the same name, size and time', async () => {
    const changing = await newFile('changing.bin', CHANGING_BYTES);
    const original = await shaOf(changing);
    // A whole second: fractions would not be restored exactly.
    await utimes(changing, 1_700_000_000, 1_700_000_000);
    const sha = await added(async () => {
      line.hold(HELD_BYTES);
      await choose(changing);
      await start();
      await stoodStill();
      await leaveAndComeBack(() => changeUnseen(changing, 2 * MB));
      line.letGo();
      line.forget();
      await choose(changing);
      await start();
      await completed();
    });
    expect(sha).toBe(await shaOf(changing));
    expect(sha).not.toBe(original);
    expect(line.sentBytes()).toBeGreaterThan(CHANGING_BYTES);
    await clear();
  });

  test('that is cancelled leaves nothing, here or on the server', async () => {
    const large = await newFile('cancelled.bin');
    const before = await stored();
    line.hold(HELD_BYTES);
    await choose(large);
    await start();
    await stoodStill();
    // The page asks only once it knows that something is there.
    await row(owner.page, 'cancelled.bin')
      .getByText(/Uploading \d+%/)
      .waitFor();
    await row(owner.page, 'cancelled.bin').getByRole('button', { name: 'Cancel' }).click();
    await owner.page.getByRole('alertdialog').getByRole('button', { name: 'Yes, Cancel' }).click();
    line.hold(null);
    await expect.poll(reservedBytes).toBe(0);
    expect(await owner.page.evaluate(leftBehind)).toEqual({ uploads: 0, tagBlocks: 0, slotBytes: 0 });
    expect(await stored()).toEqual(before);
  });

  test('goes by the socket where the network lets it', async () => {
    const large = await newFile('by-socket.bin', LEAST_BYTES);
    const patches = () => site.logs().split('"method":"PATCH","status":204').length;
    const before = patches();
    const sha = await added(async () => {
      await choose(large);
      await start();
      await completed();
    });
    expect(sha).toBe(await shaOf(large));
    expect(patches()).toBe(before);
    await clear();
  });

  test.each([
    ['refuses WebSockets', 'refuse', 'refused.bin', LEAST_BYTES],
    ['breaks each WebSocket after a while', { breakAfterBytes: 2 * MB }, 'broken.bin', LARGE_BYTES],
  ] as const)('goes by requests where a filter %s, and asks nothing', async (_filter, treatment, name, sizeBytes) => {
    const large = await newFile(name, sizeBytes);
    // What the page has learned of the network goes with it.
    await leaveAndComeBack();
    const answered = (route: string) => site.logs().split(route).length - 1;
    const before = answered('"method":"PATCH","status":204');
    line.treatSockets(treatment);
    const sha = await added(async () => {
      await choose(large);
      await start();
      await completed();
    });
    line.treatSockets('pass');
    expect(sha).toBe(await shaOf(large));
    expect(answered('"method":"PATCH","status":204')).toBeGreaterThan(before);
    await clear();
  });

  test('leaves no log and no error', async () => {
    expect(await owner.page.evaluate(leftBehind)).toEqual({ uploads: 0, tagBlocks: 0, slotBytes: 0 });
    expect(owner.problems()).toEqual([]);
  });
});

/** Replaces bytes at `place`, and keeps the file's times. */
async function changeUnseen(path: string, place: number): Promise<void> {
  const { atime, mtime } = await stat(path);
  const file = await open(path, 'r+');
  await file.write(Buffer.from('CHANGED'), 0, 7, place);
  await file.close();
  await utimes(path, atime, mtime);
}

/** Runs in the page. */
async function leftBehind(): Promise<{ uploads: number; tagBlocks: number; slotBytes: number }> {
  const opened = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await opened(indexedDB.open('satchel-uploads'));
  const store = database.transaction(['uploads', 'tags']);
  const uploads = await opened(store.objectStore('uploads').count());
  const tagBlocks = await opened(store.objectStore('tags').count());
  database.close();
  const root = await navigator.storage.getDirectory();
  const directory = await root.getDirectoryHandle('upload-slots', { create: true });
  let slotBytes = 0;
  for await (const handle of (directory as unknown as { values(): AsyncIterable<FileSystemFileHandle> }).values())
    slotBytes += (await handle.getFile()).size;
  return { uploads, tagBlocks, slotBytes };
}
