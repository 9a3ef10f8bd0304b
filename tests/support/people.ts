import { setTimeout as pause } from 'node:timers/promises';
import { encodeBase64Url } from '@satchel/container/base64url';
import { encodeHeader } from '@satchel/container/format';
import {
  type FolderKeys,
  formatKey,
  hashProof,
  importKeys,
  newKeyShare,
  newLinkSecret,
  proveSecret,
} from '@satchel/container/key';
import {
  addFolderKey,
  importKeyring,
  type Keyring,
  newKeyring,
  sealingKeyOf,
  sealKeyring,
} from '@satchel/container/keyring';
import { hashHeader, sealLabel } from '@satchel/container/label';
import { renewLabel } from '@satchel/container/proof';
import { createHeader, createSealer, sealStream } from '@satchel/container/seal';
import type { CreateFolderInput, FolderCompleteData, StageLabelsOutput } from '@satchel/contract/api';
import type { FileEntry, Folder } from '@satchel/contract/entities';
import { storedName } from '@satchel/contract/file-name';
import { BUCKET } from '@satchel/contract/limits';
import { extensionOf, randomBase62 } from '@satchel/contract/naming';
import { PATHS } from '@satchel/contract/paths';
import { type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { creationHeaders } from '../../apps/server/test/support/folders.ts';
import { derivePassphraseKey } from '@satchel/client/keys/derive-passphrase-key';
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
  const consent = locationOf(await visit(`${site.url}/auth/v1/authorize?provider=discord&redirect_to=/profile`));
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
    call,
    cookies: () => jar.header(),
    rpc: (name, input) => call('POST', `/rest/v1/rpc/${name}`, input),
  };
}

export interface CreatedFolder {
  readonly id: string;
  readonly slug: string;
  readonly bucket_storage_path: string;
}

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

/** Folders, links and files as the page makes them, without a page: for tests whose subject comes after them. */

type Bytes = Uint8Array<ArrayBuffer>;

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

interface PrivateLink {
  readonly secret: Bytes;
  readonly fields: { readonly sealed_key: string; readonly key_share: string };
}

async function sealPrivateLink(ring: Keyring, passphrase: string | undefined): Promise<PrivateLink> {
  const [secret, share] = [newLinkSecret(), newKeyShare()];
  const key_share = encodeBase64Url(share);
  if (passphrase === undefined)
    return { secret, fields: { sealed_key: await sealKeyring({ ring, secret, share }), key_share } };
  const passphraseKey = await derivePassphraseKey({ passphrase, secret });
  const proof = { passphrase: true, proof_hash: await hashProof(await proveSecret({ secret, passphraseKey })) };
  return {
    secret,
    fields: { sealed_key: await sealKeyring({ ring, secret, share, passphraseKey }), key_share, ...proof },
  };
}

interface Sealing {
  readonly keys: FolderKeys;
  readonly hidesNames: boolean;
}

/** The bytes to store, and their metadata, under this stored name. */
export async function sealFile(
  { name, mimeType: type, buffer, directory = '' }: FolderContent,
  { keys, hidesNames }: Sealing,
  stored: string,
) {
  const plain = new Blob([new Uint8Array(buffer)]);
  const sizeBytes = plain.size;
  const decoded = encodeHeader(createHeader({ sizeBytes, name, type, hidesName: hidesNames }));
  const parts: Uint8Array[] = [decoded.prefix];
  for await (const unit of sealStream(await createSealer(keys, decoded), plain)) {
    for (const { bytes } of unit) parts.push(bytes);
  }
  const label = await sealLabel(
    keys,
    { name, type, sizeBytes, header: await hashHeader(decoded.prefix), directory },
    stored,
  );
  return { bytes: Buffer.concat(parts), contentType: hidesNames ? 'application/octet-stream' : type, sealed: label };
}

function storedNameOf(name: string, sealing: Sealing | null): string {
  if (sealing) return storedName(sealing.hidesNames ? randomBase62(16) : name, 'enc', Date.now());
  const extension = extensionOf(name);
  return storedName(extension === '' ? name : name.slice(0, -extension.length - 1), extension, Date.now());
}

