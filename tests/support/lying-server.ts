import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FolderKeys } from '@satchel/container/key';
import { openContainer } from '@satchel/container/open';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry, Folder } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import type { TestFile } from './files.ts';

/**
 * A lying server: a proxy before an honest one, which serves its page and passes everything on, except the answers
 * that it is set to replace. It records every request, to search for secrets.
 */

interface ReceivedRequest {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Facts about a request, for the choice of an answer. */
interface Asked {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly body: Buffer;
}

/** An absent part is left to the honest server. */
export interface Lie {
  readonly about: (asked: Asked) => boolean;
  /** Maps the honest answer's JSON; only for status 2xx. */
  readonly change?: (honest: never) => unknown;
  /** The answer's JSON, without asking the honest server. */
  readonly instead?: unknown;
  /** The path whose answer is served instead. */
  readonly path?: string;
}

export interface LyingServer {
  /** The browser's address for it. */
  readonly url: string;
  /** Starts this lie; the newest lie applies first. */
  lie(...lies: readonly Lie[]): void;
  /** Accepts every upload itself, even ones that the honest server would refuse, and passes none on. */
  takeUploads(): void;
  /** Ends every lie, and lets the honest server take uploads again. */
  tellTheTruth(): void;
  /** All requests since the last `forget`. */
  received(): readonly ReceivedRequest[];
  /** The uploaded files, each joined from its requests. */
  uploads(): readonly Buffer[];
  forget(): void;
  close(): Promise<void>;
}

/** Hop-by-hop headers are not forwarded (RFC 9110 §7.6.1), and a changed answer has another length. */
const HOP_HEADERS = ['connection', 'keep-alive', 'transfer-encoding'];
const BODY_HEADERS = [...HOP_HEADERS, 'content-length', 'content-encoding', 'etag'];

const without = (headers: IncomingMessage['headers'], names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

export async function bodyOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const textsOf = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** The part of tus that a browser needs to send its files; their bytes are only in the recorded requests. */
function createUploadTaker() {
  const offsets = new Map<string, { offset: number; length: number }>();
  const TUS = { 'tus-resumable': '1.0.0', 'cache-control': 'no-store' };
  return {
    isMeant: (url: string) => url.startsWith(PATHS.resumable),
    knows: (url: string) => offsets.has(url),
    /** Answers, and gives the address of a created upload. */
    answer(
      { method = '', url = '', headers }: IncomingMessage,
      body: Buffer,
      response: ServerResponse,
    ): string | undefined {
      const known = offsets.get(url);
      const location = method === 'POST' ? `${PATHS.resumable}/${randomUUID()}` : undefined;
      if (location !== undefined) {
        offsets.set(location, { offset: body.length, length: Number(headers['upload-length']) });
        response.writeHead(201, { ...TUS, location, 'upload-offset': String(body.length) });
      } else if (!known) {
        response.writeHead(404, TUS);
      } else {
        if (method === 'PATCH') known.offset = Number(headers['upload-offset']) + body.length;
        const offset = { 'upload-offset': String(known.offset), 'upload-length': String(known.length) };
        response.writeHead(method === 'HEAD' ? 200 : 204, { ...TUS, ...offset });
      }
      response.end();
      return location;
    },
  };
}

interface Creation extends ReceivedRequest {
  /** The address where the upload continued. */
  readonly location: string;
}

function assembleUpload(creation: Creation, requests: readonly ReceivedRequest[]): Buffer {
  const bytes = Buffer.alloc(Number(creation.headers['upload-length']));
  creation.body.copy(bytes);
  for (const { method, url, headers, body } of requests) {
    if (method === 'PATCH' && url === creation.location) body.copy(bytes, Number(headers['upload-offset']));
  }
  return bytes;
}

/** Sends a request on to the server at `targetPort`. */
export function passOn(targetPort: number, { method, headers }: IncomingMessage, path: string, body: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const passedOn = { ...without(headers, HOP_HEADERS), 'accept-encoding': 'identity' };
  const request = requestOf({ host: '127.0.0.1', port: targetPort, method, path, headers: passedOn }, resolve);
  request.on('error', reject);
  request.end(body);
  return promise;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

async function sendChanged(honest: IncomingMessage, lies: readonly Lie[], response: ServerResponse) {
  const body = await bodyOf(honest);
  // The oldest lie is innermost: a newer lie changes the result of an older one.
  const said = lies.reduce<unknown>((value, { change }) => change?.(value as never), JSON.parse(body.toString()));
  response.writeHead(honest.statusCode ?? 200, without(honest.headers, BODY_HEADERS));
  response.end(JSON.stringify(said));
}

function createRecords() {
  const requests: ReceivedRequest[] = [];
  const creations: Creation[] = [];
  return {
    /** @param location address of an upload that this request created */
    keep({ method = '', url = '', headers }: IncomingMessage, body: Buffer, location?: string): void {
      const kept = { method, url, headers: textsOf(headers), body };
      requests.push(kept);
      if (location !== undefined) creations.push({ ...kept, location: new URL(location, 'http://localhost').pathname });
    },
    received: () => requests,
    uploads: () => creations.map((creation) => assembleUpload(creation, requests)),
    forget() {
      requests.length = 0;
      creations.length = 0;
    },
  };
}

/** The lies that are active. */
interface Plan {
  lies: readonly Lie[];
  takesUploads: boolean;
}

function createFront(targetPort: number, plan: Plan, keep: ReturnType<typeof createRecords>['keep']) {
  const taker = createUploadTaker();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '/' } = request;
    const body = await bodyOf(request);
    if (taker.isMeant(url) && (plan.takesUploads || taker.knows(url))) {
      return keep(request, body, taker.answer(request, body, response));
    }
    const asked: Asked = { method, path: decoded(url.replace(/\?.*/, '')), body };
    const meant = plan.lies.filter(({ about }) => about(asked));
    const instead = meant.findLast(({ instead }) => instead !== undefined)?.instead;
    if (instead !== undefined) {
      keep(request, body);
      response.writeHead(200, JSON_TYPE);
      response.end(JSON.stringify(instead));
      return;
    }
    const path = meant.findLast(({ path }) => path !== undefined)?.path ?? url;
    const honest = await passOn(targetPort, request, path, body);
    keep(request, body, method === 'POST' && taker.isMeant(url) ? honest.headers.location : undefined);
    const changes = meant.filter(({ change }) => change);
    const isGood = honest.statusCode !== undefined && honest.statusCode < 300;
    if (changes.length > 0 && isGood) return sendChanged(honest, changes, response);
    response.writeHead(honest.statusCode ?? 502, without(honest.headers, HOP_HEADERS));
    honest.pipe(response);
    response.on('close', () => honest.destroy());
  };
}

/** Listens on a free loopback port, before the server at `targetPort`. */
export async function openLyingServer(targetPort: number): Promise<LyingServer> {
  const plan: Plan = { lies: [], takesUploads: false };
  const { keep, ...records } = createRecords();
  const handle = createFront(targetPort, plan, keep);
  // Leaving a page aborts its requests; no client waits for their answers.
  const server = createServer((request, response) => handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lie: (...more) => {
      plan.lies = [...plan.lies, ...more];
    },
    takeUploads: () => {
      plan.takesUploads = true;
    },
    tellTheTruth: () => {
      plan.lies = [];
      plan.takesUploads = false;
    },
    ...records,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The lies of a server about a folder, its key and its files. */

/** Facts of a folder that can be replaced, by column name. */
export type FolderFacts = Partial<Pick<Folder, 'link_mode' | 'hide_names' | 'bucket_storage_path'>>;

const jsonOf = ({ body }: Asked): Record<string, unknown> => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
};

/** A call of a procedure. */
export const isCall = (name: string) => (asked: Asked) => asked.path === `${PATHS.rpc}/${name}`;
/** A request for the facts of a folder; without a slug, of any folder. */
export const asksFor = (slug: string | null) => (asked: Asked) =>
  isCall('get_folder_complete_data')(asked) && (slug === null || jsonOf(asked).input_folder_slug === slug);
const isUnder = (path: string, slug: string | null, asked: Asked) =>
  asked.path.startsWith(`${path}/`) && (slug === null || asked.path.split('/')[path.split('/').length] === slug);

/** The consolidated answer has other names for the same facts. */
const consolidated = ({ hide_names, ...facts }: FolderFacts): Partial<FolderCompleteData> => ({
  ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [`folder_${name}`, value])),
  ...(hide_names === undefined ? {} : { hide_names }),
});

