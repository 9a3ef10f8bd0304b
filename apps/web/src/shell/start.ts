import { listRequest } from '@satchel/client/folders/list-request';
import type { RememberedKey } from '@satchel/client/keys/key-store';
import { bringsGrant, fragmentInPath, fragmentText, SECRET_PREFIX } from '@satchel/client/keys/link-parts';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { PATHS } from '@satchel/contract/paths';
import type { KEY_DATABASE as KeyDatabase } from '../engine/keys/key-databases.ts';
import { type EarlyAnswers, requestName } from '../lib/api/early-answers.ts';
import { deviceDatabases, keptChoice } from '../lib/base/device.ts';
import { paintTheme, THEME_NAME, themeChoiceOf, themeOf } from '../lib/base/theme-choice.ts';

/**
 * Built to a classic script at the head of the page. A folder's page needs code and answers that ask for each other in turns:
 * over a slow line each turn takes half a second. This begins them all while the shell is on its way. What the page itself
 * does with an answer is not changed by this (lib/api/early-answers).
 */

/** Addresses, filled in by the build (vite.scripts.ts). */
interface Ahead {
  /** Text is drawn by scripts, so the browser would learn of its fonts late: these are the fonts that every page shows. */
  readonly fonts: readonly string[];
  readonly folder: readonly string[];
  /** By language: the texts of a folder's page. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

// Said here again: the list of all paths would be a third of this script.
const SESSION: typeof PATHS.session = '/auth/v1/session';
const SETTINGS: typeof PATHS.settings = '/settings.json';
const RPC: typeof PATHS.rpc = '/rest/v1/rpc';
const LIST: typeof PATHS.list = '/storage/v1/object/list';
const KEY: typeof PATHS.key = '/bot';
const KEY_DATABASE: typeof KeyDatabase = 'satchel-keys';
/** Where the page's first bytes, which hold this script, take this long, the line is so slow that fonts cost a second. */
const SLOW_LINE_MS = 400;
const FOLDER = /^\/(?:f\/)?([\w-]{16,64})\/?$/;

declare global {
  /** True if this page was requested with its key in the path, so that the server received the key. */
  var satchelKeyWasSent: boolean | undefined;
}

// Before the first paint, or the page would flash in the wrong theme.
paintTheme(themeOf(themeChoiceOf(keptChoice(THEME_NAME))));

const answers: EarlyAnswers = new Map();
globalThis.satchelEarlyAnswers = answers;

interface Asked {
  readonly response: Promise<Response>;
  /** Ends once all of it is here, or can't be: the page says what went wrong, once it takes the answer. */
  readonly whole: Promise<unknown>;
}

/** @param isNeedless once it says so, nothing is asked, unless the page has taken the answer before */
function ask(path: string, init: RequestInit, isNeedless?: Promise<boolean>): Asked {
  const name = requestName(path, init);
  const begin = () => fetch(path, { credentials: 'same-origin', ...init });
  const beginUnless = (isIt: boolean) => {
    if (isIt && answers.delete(name)) throw new Error('Not asked');
    return begin();
  };
  const response = isNeedless ? isNeedless.then(beginUnless) : begin();
  const answer = { response, receivedAtMs: null as number | null };
  answers.set(name, answer);
  const whole = response
    .then((received) => {
      answer.receivedAtMs = performance.now();
      // Where the page knows the key already, it takes no answer, and an unread one would keep its connection.
      return received.clone().arrayBuffer();
    })
    .catch(() => {});
  return { response, whole };
}

const send = (path: string, body: unknown): Asked =>
  ask(path, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Reads a copy: the page reads the answer itself. */
async function peek<T>(response: Response): Promise<Partial<T>> {
  return response.ok ? ((await response.clone().json()) as T) : {};
}

type Held = Partial<Pick<RememberedKey, 'slug' | 'api_token' | 'is_servers'>>;

const result = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Whether this device has the key of the folder's present link: then the page asks for none (@satchel/client/keys/folder-crypto). */
async function hasKey(slug: string, token: string): Promise<boolean> {
  // Opened where there is none, it would be made, and without its table.
  const databases = deviceDatabases();
  if (!(await databases?.databases())?.some(({ name }) => name === KEY_DATABASE)) return false;
  const database = await result(databases!.open(KEY_DATABASE));
  try {
    const rows: Held[] = await result(database.transaction('keys').objectStore('keys').getAll());
    return rows.some((row) => row.slug === slug && row.api_token === token && row.is_servers === false);
  } finally {
    database.close();
  }
}

/** Ends once what a first name needs is here. */
async function askForFolder(slug: string): Promise<void> {
  const { response } = send(`${RPC}/get_folder_complete_data`, { input_folder_slug: slug });
  const folder = await peek<FolderCompleteData>(await response);
  const { folder_bucket: bucket, folder_bucket_storage_path: storagePath, temp_key_api_token: token } = folder;
  if (!bucket || !storagePath || folder.folder_slug !== slug) return;
  const list = send(`${LIST}/${encodeURIComponent(bucket)}`, listRequest(storagePath, 0));
  const isAsked = folder.folder_link_mode === 'discord' || fragmentText(location.hash).startsWith(SECRET_PREFIX);
  if (token && isAsked && folder.folder_link_mode !== 'plain') {
    const path = `${KEY}/${encodeURIComponent(slug)}/${encodeURIComponent(token)}`;
    // Named before the device's keys are read: the page may want the key at any time, and would ask by itself.
    const key = ask(
      path,
      { cache: 'no-store' },
      hasKey(slug, token).catch(() => false),
    );
    await key.whole;
  }
  await list.whole;
}

/** Ends once it is fetched, or can't be. */
const fetched = (link: Partial<HTMLLinkElement>): Promise<void> =>
  new Promise((resolve) => {
    const end = () => resolve();
    document.head.append(Object.assign(document.createElement('link'), link, { onload: end, onerror: end }));
  });

const fetchAhead = (paths: readonly string[] = []) => paths.map((href) => fetched({ rel: 'modulepreload', href }));

/** On a slow line after scripts and names: until then the page shows its texts in a font of the device, as wide (fonts/fonts.css). */
function fetchFonts(fonts: readonly string[], needed: readonly Promise<void>[]): void {
  if (performance.now() < SLOW_LINE_MS) {
    for (const href of fonts) void fetched({ rel: 'preload', as: 'font', type: 'font/woff2', crossOrigin: '', href });
    return;
  }
  const { dataset } = document.documentElement;
  dataset.fonts = 'late';
  const shell = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve));
  void Promise.all([shell, ...needed]).then(() => delete dataset.fonts);
}

/** As lib/texts/language chooses it. */
function language(texts: Ahead['texts']): string {
  const bases = navigator.languages.map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  bases.unshift(keptChoice('language') ?? '');
  return bases.find((base) => Object.hasOwn(texts, base)) ?? 'en';
}

// Before anything else reads the address.
const sent = fragmentInPath(location.pathname);
if (sent) {
  history.replaceState(history.state, '', `${sent.path}#${sent.fragment}`);
  globalThis.satchelKeyWasSent = true;
}
void ask(SESSION, { cache: 'no-store' });
void ask(SETTINGS, {});
const ahead: Ahead = JSON.parse('__SATCHEL_AHEAD__');
const [, slug] = FOLDER.exec(location.pathname) ?? [];
const scripts =
  slug === undefined ? [] : [...fetchAhead(ahead.folder), ...fetchAhead(ahead.texts[language(ahead.texts)])];
// A grant is redeemed first.
const isFolder = slug !== undefined && !bringsGrant(location.hash);
fetchFonts(ahead.fonts, [...scripts, ...(isFolder ? [askForFolder(slug).catch(() => {})] : [])]);
