import { setTimeout as pause } from 'node:timers/promises';
import { type Api, createApi } from '@satchel/client/api';
import { listFiles as listAllFiles } from '@satchel/client/folders/list-files';
import { derivePassphraseKey } from '@satchel/client/keys/derive-passphrase-key';
import { createFolderKey } from '@satchel/client/keys/folder-crypto';
import { folderLink } from '@satchel/client/keys/folder-link';
import { createKeyStore } from '@satchel/client/keys/key-store';
import { createLinkMode } from '@satchel/client/keys/link-mode';
import { createBearer } from '@satchel/client/send/bearer';
import { createWindowMaker } from '@satchel/client/send/bytes/window-maker';
import type { UploadFolder } from '@satchel/client/send/order';
import type { Network } from '@satchel/client/send/ports';
import { transfer } from '@satchel/client/send/transfer';
import { formatKey, importKeys } from '@satchel/container/key';
import { type Keyring, newKeyring, sealingKeyOf } from '@satchel/container/keyring';
import type { AuthorizeOutput, CreateFolderInput } from '@satchel/contract/api';
import type { FileEntry, Folder } from '@satchel/contract/entities';
import { joinPath } from '@satchel/contract/files/path-parts';
import { BUCKET } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';
import { type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { creationHeaders } from '../../apps/server/test/support/folders.ts';
import type { TestFile } from './files.ts';

/**
 * Where a test kills nodes all the time (SITE_KILLS_EVERY), answers get lost; the caller then retries, as the page does.
 * Elsewhere each request is sent once.
 */
const DELAYS_MS = process.env.SITE_KILLS_EVERY ? [0, 500, 1000, 2000, 4000, 8000, 16_000] : [];

export const ASKS_AGAIN = DELAYS_MS.length > 0;

/** What a balancer says for a node that died. */
const LOST: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether it is the answer of a balancer for a node that was killed on purpose. */
export const isLost = (status: number): boolean => ASKS_AGAIN && LOST.has(status);

/** Retries an act that threw. Only for acts that may run twice. */
export async function patiently<Result>(act: () => Promise<Result>): Promise<Result> {
  for (const delayMs of DELAYS_MS) {
    try {
      return await act();
    } catch {
      await pause(delayMs);
    }
  }
  return act();
}

/** The answer with all of its bytes, which a killed node may not have sent. @throws where they don't come */
async function whole(answer: Response): Promise<Response> {
  if (answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer;
  return new Response(await answer.arrayBuffer(), answer);
}

/** Like fetch, for a request that may be made twice. */
export async function ask(url: string, init?: RequestInit): Promise<Response> {
  for (const delayMs of DELAYS_MS) {
    const answer = await fetch(url, init)
      .then(whole)
      .catch(() => null);
    if (answer && !isLost(answer.status)) return answer;
    await pause(delayMs);
  }
  return fetch(url, init);
}

/** A person as an HTTP client: signs in through the sandbox like a browser, and keeps the cookies. */

export interface Person {
  readonly id: string;
  readonly token: string;
  /** The calls of a client with the session cookie and this site's Origin. */
  readonly api: Api;
  /** A JSON call with the session cookie and this site's Origin; `headers` override the defaults. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  rpc(name: string, input: unknown): Promise<Response>;
  /** The present Cookie header. */
  cookies(): string;
}

export interface SignInTarget {
  readonly url: string;
}

/** The cookies of one browser. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  take(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals);
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(equals + 1));
    }
  }

  header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

/** The target of a redirect. */
export const locationOf = (response: Response): string => {
  const location = response.headers.get('location');
  if (!location) throw new Error(`expected a redirect, got ${response.status} from ${response.url}`);
  return location;
};

/** Procedures that read, or leave the same behind when they are called twice. */
const REPEATABLE_RPC = /^\/rest\/v1\/rpc\/(get|update|generate|revoke|delete)_/;

/** Whether a call may be made again when its answer was lost. */
const isRepeatable = (method: string, path: string): boolean =>
  method === 'POST' ? path.startsWith(`${PATHS.list}/`) || REPEATABLE_RPC.test(path) : method !== 'PATCH';

/** Signs a persona in and reads the session. */
export const signIn = (site: SignInTarget, persona: string): Promise<Person> =>
  patiently(() => signInOnce(site, persona));

async function signInOnce(site: SignInTarget, persona: string): Promise<Person> {
  const jar = new CookieJar();
  const visit = async (url: string, init: RequestInit = {}, send: typeof ask = fetch) => {
    const headers = { ...(init.headers as Record<string, string>), cookie: jar.header() };
    const response = await send(url, { redirect: 'manual', ...init, headers });
    if (url.startsWith(site.url)) jar.take(response);
    return response;
  };
  const begun = await visit(`${site.url}/auth/v1/authorize?provider=discord&redirect_to=/profile`);
  const { url: consent } = (await begun.json()) as AuthorizeOutput;
  const callback = locationOf(await fetch(`${consent}&persona=${persona}`, { redirect: 'manual' }));
  const landed = locationOf(await visit(callback));
  if (landed.includes('error')) throw new Error(`sign-in failed: ${landed}`);
  const call: Person['call'] = (method, path, body, headers = {}) => {
    const isJson = body !== undefined;
    const init: RequestInit = {
      method,
      headers: { origin: site.url, ...(isJson && { 'content-type': 'application/json' }), ...headers },
      ...(isJson && { body: JSON.stringify(body) }),
    };
    return visit(`${site.url}${path}`, init, isRepeatable(method, path) ? ask : fetch);
  };
  const { session } = (await (await call('GET', '/auth/v1/session')).json()) as {
    session: { access_token: string; user: { id: string } };
  };
  return {
    id: session.user.id,
    token: session.access_token,
    api: createApi({
      async fetch(path, init) {
        const headers = { ...Object.fromEntries(new Headers(init.headers)), origin: site.url };
        const send = isRepeatable(init.method ?? 'GET', path) ? ask : fetch;
        return { response: await visit(site.url + path, { ...init, headers }, send) };
      },
    }),
    call,
    cookies: () => jar.header(),
    rpc: (name, input) => call('POST', `/rest/v1/rpc/${name}`, input),
  };
}

export type CreatedFolder = UploadFolder;

/** @throws with the server's words */
export async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Creates a folder; one whose answer was lost on the way is deleted, and made again. */
export async function createFolder(person: Person, wish: CreateFolderInput): Promise<CreatedFolder> {
  const create = async () =>
    (await answerOf<{ folder: CreatedFolder }>(await person.rpc('create_folder_with_temp_key', wish))).folder;
  if (!ASKS_AGAIN) return create();
  const ofThisName = async () => {
    const mine = await answerOf<Folder[]>(await person.call('GET', `${PATHS.folders}?owner=me`));
    return mine.filter(({ name }) => name === wish.folder_name).map(({ id }) => id);
  };
  const before = await ofThisName();
  return patiently(async () => {
    const lost = (await ofThisName()).filter((id) => !before.includes(id));
    for (const folder_id of lost) await person.rpc('delete_folder_complete', { folder_id });
    return create();
  });
}

/** Creates a plain folder, so that stored bytes can be compared. */
export const createPlainFolder = (person: Person, name = 'Acceptance'): Promise<CreatedFolder> =>
  createFolder(person, { folder_name: name });

/** tus-js-client, unmodified, as any client would use it. */
interface TusTarget {
  readonly url: string;
  readonly person: Person;
  readonly path: string;
}

function tusOptions({ url, person, path }: TusTarget): UploadOptions {
  return {
    endpoint: `${url}${PATHS.resumable}`,
    chunkSize: 6 * 1024 * 1024,
    retryDelays: [],
    headers: { authorization: `Bearer ${person.token}` },
    metadata: { bucketName: BUCKET, objectName: path, contentType: 'text/plain', cacheControl: '3600' },
  };
}

/** The headers of each tus request of a person. */
export const tusHeaders = ({ token }: Pick<Person, 'token'>) => ({
  authorization: `Bearer ${token}`,
  'tus-resumable': '1.0.0',
});

export const OFFSET_BYTES = 'application/offset+octet-stream';

/** The headers of a piece of an upload. */
export const pieceHeaders = (person: Pick<Person, 'token'>, offset: number) => ({
  ...tusHeaders(person),
  'upload-offset': String(offset),
  'content-type': OFFSET_BYTES,
});

/**
 * Creates an upload by hand: tus-js-client would send the file, too.
 * @param body the whole file, in the request that creates its upload
 */
export async function createOverTus(
  { url, person, path }: TusTarget,
  sizeBytes: number,
  { body }: { readonly body?: Uint8Array<ArrayBuffer> } = {},
): Promise<{ url: string }> {
  const response = await fetch(`${url}${PATHS.resumable}`, {
    method: 'POST',
    headers: {
      ...tusHeaders(person),
      ...creationHeaders(path, sizeBytes),
      ...(body && { 'content-type': OFFSET_BYTES }),
    },
    body: body ?? null,
  });
  const { status } = response;
  const location = response.headers.get('location');
  if (status !== 201 || location === null) throw new Error(`no upload: ${status} ${await response.text()}`);
  return { url: location };
}

interface Outcome {
  readonly upload: Upload;
  readonly error: DetailedError | null;
}

/** Runs an upload until it succeeds or fails. */
export function runTus(target: TusTarget, bytes: Buffer, more: Partial<UploadOptions> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const upload: Upload = new Upload(bytes, {
      ...tusOptions(target),
      ...more,
      onSuccess: () => resolve({ upload, error: null }),
      onError: (error) => resolve({ upload, error: error as DetailedError }),
    });
    upload.start();
  });
}