/** Replaces these facts in each answer about the folder; without a slug, about any folder. */
export const folderIs = (slug: string | null, facts: FolderFacts): Lie[] => [
  {
    about: asksFor(slug),
    change: (honest: FolderCompleteData) => ({ ...honest, ...consolidated(facts) }),
  },
  { about: (asked) => isUnder(PATHS.folders, slug, asked), change: (honest: Folder) => ({ ...honest, ...facts }) },
];

/** The folder's key service gives this answer to every request. */
export const keyIs = (slug: string | null, body: Readonly<Record<string, unknown>>): Lie => ({
  about: (asked) => isUnder(PATHS.key, slug, asked),
  instead: body,
});

/** Replaces the list of the files at a path. */
export const listIs = (storagePath: string, change: (entries: FileEntry[]) => readonly FileEntry[]): Lie => ({
  about: (asked) => asked.path.startsWith(`${PATHS.list}/`) && jsonOf(asked).prefix === storagePath,
  change,
});

/** Serves the bytes of another stored file at an address; both are `{bucket}/{path}`. */
export const bytesAre = (ofPath: string, others: string): Lie => ({
  about: ({ path }) => path === `${PATHS.objectPublic}/${ofPath}`,
  path: `${PATHS.objectPublic}/${others.split('/').map(encodeURIComponent).join('/')}`,
});

