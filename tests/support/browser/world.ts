import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { withChosen } from '../files/made-files.ts';
import { type Site, startSite } from '../site/site.ts';
import { newVisitor, signInAs, type Visitor } from './browser.ts';

/** Sample data of every kind, made through the real app: the gallery photographs it. */

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const media = (name: string) => readFile(join(ROOT, 'apps/web/public/media', name));
const fixture = (name: string) => readFile(join(ROOT, 'tests/fixtures', name));

interface Upload {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** One second of a tone, as a WAV file. */
function tone(): Buffer {
  const rate = 8000;
  const samples = Buffer.alloc(rate * 2);
  for (let at = 0; at < rate; at++)
    samples.writeInt16LE(Math.round(9000 * Math.sin((at / rate) * 440 * 2 * Math.PI)), at * 2);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** The smallest valid PDF: one empty page. */
const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);

/** The sandbox's id of this persona. */
const JONAS = '318264905173434370';

const TRAVEL_NOTES = 'The ferry leaves at nine. '.repeat(40);

export async function worldFiles(): Promise<Upload[]> {
  return [
    { name: 'aurora-over-the-lake.webp', mimeType: 'image/webp', buffer: await media('aurora.webp') },
    {
      name: 'forest-path-with-a-very-long-name-that-is-cut-in-the-middle.webp',
      mimeType: 'image/webp',
      buffer: await media('forest.webp'),
    },
    { name: 'planet.webp', mimeType: 'image/webp', buffer: await media('planet.webp') },
    { name: 'raid-highlights.webm', mimeType: 'video/webm', buffer: await fixture('clip.webm') },
    { name: 'horn.wav', mimeType: 'audio/wav', buffer: tone() },
    { name: 'handbook.pdf', mimeType: 'application/pdf', buffer: PDF },
    { name: 'travel-notes.txt', mimeType: 'text/plain', buffer: Buffer.from(TRAVEL_NOTES) },
    { name: 'world-save.bin', mimeType: 'application/octet-stream', buffer: randomBytes(3 * 1024 ** 2) },
  ];
}

/** Names of people, folders and kinds of files: the same in every language. */
const NAMES = [
  ...['Lantern Festival', 'Open letters', 'Empty shelf', 'Short-lived', 'Withdrawn', 'Under seal', 'For the server'],
  ...[
    'Ava Lindqvist',
    'ava.sandbox',
    '@ava.sandbox',
    'ava@sandbox.example',
    'Jonas',
    '@jonas.sandbox',
    'jonas@sandbox.example',
  ],
  ...['@otto.sandbox', 'Lena', 'lena#1234', 'lena@sandbox.example', '147382950617284611', '#8f5bd6'],
  ...['WEBP', 'WEBM', 'WAV', 'TXT', 'BIN', 'PDF', 'part-one.bin', 'part-two.bin', 'nothing.txt'],
  ...[
    'Discord Employee',
    'HypeSquad Events',
    'House Bravery',
    'Early Supporter',
    'Early Bot Developer',
    'Active Developer',
  ],
];

export interface World {
  readonly site: Site;
  readonly browser: Browser;
  /** Ava, owner of every folder. */
  readonly owner: Visitor;
  /** Jonas, signed in; owns nothing, and is an operator of the site. */
  readonly viewer: Visitor;
  /** Full links, with the key where the folder has one. */
  readonly links: Readonly<
    Record<'sealed' | 'plain' | 'empty' | 'packing' | 'passphrase' | 'discord' | 'revoked', string>
  >;
  readonly expiredSlug: string;
  /** Every text of the sample data; the same in each language. */
  readonly data: readonly string[];
  stop(): Promise<void>;
}

export interface NewFolder {
  readonly name: string;
  readonly files?: readonly Upload[];
  /** Other steps in the form. */
  readonly fill?: (page: Page) => Promise<void>;
}

/**
 * The full link of the folder that a page shows, as Share gives it: the address of a person who is signed in has no key,
 * which is read from where this browser keeps it. Of a visitor's page it is the address.
 */
export async function fullLinkOf(page: Page): Promise<string> {
  const { origin, pathname, hash } = new URL(page.url());
  const kept = await page.evaluate(readFragment, pathname.split('/').at(-1) ?? '');
  return `${origin}${pathname}${kept || hash}`;
}

async function readFragment(slug: string): Promise<string> {
  const result = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  if (!(await indexedDB.databases()).some(({ name }) => name === 'satchel-keys')) return '';
  const database = await result(indexedDB.open('satchel-keys'));
  const rows: { slug: string; secret: Uint8Array | null }[] = await result(
    database.transaction('keys').objectStore('keys').getAll(),
  );
  database.close();
  const secret = rows.find((row) => row.slug === slug && row.secret)?.secret;
  if (!secret) return '';
  const base64 = btoa(String.fromCharCode(...secret));
  return `#k=${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** Creates a folder in the page; returns its full link. */
export async function makeFolder(page: Page, siteUrl: string, { name, files = [], fill }: NewFolder): Promise<string> {
  await page.goto(`${siteUrl}/upload`);
  await page.getByLabel('Folder name').fill(name);
  await fill?.(page);
  await page.getByRole('button', { name: 'Create folder' }).click();
  await page.waitForURL(/\/f\/[A-Za-z0-9]{16}/);
  await page.getByRole('heading', { name }).waitFor();
  if (files.length > 0) {
    await withChosen(page.getByLabel('Choose files'), files, async () => {
      await page.getByRole('button', { name: /^Upload \d+ files?$/ }).click();
      await page.getByText(`${files.length} completed`).waitFor({ timeout: 60_000 });
    });
  }
  return fullLinkOf(page);
}

/** Calls a procedure as the page's person. */
export const callAs = (page: Page, name: string, input: unknown): Promise<unknown> =>
  page.evaluate(
    async ([procedure, body]) => {
      const response = await fetch(`/rest/v1/rpc/${procedure}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${procedure}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    [name, input] as const,
  );

interface Made {
  readonly folder: { readonly id: string; readonly slug: string };
}

interface FolderData {
  readonly folder_id: string;
  readonly folder_bucket: string;
  readonly folder_bucket_storage_path: string;
}

const folderDataOf = (page: Page, link: string): Promise<FolderData> =>
  callAs(page, 'get_folder_complete_data', {
    input_folder_slug: new URL(link).pathname.split('/').at(-1),
  }) as Promise<FolderData>;

export const PASSPHRASE = 'four brass lanterns';

export async function withPassphrase(form: Page): Promise<void> {
  await form.getByRole('switch', { name: 'Ask for a passphrase' }).check();
  await form.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await form.getByLabel('Passphrase again').fill(PASSPHRASE);
}

async function makeLinks(page: Page, siteUrl: string, files: readonly Upload[]): Promise<World['links']> {
  const make = (folder: NewFolder) => makeFolder(page, siteUrl, folder);
  const few = files.slice(0, 2);
  const links = {
    sealed: await make({ name: 'Lantern Festival', files }),
    plain: await make({
      name: 'Open letters',
      files: few,
      fill: (form) => form.getByLabel('Encrypt files').uncheck(),
    }),
    empty: await make({ name: 'Empty shelf' }),
    /** Empty until the pictures of the upload zone are taken. */
    packing: await make({ name: 'Empty shelf' }),
    passphrase: await make({ name: 'Under seal', files: few, fill: withPassphrase }),
    discord: await make({
      name: 'For the server',
      files: few,
      fill: (form) => form.getByRole('switch', { name: 'Discord link' }).check(),
    }),
    revoked: await make({ name: 'Withdrawn', files: few }),
  };
  await callAs(page, 'revoke_temp_encryption_key', { folder_id: (await folderDataOf(page, links.revoked)).folder_id });
  return links;
}

/** Stored names of a folder's files: cards show them without a key. */
async function storedNames(page: Page, link: string): Promise<string[]> {
  const { folder_bucket: bucket, folder_bucket_storage_path: prefix } = await folderDataOf(page, link);
  return page.evaluate(
    async ([list, body]) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(list, { method: 'POST', headers, body });
      return ((await response.json()) as { name: string }[]).map(({ name }) => name);
    },
    [`/storage/v1/object/list/${bucket}`, JSON.stringify({ prefix })] as const,
  );
}

/** Starts the site and creates the sample data. */
export async function makeWorld(browser: Browser): Promise<World> {
  const site = await startSite({ env: { OPERATOR_DISCORD_IDS: JONAS } });
  const owner = await newVisitor(browser);
  const viewer = await newVisitor(browser);
  await signInAs(owner.page, site.url, 'ava');
  await owner.page.goto(site.url);
  await signInAs(viewer.page, site.url, 'jonas');
  await viewer.page.goto(site.url);
  // Two seconds: the folder ends before the first picture.
  const short = { folder_name: 'Short-lived', expires_in_hours: 2 / 3600 };
  const { folder } = (await callAs(owner.page, 'create_folder_with_temp_key', short)) as Made;
  const files = await worldFiles();
  const links = await makeLinks(owner.page, site.url, files);
  const stored = await Promise.all(Object.values(links).map((link) => storedNames(owner.page, link)));
  return {
    site,
    browser,
    owner,
    viewer,
    links,
    expiredSlug: folder.slug,
    data: [
      ...NAMES,
      ...Object.values(links),
      folder.slug,
      TRAVEL_NOTES,
      ...files.map(({ name }) => name),
      ...stored.flat(),
    ],
    stop: () => site.stop(),
  };
}