/** Uploads until that many bytes are acknowledged, then stops without telling the server. */
export function runTusUntil(target: TusTarget, bytes: Buffer, acknowledgedBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload: Upload = new Upload(bytes, {
      ...tusOptions(target),
      chunkSize: 1024 * 1024,
      onError: reject,
      onSuccess: () => reject(new Error('the upload finished before it could be stopped')),
      onChunkComplete: (_size, accepted) => {
        if (accepted < acknowledgedBytes) return;
        void upload.abort(false);
        resolve(upload.url ?? '');
      },
    });
    upload.start();
  });
}

/** Folders, links and files as a client makes them, without a page: for tests whose subject comes after them. */

export interface FolderContent extends TestFile {
  /** The directory that its label names; absent when it names no directory. */
  readonly directory?: string;
}

export interface FolderWish {
  readonly name: string;
  readonly files?: readonly FolderContent[];
  /** Private where left out. */
  readonly mode?: 'private' | 'discord' | 'plain';
  /** True where left out; a plain folder never hides them. */
  readonly hidesNames?: boolean;
  /** Of a private link. */
  readonly passphrase?: string;
}

/** A folder with its owner, who adds files and replaces its link. */
export interface OwnedFolder {
  readonly folder: CreatedFolder;
  /** The newest full link; without a key, the address. */
  link(): string;
  /** All of its keys, newest last; null for a plain folder. */
  ring(): Keyring | null;
  /** Uploads a file, sealed under the newest key. */
  add(file: FolderContent): Promise<void>;
  /** Makes another private link, with a key for later files; gives the full link. */
  replaceLink(passphrase?: string): Promise<string>;
  /** Leaves the keys with the server, so that the address alone opens the folder. */
  openToDiscord(): Promise<void>;
}