/** A lying server's gain: plaintext, names, and files sealed under a key that it has. */

export interface Gain {
  /** Parts of the files' contents, in any encoding. */
  readonly plaintextBytes: number;
  /** Requests that contain a file's name. */
  readonly clearNames: number;
  /** Uploads that open with a key of the server. */
  readonly sealedForServer: number;
  /** Uploads other than one of the files, sealed under the owner's key. */
  readonly notOwners: number;
}

export const NO_GAIN: Gain = { plaintextBytes: 0, clearNames: 0, sealedForServer: 0, notOwners: 0 };

const BLOCK_BYTES = 32;
const TELLING_WORD_LENGTH = 8;

/** The base64 of `bytes` at each alignment, without the characters shared with neighbouring bytes. */
function base64Spellings(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const whole = text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** `bytes` in an address, a header or a body, read as Latin-1. */
function spellings(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  const text = bytes.toString('utf8');
  const texts = text.includes('\ufffd')
    ? []
    : [encodeURIComponent(text), encodeURI(text), JSON.stringify(text).slice(1, -1)];
  const escaped = [...text].map((char) =>
    char > '~' ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char,
  );
  return [bytes.toString('latin1'), hex, hex.toUpperCase(), ...texts, escaped.join(''), ...base64Spellings(bytes)];
}

/** tus metadata headers are base64; search their decoded values, too. */
function textOf({ method, url, headers, body }: ReceivedRequest): string {
  const metadata = (headers['upload-metadata'] ?? '')
    .split(/[ ,]/)
    .map((part) => Buffer.from(part, 'base64').toString('latin1'));
  return [method, url, JSON.stringify(headers), ...metadata, body.toString('latin1')].join('\n');
}

function plaintextBytes(texts: readonly string[], { buffer }: TestFile): number {
  let found = 0;
  for (let at = 0; at < buffer.length; at += BLOCK_BYTES) {
    const block = buffer.subarray(at, at + BLOCK_BYTES);
    const wanted = block.length < BLOCK_BYTES ? [] : spellings(block);
    if (wanted.some((spelling) => texts.some((text) => text.includes(spelling)))) found += block.length;
  }
  return found;
}

/** A word of a name reveals it, however the rest is encoded. */
function clearNames(texts: readonly string[], { name }: TestFile): number {
  const words = name.split(/[^a-z0-9]+/i).filter(({ length }) => length >= TELLING_WORD_LENGTH);
  const wanted = words.flatMap((word) => spellings(Buffer.from(word)));
  return texts.filter((text) => wanted.some((spelling) => text.includes(spelling))).length;
}

const streamOf = (bytes: Buffer): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new Blob([new Uint8Array(bytes)]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>;

/** The plaintext of an upload, or null when this key does not open it. */
async function opened(keys: FolderKeys, bytes: Buffer): Promise<Buffer | null> {
  try {
    const { plaintext } = await openContainer(keys, streamOf(bytes));
    const chunks: Uint8Array[] = [];
    for await (const some of plaintext) chunks.push(...some);
    return Buffer.concat(chunks);
  } catch {
    return null;
  }
}

interface GainInput {
  /** Files that were chosen since the last `forget`. */
  readonly files: readonly TestFile[];
  /** The folder's keys, from its link. */
  readonly owners: readonly FolderKeys[];
  /** Keys that the server knows. */
  readonly servers: readonly FolderKeys[];
}

const anyOpens = async (keys: readonly FolderKeys[], upload: Buffer, isMeant: (bytes: Buffer) => boolean) => {
  const contents = await Promise.all(keys.map((key) => opened(key, upload)));
  return contents.some((content) => content !== null && isMeant(content));
};

/** The server's gain of these files. */
export async function gainOf(server: LyingServer, { files, owners, servers }: GainInput): Promise<Gain> {
  const texts = server.received().map(textOf);
  const uploads = server.uploads();
  const isChosen = (content: Buffer) => files.some(({ buffer }) => buffer.equals(content));
  const ofOwner = await Promise.all(uploads.map((upload) => anyOpens(owners, upload, isChosen)));
  const ofServer = await Promise.all(uploads.map((upload) => anyOpens(servers, upload, () => true)));
  const sum = (count: (texts: readonly string[], file: TestFile) => number) =>
    files.reduce((total, file) => total + count(texts, file), 0);
  return {
    plaintextBytes: sum(plaintextBytes),
    clearNames: sum(clearNames),
    sealedForServer: ofServer.filter(Boolean).length,
    notOwners: ofOwner.filter((isOwners) => !isOwners).length,
  };
}
