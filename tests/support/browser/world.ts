import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { withChosen } from '../files/made-files.ts';
import { makeZip } from '../files/zips.ts';
import { patiently } from '../people/lost-answers.ts';
import { stillsStored } from './folder-page.ts';

/** Sample files of every kind, and folders that the page makes. */

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

export const TRAVEL_NOTES = 'The ferry leaves at nine. '.repeat(40);

const PLAN = `# Plan

- [x] pack
- [ ] go

| day | place |
|---|---|
| 1 | [Harbour](https://example.org/harbour) |

> ![A map](https://example.org/map.png)
`;
const PROGRAM = `def leave(at):
    # the ferry waits for none
    return "left at %d" % at
`;

const text = (name: string, mimeType: string, content: string): Upload => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
});

/** Small files that the viewer lays out by what they are. */
export const papers = (): Upload[] => [
  text('plan.md', 'text/markdown', PLAN),
  text('costs.csv', 'text/csv', 'item;price\n"tent; blue";=1+1\nstove;40\n'),
  text('leave.py', 'text/x-python', PROGRAM),
  {
    name: 'trip.zip',
    mimeType: 'application/zip',
    buffer: makeZip([
      { name: 'photos/', content: Buffer.alloc(0) },
      { name: 'photos/harbour.txt', content: Buffer.from('words') },
    ]),
  },
];

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
    ...papers(),
  ];
}

export interface NewFolder {
  readonly name: string;
  readonly files?: readonly Upload[];
  /** How many of them get a still; absent, those that can be drawn. */
  readonly stills?: number;
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

/** Whether the page makes a still of a file: it does of pictures, films and PDFs that are larger than one. */
const hasStill = ({ mimeType, buffer }: Upload): boolean =>
  /^(image\/(?!svg)|video\/|application\/pdf)/.test(mimeType) && buffer.length > 32 * 1024;

/** Creates a folder in the page, with the stills of its files; returns its full link. */
export async function makeFolder(page: Page, siteUrl: string, folder: NewFolder): Promise<string> {
  const { name, files = [], stills = files.filter(hasStill).length, fill } = folder;
  await page.goto(`${siteUrl}/upload`);
  await page.getByLabel('Folder name').fill(name);
  await fill?.(page);
  await page.getByRole('button', { name: 'Create folder' }).click();
  await page.waitForURL(/\/f\/[A-Za-z0-9]{16}/);
  await page.getByRole('heading', { name }).waitFor();
  if (files.length > 0) {
    const areStored = stillsStored(page, stills);
    await withChosen(page.getByLabel('Choose files'), files, async () => {
      await page.getByRole('button', { name: /^Upload \d+ files?$/ }).click();
      await page.getByText(`${files.length} completed`).waitFor({ timeout: 60_000 });
      await areStored;
    });
  }
  return fullLinkOf(page);
}

/** Calls a procedure as the page's person. */
export function callAs(page: Page, name: string, input: unknown): Promise<unknown> {
  const call = () => page.evaluate(callProcedure, [name, input] as const);
  return name.startsWith('get_') ? patiently(call) : call();
}

async function callProcedure([procedure, body]: readonly [string, unknown]): Promise<unknown> {
  const response = await fetch(`/rest/v1/rpc/${procedure}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${procedure}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** The answers to "Who opens it?", by the mode of the link. */
export const OPENERS = {
  private: /^Anyone with my full link/,
  discord: /^People in a Discord channel or chat/,
  plain: /^Everyone/,
} as const;

/** Answers who opens the folder, in the form or in Share. */
export const chooseOpener = (form: Pick<Page, 'getByRole'>, mode: keyof typeof OPENERS): Promise<void> =>
  form.getByRole('radio', { name: OPENERS[mode] }).click();

export const PASSPHRASE = 'four brass lanterns';

export async function withPassphrase(form: Page): Promise<void> {
  await form.getByRole('switch', { name: 'Ask for a passphrase' }).check();
  await form.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await form.getByLabel('Passphrase again').fill(PASSPHRASE);
}