/** The site's network, as Node has it. */
const networkOf = ({ url: origin }: SignInTarget): Network => ({
  origin,
  openSocket: null,
  isThere: async () => true,
  async request({ method, url, headers, body, signal }) {
    const response = await fetch(new URL(url, origin), {
      method,
      headers,
      body: body ? new Blob([...body]) : null,
      signal: signal ?? null,
    });
    const { status, statusText } = response;
    return { status, statusText, body: await response.text(), header: (name) => response.headers.get(name) };
  },
});

const withPassphrase = (passphrase: string | undefined) => (passphrase === undefined ? {} : { passphrase });

/** Creates a folder with files, one after the other: lists keep the order of arrival. */
export async function createFolderAs(
  person: Person,
  site: SignInTarget,
  { name, files = [], mode = 'private', hidesNames = true, passphrase }: FolderWish,
): Promise<OwnedFolder> {
  const wish = { hidesNames, ...withPassphrase(passphrase) };
  const made = mode === 'private' ? await createFolderKey(wish, derivePassphraseKey) : null;
  let ring = made?.ring ?? (mode === 'discord' ? newKeyring({ hidesNames }) : null);
  const folder = await createFolder(person, {
    folder_name: name,
    hide_names: ring !== null && hidesNames,
    ...made?.fields,
    ...(ring && mode === 'discord' && { encryption_key: formatKey(sealingKeyOf(ring)) }),
  });
  let link = folderLink(site.url, folder.slug, made?.secret ?? null);

  const keys = createKeyStore({ openRows: async () => null, nowMs: Date.now, serverTimeMs: Date.now });
  const links = createLinkMode({
    rpc: person.api.rpc,
    keys,
    derivePassphraseKey,
    alone: (_folderId, _waits, act) => act(),
    ignoreNewsOf: () => () => undefined,
  });
  /** The folder as its link is changed. @throws where it is plain */
  async function present() {
    const data = await person.api.rpc('get_folder_complete_data', { input_folder_slug: folder.slug });
    if (!ring || !('folder_id' in data)) throw new Error('the folder is not encrypted, or has expired');
    return { data, ring };
  }

  async function add({ name, mimeType: type, buffer, directory = '' }: FolderContent): Promise<void> {
    const file = new File([new Uint8Array(buffer)], name, { type });
    const sending = transfer({
      order: {
        file,
        strips: false,
        name,
        // A hostile name may have slashes, which begin no directory: the label takes it as it is.
        path: joinPath(directory, name.replaceAll('/', '_')),
        folder,
        keys: ring && (await importKeys(sealingKeyOf(ring))),
        userId: person.id,
      },
      recallFolder: async () => ({ isPinned: false }),
      openLog: async () => null,
      hold: async () => () => undefined,
      createMaker: (ingredients) => createWindowMaker(ingredients),
      network: networkOf(site),
      bearer: createBearer(async () => person.token),
      isOnline: true,
      emit: () => undefined,
    });
    await sending.done;
  }

  for (const file of files) await add(file);
  return {
    folder,
    link: () => link,
    ring: () => ring,
    add,
    async replaceLink(passphrase) {
      const { data, ring: before } = await present();
      const { fragment } = await links.makePrivateLink(data, before, withPassphrase(passphrase));
      const { known } = await keys.recallFolder(person.id, { folderId: folder.id, slug: folder.slug });
      ring = known?.ring ?? null;
      link = folderLink(site.url, folder.slug, null) + fragment;
      return link;
    },
    async openToDiscord() {
      const { data, ring: before } = await present();
      await links.openToDiscord(data, before);
      link = folderLink(site.url, folder.slug, null);
    },
  };
}

/** A folder's files as the server lists them. @param storagePath the folder's path in its bucket */
export const listFiles = (person: Person, storagePath: string): Promise<FileEntry[]> =>
  listAllFiles(person.api, { bucket: BUCKET, storagePath });