/** Brings the labels of all files under the newest key of a ring, as the owner's page does. */
async function stageLabels(person: Person, folder: CreatedFolder, ring: Keyring, next: Keyring): Promise<string> {
  const [before, after] = await Promise.all([importKeyring(ring), importKeyring(next)]);
  const input = { folder_id: folder.id, stage_id: crypto.randomUUID() };
  const stage = async (labels: readonly object[]) =>
    answerOf<StageLabelsOutput>(await person.rpc('stage_folder_labels', { ...input, labels }));
  for (let { missing } = await stage([]); missing.length > 0; ) {
    const labels = missing.map(async ({ name, sealed: earlier }) => {
      const sealed = await renewLabel(before, after, { storedName: name, sealed: earlier }).catch(() => null);
      return { name, earlier, sealed };
    });
    ({ missing } = await stage(await Promise.all(labels)));
  }
  return input.stage_id;
}

async function tokenOf(person: Person, { slug }: CreatedFolder): Promise<string | null> {
  const data = await person.rpc('get_folder_complete_data', { input_folder_slug: slug });
  return (await answerOf<FolderCompleteData>(data)).temp_key_api_token;
}

/** Creates a folder with files, one after the other: lists keep the order of arrival. */
export async function createFolderAs(
  person: Person,
  site: SignInTarget,
  { name, files = [], mode = 'private', hidesNames = true, passphrase }: FolderWish,
): Promise<OwnedFolder> {
  let ring = mode === 'plain' ? null : newKeyring({ hidesNames });
  let link = ring && mode === 'private' ? await sealPrivateLink(ring, passphrase) : null;
  const folder = await createFolder(person, {
    folder_name: name,
    hide_names: ring !== null && hidesNames,
    ...link?.fields,
    ...(ring && mode === 'discord' && { encryption_key: formatKey(sealingKeyOf(ring)) }),
  });
  const address = `${site.url}/f/${folder.slug}`;
  const linkNow = () => (link ? `${address}#k=${encodeBase64Url(link.secret)}` : address);

  async function add(file: FolderContent): Promise<void> {
    const sealing = ring && { keys: await importKeys(sealingKeyOf(ring)), hidesNames };
    const stored = storedNameOf(file.name, sealing);
    const path = `${folder.bucket_storage_path}/${stored}`;
    const { bytes, ...facts } = sealing
      ? await sealFile(file, sealing, stored)
      : { bytes: file.buffer, contentType: file.mimeType };
    const metadata = { bucketName: 'unlocked-folders', objectName: path, cacheControl: '3600', ...facts };
    const { error } = await runTus({ url: site.url, person, path }, bytes, { metadata, retryDelays: [0, 1000, 3000] });
    if (error) throw error;
  }

  for (const file of files) await add(file);
  return {
    folder,
    link: linkNow,
    ring: () => ring,
    add,
    async replaceLink(passphrase) {
      if (!ring) throw new Error('the folder is not encrypted');
      const next = addFolderKey(ring);
      const made = await sealPrivateLink(next, passphrase);
      const relabel = {
        stage_id: await stageLabels(person, folder, ring, next),
        replaces: await tokenOf(person, folder),
      };
      await answerOf(
        await person.rpc('generate_temp_encryption_key', { folder_id: folder.id, ...made.fields, relabel }),
      );
      [ring, link] = [next, made];
      return linkNow();
    },
    async openToDiscord() {
      if (!ring) throw new Error('the folder is not encrypted');
      const [encrypted_key, ...earlier_keys] = ring.keys.map(formatKey).toReversed();
      const keys = { encrypted_key, ...(earlier_keys.length > 0 && { earlier_keys }) };
      await answerOf(await person.rpc('generate_temp_encryption_key', { folder_id: folder.id, ...keys }));
      link = null;
    },
  };
}

/** A folder's files as the server lists them. @param prefix the folder's path in its bucket */
export const listFiles = async (person: Person, prefix: string): Promise<FileEntry[]> =>
  answerOf(await person.call('POST', `${PATHS.list}/unlocked-folders`, { prefix }));
