import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FolderKeys, importKeys } from '@satchel/container/key';
import { sealingKeyOf } from '@satchel/container/keyring';
import { openContainer } from '@satchel/container/open';
import type { FileEntry } from '@satchel/contract/entities';
import { KIB, MIB } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';
import { deadline } from '@satchel/contract/testing/pace';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openVisitor, takeSession, type Visitor, withoutSocket } from '../support/browser.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import { type Line, startSiteBehindLine } from '../support/line.ts';
import { ask, createFolderAs, type OwnedFolder, type Person, signIn } from '../support/people.ts';
import { inOrder } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/**
 * Each disruption meets three tabs in the midst of their uploads: one sends a large file by the socket, one by tus, one a
 * burst of small files. Afterwards every file is in the folder once, and whole. In order, in a browser of its own. A reload is in
 * tests/journeys/resume.test.ts.
 */

/** More than a window of the socket and a part of tus, so that each has two. */
const LARGE_BYTES = 8 * MIB;
/** What a connection passes of a large file before it stands still. */
const LARGE_HELD_BYTES = 3 * MIB;
/** More than go at a time. Two stand still in the midst, as the large files do; the others are sent beside them. */
const SMALL_COUNT = 12;
const STALLING_BYTES = 600 * KIB;
const SMALL_HELD_BYTES = 300 * KIB;
/** Three tabs on a machine that is busy with other tests. */
const PATIENT_MS = deadline(120);

interface Chosen {
  readonly path: string;
  readonly sha: string;
}
type Stage = 'socket' | 'tus' | 'burst';
const STAGES: readonly Stage[] = ['socket', 'tus', 'burst'];
type Work = Readonly<Record<Stage, readonly Chosen[]>>;

let dir: string;
let line: Line;
let site: Site;
let mika: Person;
let owned: OwnedFolder;
let visitor: Visitor;
let tabs: Record<Stage, Page>;
/** What has to be in the folder. */
const expected: string[] = [];

/** The processes of the browser with that profile, the one that started the others first. */
const browserPids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return command.includes(`--user-data-dir=${join(dir, 'profile')}\0`) && !command.includes('--type=');
      } catch {
        return false;
      }
    })
    .map(Number);

async function openTab(stage: Stage, page: Page): Promise<Page> {
  if (stage === 'tus') await withoutSocket(page);
  await page.goto(owned.link());
  await page.getByRole('gridcell').first().waitFor();
  const chooser = page.getByLabel('Choose files');
  const shut = page.getByRole('button', { name: 'Upload File' });
  // The zone of a folder with unfinished uploads opens by itself.
  await shut.or(chooser.first()).first().waitFor({ state: 'attached' });
  // In one step: between a look and a click, the zone may open by itself.
  await shut.evaluateAll(([button]: HTMLElement[]) => {
    if (!document.querySelector('input[type="file"]')) button?.click();
  });
  await chooser.waitFor({ state: 'attached' });
  return page;
}

async function openBrowser(): Promise<void> {
  visitor = await openVisitor(join(dir, 'profile'), { needsNoHistory: true, width: 640, height: 480 });
  // Here uploads are broken off and continue, on a slow line.
  visitor.context.setDefaultTimeout(deadline(180));
  // The line and the server are cut on purpose.
  visitor.allow(/net::ERR_|Failed to load resource|WebSocket connection/);
  await takeSession(visitor, mika, site.url);
  const socket = await openTab('socket', visitor.page);
  const tus = await openTab('tus', await visitor.context.newPage());
  const burst = await openTab('burst', await visitor.context.newPage());
  tabs = { socket, tus, burst };
}

async function made(name: string, sizeBytes: number): Promise<Chosen> {
  const bytes = randomBytesOf(sizeBytes);
  const path = join(dir, name);
  await writeFile(path, bytes);
  return { path, sha: sha256(bytes) };
}

const nameOf = ({ path }: Chosen) => path.slice(path.lastIndexOf('/') + 1);

async function newWork(round: string): Promise<Work> {
  const sizes = Array.from({ length: SMALL_COUNT }, (_, at) => (3 + (at * 47) / SMALL_COUNT) * KIB);
  sizes.splice(1, 0, STALLING_BYTES, STALLING_BYTES);
  return {
    socket: [await made(`${round}-socket.bin`, LARGE_BYTES)],
    tus: [await made(`${round}-tus.bin`, LARGE_BYTES)],
    burst: await Promise.all(sizes.map((size, at) => made(`${round}-${at}.bin`, Math.round(size)))),
  };
}

async function start(page: Page, files: readonly Chosen[]): Promise<void> {
  await page.getByLabel('Choose files').setInputFiles(files.map(({ path }) => path));
  await page.getByRole('button', { name: /^Upload \d+ files?$/ }).click();
}

const stoodStill = (connections: number) =>
  expect.poll(() => line.heldCount(), { timeout: PATIENT_MS }).toBeGreaterThanOrEqual(connections);

