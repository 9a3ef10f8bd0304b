import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageClient } from '@supabase/storage-js';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { signInByHand } from '../support/browser/browser.ts';
import { card } from '../support/browser/folder-page.ts';
import { fullLinkOf } from '../support/browser/world.ts';
import { makeSamples, randomBytesOf, sha256 } from '../support/files/samples.ts';
import { createPlainFolder, type Person, signIn } from '../support/people/client.ts';
import { runTus, runTusUntil } from '../support/people/tus.ts';

/**
 * What people do at the site of an operator's trial: node visitors.ts ACT FOLDER, with an act of ACTS. What they know is kept in
 * FOLDER from one act to the next.
 */

const SITE = 'https://files.example.org';
const BUCKET = 'unlocked-folders';
const MIB = 1024 ** 2;
const PATIENCE_MS = 60_000;
/** Files that this and parts.ts know: the slow upload has sent its first bytes; it is to end. */
const [SENDING, HURRY] = ['sending', 'hurry'];
const SLOW_CHUNK_BYTES = 64 * 1024;
const SLOW_BYTES = 40 * MIB;
const SLOW_CHUNK_MS = 500;

interface Memory {
  /** Opens the encrypted folder. */
  readonly link: string;
  /** Names and hashes of what is in it. */
  readonly encrypted: Readonly<Record<string, string>>;
  /** Paths and hashes of what is in a plain folder. */
  readonly plain: Readonly<Record<string, string>>;
  readonly folderPath: string;
  readonly underWay: UnderWay;
}

interface UnderWay {
  readonly url: string;
  readonly path: string;
  readonly file: string;
  /** What was acknowledged. */
  readonly offset: number;
}

const [act = '', folder = ''] = process.argv.slice(2);
const memoryFile = join(folder, 'memory.json');
const slowFile = join(folder, 'slow.json');
const recall = (): Memory => JSON.parse(readFileSync(memoryFile, 'utf8')) as Memory;

/** A Chromium of one person's that trusts the trial's certificate, as it would that of a known authority. */
async function openBrowser(profile: string): Promise<{ page: Page; context: BrowserContext }> {
  const { publicKey } = new X509Certificate(readFileSync(join(folder, 'cert.pem')));
  const trusted = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  const context = await chromium.launchPersistentContext(join(folder, profile), {
    executablePath: process.env.CHROMIUM_PATH ?? '',
    args: ['--disable-gpu', '--no-sandbox', `--ignore-certificate-errors-spki-list=${trusted}`],
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    acceptDownloads: true,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return { context, page: context.pages()[0] ?? (await context.newPage()) };
}

async function fillByBrowser(): Promise<Pick<Memory, 'link' | 'encrypted'>> {
  const { context, page } = await openBrowser('owner');
  await page.goto(`${SITE}/auth`);
  // A session of an earlier visit leads on to the site.
  if (!(await context.cookies(SITE)).some(({ name }) => name.endsWith('sid'))) await signInByHand(page, SITE, 'Mika');
  const { text, picture, large } = await makeSamples(join(folder, 'samples'));
  const files = [text, picture, large];
  await page.goto(`${SITE}/upload`);
  await page.getByLabel('Folder name').fill('Voyage');
  await page.getByLabel('Choose files').setInputFiles(files.map(({ path }) => path));
  await page.getByRole('button', { name: 'Create folder' }).click();
  await page.waitForURL(/\/f\/[A-Za-z0-9]{16}/);
  await page.getByText('3 completed').waitFor();
  const link = await fullLinkOf(page);
  await context.close();
  return { link, encrypted: Object.fromEntries(files.map((file) => [file.name, file.sha256])) };
}

async function fillByClients(): Promise<Pick<Memory, 'plain' | 'folderPath' | 'underWay'>> {
  const person = await signIn({ url: SITE }, 'jonas');
  const { bucket_storage_path: folderPath } = await createPlainFolder(person, 'Harbour');
  const target = (name: string) => ({ url: SITE, person, path: `${folderPath}/${name}` });
  const [byTus, byStorage, rest] = [randomBytesOf(13 * MIB + 7), randomBytesOf(70_000), randomBytesOf(12 * MIB)];
  const { error } = await runTus(target('whole_1_a.bin'), byTus);
  if (error) throw error;
  const stored = await runTus(target('second_1_b.bin'), byStorage);
  if (stored.error) throw stored.error;
  const listed = await storageOf(person).list(folderPath);
  if (listed.data?.length !== 2) throw new Error(`storage-js lists ${listed.data?.length} files, not 2`);
  const file = join(folder, 'under-way.bin');
  writeFileSync(file, rest);
  const url = await runTusUntil(target('under-way_1_c.bin'), rest, 5 * MIB);
  return {
    folderPath,
    plain: { [target('whole_1_a.bin').path]: sha256(byTus), [target('second_1_b.bin').path]: sha256(byStorage) },
    underWay: { url, path: target('under-way_1_c.bin').path, file, offset: 5 * MIB },
  };
}

async function addFile(): Promise<void> {
  const person = await signIn({ url: SITE }, 'jonas');
  const path = `${recall().folderPath}/added_1_d.bin`;
  const { error } = await runTus({ url: SITE, person, path }, randomBytesOf(3 * MIB));
  if (error) throw error;
  say('tus-js-client has uploaded one file more');
}

async function saveAll(page: Page, encrypted: Memory['encrypted']): Promise<void> {
  for (const [name, hash] of Object.entries(encrypted)) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      card(page, name).getByRole('button', { name: 'Download' }).click(),
    ]);
    const found = sha256(await readFile(await download.path()));
    if (found !== hash) throw new Error(`${name} has the SHA-256 ${found}, not ${hash}`);
    say(`a browser saves ${name} with the SHA-256 ${found}`);
  }
}

