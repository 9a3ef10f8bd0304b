import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Locator, Page, Response } from 'playwright-core';
import type { Upload } from './files.ts';
import { isLost, patiently } from './people.ts';

/** People's actions on a folder's page. */

const withoutFragment = (url: string): string => url.replace(/#.*/, '');

/**
 * Goes to an address as a new visit, also when only its fragment differs: then it leaves the page first, for one of the
 * site that is next to nothing. A blank page would need a process of its own, and the next page another.
 */
export async function visit(page: Page, url: string): Promise<void> {
  if (withoutFragment(page.url()) === withoutFragment(url)) await page.goto(new URL('/healthz', url).href);
  await page.goto(url);
}

const STILLS_STORED_MS = 90_000;

/**
 * Begins to count the stills that a page stores after its uploads: until they are there, a visitor's page opens the files
 * themselves, which a test could not foresee.
 * @returns what to wait for once the files are uploaded; it rejects where they don't come
 */
export function stillsStored(page: Page, count: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let stored = 0;
  const tooLate = () => reject(new Error(`the page has stored ${stored} stills of ${count}`));
  const timer = setTimeout(tooLate, STILLS_STORED_MS);
  const hear = async (response: Response) => {
    if (response.request().method() !== 'PUT' || !response.url().includes('/storage/v1/still/')) return;
    // The page sends lost stills again.
    if (isLost(response.status())) return;
    try {
      stored += ((await response.json()) as { stored: string[] }).stored.length;
      if (stored >= count) resolve();
    } catch (error) {
      reject(error);
    }
  };
  page.on('response', hear);
  if (count === 0) resolve();
  const end = () => {
    clearTimeout(timer);
    page.off('response', hear);
  };
  promise.then(end, end);
  return promise;
}

/** A file's card. */
export const card = (page: Page, fileName: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: fileName });

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

export const longListing = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    name: `file-${String(at + 1).padStart(4, '0')}.txt`,
    created_at: '2026-11-21T12:00:00.000Z',
    updated_at: '2026-11-21T12:00:00.000Z',
    metadata: { size: 1000 + at, mimetype: 'text/plain', eTag: `"${at}"` },
  }));

/** Makes every folder that the page opens list these files instead of the server's. */
export const listInstead = (page: Page, entries: ReturnType<typeof longListing>): Promise<unknown> =>
  page.route('**/storage/v1/object/list/**', (route) => {
    const { offset, limit } = route.request().postDataJSON() as { offset: number; limit: number };
    return route.fulfill({ json: entries.slice(offset, offset + limit) });
  });

interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** The limit for text through the debugger; more takes seconds of CPU time, and 50 MB are refused. */
const HANDED_OVER_MAX_BYTES = 4 * 1024 ** 2;

/** Chooses files in a form; large ones are written to disk and deleted after `use`. */
export async function withChosen(
  chooser: Locator,
  files: readonly ChosenFile[],
  use: () => Promise<void>,
): Promise<void> {
  const sizeBytes = files.reduce((sum, { buffer }) => sum + buffer.length, 0);
  if (sizeBytes <= HANDED_OVER_MAX_BYTES) {
    await chooser.setInputFiles([...files]);
    return use();
  }
  const dir = await mkdtemp(join(tmpdir(), 'satchel-chosen-'));
  try {
    for (const { name, buffer } of files) await writeFile(join(dir, name), buffer);
    await chooser.setInputFiles(files.map(({ name }) => join(dir, name)));
    await use();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The built script of the upload worker. */
const UPLOAD_WORKER = /\/assets\/upload-worker-[\w-]+\.js$/;

/**
 * Takes WebSocket away from the upload worker, as an old browser or a strict policy would: its uploads go by tus, whose
 * requests a test can hold or answer.
 * @param times how many workers; with the last of them the browser no longer asks about requests
 * @returns how many there were
 */
export async function withoutSocket(context: BrowserContext | Page, times?: number): Promise<() => number> {
  let changed = 0;
  await context.route(
    UPLOAD_WORKER,
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `delete globalThis.WebSocket;${await response.text()}` });
      changed += 1;
    },
    times === undefined ? {} : { times },
  );
  return () => changed;
}

/**
 * Has a page register its service worker under another address, which to the browser is another worker, as that of another
 * build would be. Before the page is loaded.
 */
export const asNewerBuild = (page: Page): Promise<unknown> => page.addInitScript(renameServiceWorker);

function renameServiceWorker(): void {
  type Rules = { createScriptURL: (address: string) => string };
  const { trustedTypes } = globalThis as unknown as {
    trustedTypes: { createPolicy: (name: string, rules: Rules) => unknown };
  };
  const createPolicy = trustedTypes.createPolicy.bind(trustedTypes);
  trustedTypes.createPolicy = (name, rules) =>
    createPolicy(name, {
      ...rules,
      createScriptURL: (address) => rules.createScriptURL(address).replace(/^\/sw\.js$/, '/sw.js?newer'),
    });
}

/** Whether the worker that serves pages, and the one that waits to, are a newer build's; null where there is none. */
export const newerWorkers = (page: Page): Promise<readonly (boolean | null)[]> =>
  page.evaluate(async () => {
    const { active, waiting } = (await navigator.serviceWorker.getRegistration()) ?? {};
    return [active, waiting].map((worker) => worker?.scriptURL.endsWith('?newer') ?? null);
  });