/** All three are under way, and the first small files are there. */
async function begin(round: string): Promise<Work> {
  const work = await newWork(round);
  expected.push(...STAGES.flatMap((stage) => work[stage].map(({ sha }) => sha)));
  line.hold(LARGE_HELD_BYTES);
  await Promise.all([start(tabs.socket, work.socket), start(tabs.tus, work.tus)]);
  await stoodStill(2);
  line.hold(SMALL_HELD_BYTES);
  await start(tabs.burst, work.burst);
  await stoodStill(4);
  await tabs.burst.getByText(/^\d+ completed$/).waitFor();
  return work;
}

const completed = (work: Work) =>
  Promise.all(
    STAGES.map((stage) => tabs[stage].getByText(`${work[stage].length} completed`, { exact: true }).waitFor()),
  );

const clear = () => Promise.all(STAGES.map((stage) => tabs[stage].getByRole('button', { name: 'Clear All' }).click()));

/** All of them: a list has 100 entries unless more are asked for. */
async function listed(): Promise<FileEntry[]> {
  const prefix = owned.folder.bucket_storage_path;
  return (await mika.call('POST', `${PATHS.list}/unlocked-folders`, { prefix, limit: 1000 })).json();
}

/** By stored name: a file never changes. */
const opened = new Map<string, string>();

async function openedSha(name: string, keys: FolderKeys): Promise<string> {
  const path = `${owned.folder.bucket_storage_path}/${name}`;
  const response = await ask(`${site.url}/storage/v1/object/public/unlocked-folders/${path}`);
  expect(response.status).toBe(200);
  const { plaintext } = await openContainer(keys, response.body!);
  const parts: Uint8Array[] = [];
  for await (const unit of plaintext) parts.push(...unit.map((piece) => piece.slice()));
  return sha256(Buffer.concat(parts));
}

/** The files of the folder as its key opens them, by their SHA-256. */
async function openedShas(): Promise<string[]> {
  const keys = await importKeys(sealingKeyOf(owned.ring()!));
  const names = (await listed()).map(({ name }) => name);
  // One after the other: the transfers of one network are limited.
  for (const name of names) if (!opened.has(name)) opened.set(name, await openedSha(name, keys));
  return names.map((name) => opened.get(name) ?? '');
}

/** What of a list is not in the folder; what is there is there once. */
async function missingOf(files: readonly Chosen[]): Promise<Chosen[]> {
  const there = await openedShas();
  expect(new Set(there).size).toBe(there.length);
  return files.filter(({ sha }) => !there.includes(sha));
}

/** After a page was left: chooses again what its folder lacks. */
async function chooseAgain(work: Work): Promise<void> {
  const missing = await missingOf(work.burst);
  await Promise.all([start(tabs.socket, work.socket), start(tabs.tus, work.tus), start(tabs.burst, missing)]);
  await completed({ ...work, burst: missing });
}

describe('in the midst of uploads by socket, by tus, and of many small files', () => {
  inOrder();
  test.beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'satchel-disruptions-'));
    ({ line, site } = await startSiteBehindLine());
    mika = await signIn(site, 'mika');
    // No zone opens by itself in a folder with a file.
    const buffer = randomBytesOf(100);
    const first = { name: 'first.bin', mimeType: 'application/octet-stream', buffer };
    owned = await createFolderAs(mika, site, { name: 'Rough weather', files: [first] });
    expected.push(sha256(buffer));
    await openBrowser();
  });
  afterAll(async () => {
    await visitor?.context.close().catch(() => undefined);
    await site?.stop();
    await line?.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  });
  afterEach(async () => {
    expect((await openedShas()).sort()).toEqual(expected.toSorted());
    const books = async () => (await mika.call('GET', '/rest/v1/profiles/me')).json();
    const stored = (await listed()).map(({ metadata }) => metadata.size);
    const used_bytes = stored.reduce((sum, size) => sum + size, 0);
    await expect.poll(books, { timeout: deadline(120) }).toMatchObject({ used_bytes, reserved_bytes: 0 });
    expect(visitor.problems()).toEqual([]);
  });

  test('a cut line, and then a kill -9 of the server', async () => {
    const work = await begin('server');
    line.cut();
    await stoodStill(2);
    await site.kill9();
    for (const stage of ['socket', 'tus'] as const)
      await tabs[stage]
        .getByText(/Waiting for the server/)
        .first()
        .waitFor();
    await site.restart();
    line.hold(null);
    await completed(work);
    await clear();
  });

  test('a kill -9 of the browser', async () => {
    const work = await begin('browser');
    for (const pid of browserPids()) process.kill(pid, 'SIGKILL');
    line.letGo();
    await openBrowser();
    const unfinished = tabs.burst.getByRole('region', { name: 'Unfinished uploads' });
    for (const large of [...work.socket, ...work.tus]) await unfinished.getByText(nameOf(large)).waitFor();
    await chooseAgain(work);
  });

  test('all of it leaves nothing in the browser, and books that fsck finds in order', async () => {
    await expect.poll(() => tabs.tus.evaluate(leftBehind)).toEqual({ uploads: 0, tagBlocks: 0, slotBytes: 0 });
    expect(await site.fsck()).toMatchObject({ code: 0 });
  });
});

/** What uploads have left in the browser; runs in the page. */
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
