import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadline, WAIT_MS } from '@satchel/contract/testing/pace';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type LaunchOptions,
  type Locator,
  type Page,
  type Response,
} from 'playwright-core';
import type { Tab } from './engines/tab.ts';
import type { TestFile } from './files.ts';
import { ASKS_AGAIN, isLost, type Person, signIn } from './people.ts';

/** A real Chromium; console errors on its pages fail the test. */

/** Playwright's own list, which this flag replaces (its chromiumSwitches.ts). */
const OFF_FOR_PLAYWRIGHT = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'LensOverlay'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'TcpPortRandomizationWin', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
];
/** Pages of the browser's own window, which no test uses: loading them costs more than a page of ours. */
const OFF_FOR_SPEED = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'PreloadTopChromeWebUI'];

/** Spare processes for later pages: every visit of a test is a new page, so spares are never used. */
const OFF_FOR_FEWER_PROCESSES = ['SpareRendererForSitePerProcess'];

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...OFF_FOR_PLAYWRIGHT, ...OFF_FOR_SPEED, ...OFF_FOR_FEWER_PROCESSES].join(',')}`,
];

/**
 * A test leaves its pages soon. V8 compiles a function to run faster once it ran seven times as often as V8 would wait by itself:
 * compiling was two fifths of what a page's process did beside its main thread. Young objects get room to be collected less often.
 */
const FOR_SHORT_VISITS = [
  `--js-flags=${[
    '--invocation-count-for-maglev=3000',
    '--invocation-count-for-turbofan=20000',
    '--min-semi-space-size=16',
  ].join(' ')}`,
];

function launchOptions(executablePath = process.env.CHROMIUM_PATH) {
  if (!executablePath) throw new Error('CHROMIUM_PATH is not set: Vitest’s projects for a browser set it');
  const root = process.getuid?.() === 0;
  return {
    executablePath,
    args: root ? [...FLAGS, '--no-sandbox'] : FLAGS,
    // In the C locale, Chromium can't read files with non-ASCII names.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  };
}

/** The headless shell, if installed: the same engine without windows, for two thirds of the CPU time. */
export const launchBrowser = (path = process.env.HEADLESS_SHELL_PATH): Promise<Browser> =>
  chromium.launch(launchOptions(path));

/** The same for tests, which visit many pages for a short time. */
export function launchForShortVisits(more: LaunchOptions = {}): Promise<Browser> {
  const { args, ...options } = launchOptions(process.env.HEADLESS_SHELL_PATH);
  return chromium.launch({ ...options, ...more, args: [...args, ...FOR_SHORT_VISITS] });
}

/** One person's browser profile. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console errors and uncaught exceptions since the start, except those that `allow` names. */
  problems(): readonly string[];
  /** Errors that this test causes on purpose, e.g. a 404 that Chromium reports in the console. */
  allow(pattern: RegExp): void;
  close(): Promise<void>;
}

export interface VisitorOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'dark' | 'light';
  /** A phone: fingers instead of a mouse. */
  readonly isPhone?: boolean;
  /** Headers that a proxy in front would add to every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly needsNoHistory?: boolean;
  /** Warnings are problems, too. */
  readonly hearsWarnings?: boolean;
}

const contextOptions = ({ width = 1440, height = 900, headers, isPhone }: VisitorOptions) => ({
  viewport: { width, height },
  ...(isPhone && { isMobile: true, hasTouch: true }),
  acceptDownloads: true,
  ignoreHTTPSErrors: true,
  ...(headers && { extraHTTPHeaders: { ...headers } }),
});

/** Playwright's own builds of Firefox and WebKit know no such permissions, and refuse them. */
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

/** A person who has never been to the site, in their own profile. */
export const newVisitor = async (browser: Browser, options: VisitorOptions = {}): Promise<Visitor> =>
  visitorIn(
    await browser.newContext({
      ...contextOptions(options),
      ...(browser.browserType().name() === 'chromium' && CLIPBOARD),
    }),
    options,
  );

/**
 * A separate browser with a persistent profile in `dir`: a full Chromium, or where its history does not matter, which the
 * headless shell does not keep, that one.
 */
export async function openVisitor(dir: string, options: VisitorOptions = {}): Promise<Visitor> {
  const path = options.needsNoHistory ? process.env.HEADLESS_SHELL_PATH : undefined;
  const context = await chromium.launchPersistentContext(dir, {
    ...launchOptions(path),
    ...contextOptions(options),
    ...CLIPBOARD,
  });
  return visitorIn(context, options);
}

/** Where nodes are killed all the time, requests that were under way are lost, which Chromium tells; the page asks again. */
const OF_KILLED_NODES = process.env.SITE_KILLS_EVERY
  ? [
      /Failed to load resource: (net::ERR_|the server responded with a status of 50[234])|WebSocket connection to .* failed/,
    ]
  : [];

/** Runs in the page: resolves once the page has done its waiting tasks and drawn a frame. */
const caughtUp = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    // A hidden page has no frames.
    setTimeout(resolve, 200);
  });

/**
 * Makes `route` resolve only once the open page's process has the new route. Chromium lets a click overtake that message: on a
 * busy page, 22 of 450 clicks sent their request to the server although a route for it was set right before.
 */
function withRoutesFirst(context: BrowserContext): void {
  const catchUp = async (page: Page) => {
    if (page.url() !== 'about:blank') await page.evaluate(caughtUp).catch(() => undefined);
  };
  const watch = (owner: Pick<Page, 'route'>, pages: () => readonly Page[]) => {
    const route = owner.route.bind(owner);
    owner.route = async (...args) => {
      const routed = await route(...args);
      await Promise.all(pages().map(catchUp));
      return routed;
    };
  };
  watch(context, () => context.pages());
  for (const page of context.pages()) watch(page, () => [page]);
  context.on('page', (page) => watch(page, () => [page]));
}

const open = new Set<BrowserContext>();

/** The open pages of all visitors, without blank pages. */
export const openPages = (): Page[] =>
  [...open].flatMap((context) => context.pages()).filter((page) => page.url() !== 'about:blank');

async function visitorIn(context: BrowserContext, { theme, hearsWarnings }: VisitorOptions): Promise<Visitor> {
  open.add(context);
  context.once('close', () => open.delete(context));
  context.setDefaultTimeout(WAIT_MS);
  context.setDefaultNavigationTimeout(WAIT_MS);
  // A test can answer the dialog of a file input only.
  await context.addInitScript(() => {
    Reflect.deleteProperty(window, 'showOpenFilePicker');
    Reflect.deleteProperty(window, 'showDirectoryPicker');
    Reflect.deleteProperty(window, 'showSaveFilePicker');
  });
  withRoutesFirst(context);
  const problems: string[] = [];
  const allowed = [...OF_KILLED_NODES];
  context.on('console', (message) => {
    const isProblem = message.type() === 'error' || (hearsWarnings && message.type() === 'warning');
    if (isProblem) problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => {
    // Some have an empty stack, such as a script's syntax error.
    const { stack, name, message } = error.error();
    problems.push(`uncaught: ${stack || `${name}: ${message}`}`);
  });
  const page = await context.newPage();
  // From the start: otherwise the first chooser may open before Chromium intercepts it.
  page.on('filechooser', () => undefined);
  // about:blank has no storage to write to.
  if (theme) await page.addInitScript((name) => origin !== 'null' && localStorage.setItem('theme', name), theme);
  return {
    context,
    page,
    problems: () => problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem))),
    allow: (pattern) => allowed.push(pattern),
    close: () => context.close(),
  };
}

const HOUR_SECONDS = 3600;

/** Gives a browser the session of a signed-in person; it outlives the browser, like the real one. */
export async function takeSession(
  { context }: Pick<Visitor, 'context'>,
  person: Person,
  siteUrl: string,
): Promise<void> {
  const pairs = person.cookies().split('; ');
  const expires = Date.now() / 1000 + HOUR_SECONDS;
  const cookies = pairs.map((pair) => {
    const equals = pair.indexOf('=');
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
    return { name, value, url: siteUrl, expires, httpOnly: true, sameSite: 'Lax' as const };
  });
  await context.addCookies(cookies);
}

/** Signs in as a persona of the sandbox without a page, for tests that are not about signing in. */
export async function signInAs(page: Page, siteUrl: string, persona: string): Promise<Person> {
  const person = await signIn({ url: siteUrl }, persona);
  await takeSession({ context: page.context() }, person, siteUrl);
  return person;
}

/** Signs in by hand as a persona of the sandbox, starting from the sign-in page. */
export async function signInByHand(page: Tab, siteUrl: string, personaName: string): Promise<void> {
  await page.goto(`${siteUrl}/auth`);
  await authorize(page, siteUrl, personaName);
}

/** True once a sign-in has failed, as it does where a killed node has used up what Discord gives once. */
const isSignInUsed = (page: Tab): Promise<boolean> =>
  page
    .getByText(/This sign-in was used or is too old/)
    .waitFor()
    .then(
      () => true,
      () => false,
    );

/** The same, starting on an open sign-in page. */
export async function authorize(page: Tab, siteUrl: string, personaName: string): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Discord' }).click();
  await page.getByRole('radio', { name: new RegExp(personaName) }).check();
  await page.getByRole('button', { name: 'Authorize' }).click();
  const back = page.waitForURL((url) => url.href.startsWith(siteUrl) && !url.pathname.startsWith('/auth'));
  if (ASKS_AGAIN && (await Promise.race([back.then(() => false), isSignInUsed(page)]))) {
    await page.getByRole('link', { name: 'Try Again' }).click();
    return authorize(page, siteUrl, personaName);
  }
  await back;
  await page.getByRole('button', { name: 'Sign Out' }).first().waitFor();
}

/** People's actions on a folder's page. */

const withoutFragment = (url: string): string => url.replace(/#.*/, '');

/**
 * A document of the site's origin without the application, to leave for. A blank page would need its own process, and the
 * next page another; the policy of all other answers is a sandbox, which has no storage and where `evaluate` never settles.
 */
export const BARE_PATH = '/mark.svg';

/** Goes to an address as a new visit, also when only its fragment differs: then it leaves the page first. */
export async function visit(page: Page, url: string): Promise<void> {
  if (withoutFragment(page.url()) === withoutFragment(url)) await page.goto(new URL(BARE_PATH, url).href);
  await page.goto(url);
}

/**
 * Begins to count the stills that a page stores after its uploads: until they are there, a visitor's page opens the files
 * themselves, which a test could not foresee.
 * @returns what to wait for once the files are uploaded; it rejects where they don't come
 */
export async function stillsStored(page: Page, count: number): Promise<void> {
  let stored = 0;
  const isLast = async (response: Response) => {
    if (response.request().method() !== 'PUT' || !response.url().includes('/storage/v1/still/')) return false;
    // The page sends lost stills again.
    if (isLost(response.status())) return false;
    stored += ((await response.json()) as { stored: string[] }).stored.length;
    return stored >= count;
  };
  if (count > 0) await page.waitForResponse(isLast, { timeout: deadline(120) });
}

/** A file's card. */
export const card = (page: Page, fileName: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: fileName });

export interface NewFolder {
  readonly name: string;
  readonly files?: readonly TestFile[];
  /** How many of them get a still; absent: all that can be drawn. */
  readonly stills?: number;
  /** Other steps in the form. */
  readonly fill?: (page: Page) => Promise<void>;
}

/**
 * The full link of the folder that a page shows, as Share gives it: the address of a person who is signed in has no key,
 * which is read from where this browser keeps it. Of a visitor's page it is the address.
 */
export async function fullLinkOf(page: Tab): Promise<string> {
  const { origin, pathname, hash } = new URL(await page.url());
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
const hasStill = ({ mimeType, buffer }: TestFile): boolean =>
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
      await page.getByText(`${files.length} completed`).waitFor();
      await areStored;
    });
  }
  return fullLinkOf(page);
}

/** The answers to "Who can open it?", by the mode of the link. */
const OPENERS = {
  private: /^Anyone with my full link/,
  discord: /^People in a Discord channel or chat/,
  plain: /^Everyone/,
} as const;

/** Answers who opens the folder, in the form or in Share. */
export const chooseOpener = (form: Pick<Page, 'getByRole'>, mode: keyof typeof OPENERS): Promise<void> =>
  form.getByRole('radio', { name: OPENERS[mode] }).click();

/** Opens Share, creates a new private link there, and returns it. */
export async function makeNewLink(of: Page): Promise<string> {
  await of.getByRole('button', { name: 'Share', exact: true }).click();
  const sheet = of.getByRole('dialog', { name: /^Share / });
  await sheet.getByRole('button', { name: 'Make a new link' }).click();
  const asked = of.getByRole('alertdialog', { name: 'Make a new link?' });
  await asked.getByText(/They can’t read files that come later/).waitFor();
  await asked.getByRole('button', { name: 'Make a new link' }).click();
  await asked.waitFor({ state: 'detached' });
  await sheet.getByText('This link contains the key.').waitFor();
  await sheet.getByRole('button', { name: 'Copy', exact: true }).click();
  const copied = await of.evaluate(() => navigator.clipboard.readText());
  await of.keyboard.press('Escape');
  return copied;
}

export const PASSPHRASE = 'four brass lanterns';

/** The limit for text through the debugger; more takes seconds of CPU time, and 50 MB are refused. */
const HANDED_OVER_MAX_BYTES = 4 * 1024 ** 2;

/** Chooses files in a form; large ones are written to disk and deleted after `use`. */
export async function withChosen(
  chooser: Locator,
  files: readonly TestFile[],
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
 * Has a page register its service worker under another address, which to the browser is another worker, as the one of another
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