const storageOf = ({ token }: Person) =>
  new StorageClient(`${SITE}/storage/v1`, { Authorization: `Bearer ${token}` }).from(BUCKET);

async function expectBytes(person: Person, path: string, hash: string): Promise<void> {
  const { data, error } = await storageOf(person).download(path);
  if (error) throw error;
  const found = sha256(new Uint8Array(await data.arrayBuffer()));
  if (found !== hash) throw new Error(`${path} has the SHA-256 ${found}, not ${hash}`);
  say(`storage-js reads ${path.split('/').at(-1)} with the SHA-256 ${found}`);
}

/** Begins the upload that `upload-slowly` goes on with. */
async function beginSlowly(): Promise<void> {
  const person = await signIn({ url: SITE }, 'jonas');
  const path = `${recall().folderPath}/slow_1_e.bin`;
  const file = join(folder, 'slow.bin');
  const bytes = randomBytesOf(SLOW_BYTES);
  writeFileSync(file, bytes);
  const url = await runTusUntil({ url: SITE, person, path }, bytes, MIB);
  writeFileSync(slowFile, JSON.stringify({ url, path, file, offset: MIB } satisfies UnderWay));
}

/** An upload that goes on by tus-js-client's own tries, whatever happens to the server, and ends once HURRY is there. */
async function uploadSlowly(): Promise<void> {
  const person = await signIn({ url: SITE }, 'jonas');
  const { url, path, file } = JSON.parse(readFileSync(slowFile, 'utf8')) as UnderWay;
  const bytes = readFileSync(file);
  let cuts = 0;
  const { error } = await runTus({ url: SITE, person, path }, bytes, {
    uploadUrl: url,
    // With an endpoint it would begin anew where a proxy answers 502 in the server's place.
    endpoint: null,
    chunkSize: SLOW_CHUNK_BYTES,
    retryDelays: Array.from({ length: 100 }, () => 1000),
    onBeforeRequest: async () => {
      if (!existsSync(join(folder, HURRY))) await sleep(SLOW_CHUNK_MS);
    },
    onChunkComplete: () => writeFileSync(join(folder, SENDING), ''),
    onShouldRetry: () => {
      cuts += 1;
      return true;
    },
  });
  if (error) throw error;
  await expectBytes(person, path, sha256(bytes));
  say(`that upload ran all the while, and was cut ${cuts} times`);
}

/** The owner's browser remembers the key; a stranger's has the link alone, which needs the key share. */
async function checkByBrowsers(opensLinks: boolean): Promise<void> {
  const { link, encrypted } = recall();
  const owner = await openBrowser('owner');
  await owner.page.goto(link.replace(/#.*/, ''));
  await saveAll(owner.page, encrypted);
  await owner.page.getByRole('button', { name: 'Sign Out' }).first().waitFor();
  await owner.context.close();
  const stranger = await openBrowser(`stranger-${Date.now()}`);
  await stranger.page.goto(link);
  if (opensLinks) await saveAll(stranger.page, encrypted);
  else {
    await stranger.page.getByText('No Key', { exact: true }).first().waitFor();
    say('without its key share the link opens nothing for a stranger; the owner’s browser still has the key');
  }
  await stranger.context.close();
}

async function checkByClients(): Promise<void> {
  const { plain, underWay } = recall();
  const person = await signIn({ url: SITE }, 'jonas');
  for (const [path, hash] of Object.entries(plain)) await expectBytes(person, path, hash);
  const bytes = readFileSync(underWay.file);
  const offsets: number[] = [];
  const { error } = await runTus({ url: SITE, person, path: underWay.path }, bytes, {
    uploadUrl: underWay.url,
    onBeforeRequest: (request) => {
      if (request.getMethod() === 'PATCH') offsets.push(Number(request.getHeader('Upload-Offset')));
    },
  });
  if (error) throw error;
  if ((offsets[0] ?? 0) < underWay.offset)
    throw new Error(`the upload went on at ${offsets[0]}, not ${underWay.offset}`);
  say(`tus-js-client goes on with the upload under way at byte ${offsets[0]}`);
  await expectBytes(person, underWay.path, sha256(bytes));
}

const say = (text: string): void => void process.stdout.write(`   ${text}\n`);

const ACTS: Readonly<Record<string, () => Promise<void>>> = {
  /** Uploads with a Chromium and with tus-js-client, lists with storage-js, and leaves an upload under way. */
  fill: async () => {
    const known: Memory = { ...(await fillByBrowser()), ...(await fillByClients()) };
    writeFileSync(memoryFile, JSON.stringify(known, null, 2));
    say('a browser and tus-js-client have uploaded, storage-js has listed; one upload is under way');
  },
  /** Uploads what no check asks for. */
  add: addFile,
  'begin-slowly': beginSlowly,
  'upload-slowly': uploadSlowly,
  /** Finds all of the last `fill` again, byte for byte, and ends what was under way. */
  check: async () => {
    await checkByBrowsers(true);
    await checkByClients();
  },
  'check-without-keys': async () => {
    await checkByBrowsers(false);
    await checkByClients();
  },
};

const run = ACTS[act];
if (!run || folder === '') throw new Error(`usage: visitors.ts ${Object.keys(ACTS).join(' | ')} FOLDER`);
await run();
process.exit(0);
