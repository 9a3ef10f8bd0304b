import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importKeys } from '@satchel/container/key';
import { sealingKeyOf } from '@satchel/container/keyring';
import { openContainer } from '@satchel/container/open';
import { PATHS } from '@satchel/contract/paths';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser/browser.ts';
import { test } from '../support/browser/shared.ts';
import { randomBytesOf, sha256 } from '../support/files/samples.ts';
import type { Person } from '../support/people/client.ts';
import { createFolderAs, listFiles, type OwnedFolder } from '../support/people/made-folders.ts';
import { createS3Sites, type S3Site } from '../support/site/s3-site.ts';

/** BLOBS_DIRECT in a real browser, with a real S3 gateway: what is uploaded. `npm run test:direct`. */

const MIB = 1024 ** 2;
/** Eight parts: far more than are on their way at once. */
const FILE_BYTES = 46 * MIB;
const PATIENT_MS = 120_000;
const sites = process.env.S3_TESTS === 'whole' ? await createS3Sites() : null;

describe.skipIf(!sites)('uploads with BLOBS_DIRECT (npm run test:direct, where there is a gateway)', () => {
  let site: S3Site;
  let browser: Browser;
  let dir: string;
  let owner: Visitor;
  let page: Page;
  let mika: Person;
  let folder: OwnedFolder;

  test.beforeAll(async ({ chromium }) => {
    browser = chromium;
    dir = await mkdtemp(join(tmpdir(), 'satchel-direct-'));
    site = await sites!.start({ env: { BLOBS_DIRECT: 'on' } });
    owner = await newVisitor(browser);
    owner.allow(/net::ERR_|Failed to load resource|CORS/);
    ({ page } = owner);
    mika = await signInAs(page, site.url, 'mika');
  });
  afterEach(() => expect(owner.problems()).toEqual([]));
  afterAll(async () => {
    await site?.stop();
    await sites?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  async function receivedBytes(): Promise<number> {
    const figures = await (await fetch(`${site.url}/metrics`)).text();
    return Number(/^satchel_network_received_bytes_total (\S+)$/m.exec(figures)?.[1]);
  }

  async function choose(path: string): Promise<void> {
    await page.getByLabel('Choose files').setInputFiles(path);
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
  }

  /** Begins to upload a new file into a new folder. */
  async function begin(name: string): Promise<{ path: string; sha: string }> {
    const bytes = randomBytesOf(FILE_BYTES);
    const path = join(dir, name);
    await writeFile(path, bytes);
    folder = await createFolderAs(mika, site, { name });
    await page.goto(folder.link().replace('#', '?upload=true#'));
    await choose(path);
    return { path, sha: sha256(bytes) };
  }

  const completed = () => page.getByText('1 completed').waitFor({ timeout: PATIENT_MS });
  const offset = async (): Promise<number> => {
    const [open] = (await (await mika.call('GET', `${PATHS.uploads}?owner=me`)).json()) as { offset_bytes: number }[];
    return open?.offset_bytes ?? 0;
  };
  const isUnderWay = () => expect.poll(offset, { timeout: PATIENT_MS, interval: 20 }).toBeGreaterThan(0);

  /** The one file of the folder, as its key opens it. */
  async function openedSha(): Promise<string> {
    const prefix = folder.folder.bucket_storage_path;
    const [file, ...more] = await listFiles(mika, prefix);
    expect(more).toEqual([]);
    const response = await fetch(`${site.url}/storage/v1/object/public/unlocked-folders/${prefix}/${file!.name}`);
    const { plaintext } = await openContainer(await importKeys(sealingKeyOf(folder.ring()!)), response.body!);
    const pieces: Uint8Array[] = [];
    for await (const unit of plaintext) pieces.push(...unit.map((piece) => piece.slice()));
    return sha256(Buffer.concat(pieces));
  }

  test('a large file is stored without a byte of it through the server', async () => {
    const before = await receivedBytes();
    const { sha } = await begin('straight.bin');
    await completed();
    expect((await receivedBytes()) - before).toBeLessThan(MIB);
    expect(await openedSha()).toBe(sha);
  });

  test('a part that fails, an answer that is lost, and a pause cost nothing', async () => {
    const before = await receivedBytes();
    site.line.arm('error', 'PUT', 2);
    const { sha } = await begin('faults.bin');
    await isUnderWay();
    const row = page.getByRole('listitem').filter({ hasText: 'faults.bin' });
    await row.getByRole('button', { name: 'Pause' }).click();
    site.line.arm('lost answer', 'PUT', 1);
    await row.getByRole('button', { name: 'Resume' }).click();
    await completed();
    expect((await receivedBytes()) - before).toBeLessThan(MIB);
    expect(await openedSha()).toBe(sha);
  });

  test('after a kill -9 of server and page it goes on at its last acknowledged part', async () => {
    const { path, sha } = await begin('killed.bin');
    await isUnderWay();
    // What is still to come stays on its way.
    site.line.arm('silence', 'PUT', 100);
    await site.kill9();
    await page.close({ runBeforeUnload: false });
    site.line.disarm();
    await site.restart();
    const kept = await offset();
    expect(kept).toBeGreaterThan(0);
    page = await owner.context.newPage();
    await page.goto(folder.link().replace('#', '?upload=true#'));
    const before = await receivedBytes();
    await choose(path);
    await completed();
    expect((await receivedBytes()) - before).toBeLessThan(MIB);
    expect(await openedSha()).toBe(sha);
  });

  test('where the bucket takes nothing from pages any more, the server takes the rest unasked', async () => {
    const before = await receivedBytes();
    const { sha } = await begin('refused.bin');
    await isUnderWay();
    await site.allowPages('*', false);
    await completed();
    expect((await receivedBytes()) - before).toBeGreaterThan(MIB);
    expect(await openedSha()).toBe(sha);
  });
});
