import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { importKeys } from '@satchel/container/key';
import { sealingKeyOf } from '@satchel/container/keyring';
import { openContainer } from '@satchel/container/open';
import type { Browser, Download, Page } from 'playwright-core';
import { asNewerBuild, card, launchBrowser, newerWorkers, newVisitor, signInAs, visit } from '../support/browser.ts';
import { randomBytesOf, sha256 } from '../support/files.ts';
import { type Line, startSiteBehindLine } from '../support/line.ts';
import { createFolderAs, listFiles, type OwnedFolder, type Person } from '../support/people.ts';
import type { Site } from '../support/site.ts';
import { type FaultRow, fsckFindings, notRun } from './fault-row.ts';

/** What happens to a browser in the midst of an upload and a download. */

const MIB = 1024 ** 2;
const OFFLINE_MS = 120_000;
const CUT_EVERY_MS = 100;
const SIZE_BYTES = 28 * MIB;
/** What the line passes of a file before it stands still. */
const BEGUN_BYTES = 5 * MIB;
const PATIENT_MS = 120_000;

interface Stage {
  readonly line: Line;
  readonly site: Site;
  readonly browser: Browser;
  readonly mika: Person;
  readonly owned: OwnedFolder;
  /** Of the owner. */
  readonly page: Page;
  readonly stored: Buffer;
}

async function withStage(act: (stage: Stage) => Promise<FaultRow>): Promise<FaultRow> {
  const { line, site } = await startSiteBehindLine({ LOG_LEVEL: 'error' });
  const browser = await launchBrowser();
  try {
    const { page } = await newVisitor(browser);
    const mika = await signInAs(page, site.url, 'mika');
    const stored = randomBytesOf(SIZE_BYTES);
    const file = { name: 'noise.bin', mimeType: 'application/octet-stream', buffer: stored };
    const owned = await createFolderAs(mika, site, { name: 'Far from home', files: [file] });
    return await act({ line, site, browser, mika, owned, page, stored });
  } finally {
    await browser.close();
    await site.stop();
    await line.close();
  }
}

/** Begins to save the stored file, and waits until some of it is there; then the line stands still. */
async function beginToSave(page: Page, { line, owned }: Stage): Promise<Download> {
  await visit(page, owned.link());
  const button = card(page, 'noise.bin').getByRole('button', { name: 'Download' });
  await button.waitFor();
  line.holdAnswers(BEGUN_BYTES);
  line.forget();
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  while (line.answeredBytes() < BEGUN_BYTES) await sleep(100);
  return download;
}

/** @returns what was saved; null where the browser says that it failed */
const savedBytes = async (download: Download): Promise<Buffer | null> =>
  (await download.failure()) === null ? readFile(await download.path()) : null;

/** The files of the folder as its key opens them, by their SHA-256. */
async function openedShas({ site, mika, owned }: Stage): Promise<string[]> {
  const keys = await importKeys(sealingKeyOf(owned.ring()!));
  const path = owned.folder.bucket_storage_path;
  const shas: string[] = [];
  for (const { name } of await listFiles(mika, path)) {
    const response = await fetch(`${site.ownUrl}/storage/v1/object/public/unlocked-folders/${path}/${name}`);
    const { plaintext } = await openContainer(keys, response.body!);
    const parts: Uint8Array[] = [];
    for await (const unit of plaintext) parts.push(...unit.map((piece) => piece.slice()));
    shas.push(sha256(Buffer.concat(parts)));
  }
  return shas;
}

/** An upload goes on by itself; a download is whole, or the browser says that it failed and the next one is whole. */
async function offline(stage: Stage): Promise<FaultRow> {
  const { line, site, page, browser, stored } = stage;
  const [lost, wrong]: [string[], string[]] = [[], []];
  const reader = await newVisitor(browser);
  const download = await beginToSave(reader.page, stage);
  await visit(page, stage.owned.link());
  await page.getByRole('button', { name: 'Upload File' }).click();
  const sent = randomBytesOf(SIZE_BYTES);
  const file = { name: 'sent.bin', mimeType: 'application/octet-stream', buffer: sent };
  await page.getByLabel('Choose files').setInputFiles(file);
  line.hold(BEGUN_BYTES);
  line.forget();
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  while (line.sentBytes() < BEGUN_BYTES) await sleep(100);

  const both = [page, reader.page].map((each) => each.context());
  for (const context of both) await context.setOffline(true);
  const cuts = setInterval(line.cut, CUT_EVERY_MS);
  await sleep(OFFLINE_MS);
  clearInterval(cuts);
  line.letGo();
  for (const context of both) await context.setOffline(false);

  const startedMs = performance.now();
  const isDone = await page
    .getByText('1 completed', { exact: true })
    .waitFor({ timeout: PATIENT_MS })
    .then(
      () => true,
      () => false,
    );
  const recoveredMs = performance.now() - startedMs;
  if (!isDone) lost.push('the upload did not go on');
  else if (!(await openedShas(stage)).includes(sha256(sent))) wrong.push('the uploaded file has other bytes');
  const first = await savedBytes(download);
  if (first && !first.equals(stored)) wrong.push('the saved file has other bytes, and looks whole');
  const second = first ?? (await savedBytes(await saveAgain(reader.page, stage)));
  if (!second?.equals(stored)) lost.push('the file can’t be saved any more');
  wrong.push(...(await fsckFindings(site)));
  const note = `the download ${first ? 'went on' : 'failed, and the browser says so'}`;
  const fault = `a browser is offline for ${OFFLINE_MS / 60_000} minutes`;
  return { fault, runs: 2, lost, wrong, recoveredMs, note };
}

async function saveAgain(page: Page, stage: Stage): Promise<Download> {
  const download = await beginToSave(page, stage);
  stage.line.holdAnswers(null);
  return download;
}

/** The service worker that hands the file out stays until it is whole. */
async function newerWorker(stage: Stage): Promise<FaultRow> {
  const { line, page, stored } = stage;
  const [lost, wrong]: [string[], string[]] = [[], []];
  const download = await beginToSave(page, stage);
  const newer = await page.context().newPage();
  await asNewerBuild(newer);
  await visit(newer, stage.owned.link());
  await card(newer, 'noise.bin').waitFor();
  while ((await newerWorkers(newer)).every((isNewer) => !isNewer)) await sleep(100);
  line.holdAnswers(null);
  const startedMs = performance.now();
  const saved = await savedBytes(download);
  if (saved === null) lost.push('the download failed');
  else if (!saved.equals(stored)) wrong.push('the saved file has other bytes, and looks whole');
  const recoveredMs = performance.now() - startedMs;
  const [isReplaced] = await newerWorkers(newer);
  const note = isReplaced ? 'the newer one took over' : 'the newer one waited';
  return { fault: 'a newer service worker comes while one streams', runs: 1, lost, wrong, recoveredMs, note };
}

export async function* browserFaults(): AsyncGenerator<FaultRow> {
  if (!process.env.CHROMIUM_PATH) {
    yield notRun('faults of a browser', 'a Chromium');
    return;
  }
  yield await withStage(newerWorker);
  yield await withStage(offline);
}
