import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATHS } from '@satchel/contract/paths';

/**
 * A lying server: a proxy before an honest one, which serves its page and passes everything on, except the answers
 * that it is set to replace. It records every request, to search for secrets.
 */

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** An uploaded file, joined from its requests. */
export interface ReceivedUpload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly lengthBytes: number;
  readonly bytes: Buffer;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Facts about a request, for the choice of an answer. */
export interface Asked {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly body: Buffer;
}

/** An absent part is left to the honest server. */
export interface Lie {
  readonly about: (asked: Asked) => boolean;
  /** Maps the honest answer's JSON; only for status 2xx. */
  readonly change?: (honest: never, asked: Asked) => unknown;
  /** Answers without asking the honest server. */
  readonly instead?: (asked: Asked) => Answer;
  /** The path whose answer is served instead. */
  readonly path?: string;
}

export interface LyingServer {
  /** The browser's address for it. */
  readonly url: string;
  /** Starts this lie; the newest lie applies first. */
  lie(...lies: readonly Lie[]): void;
  /** Accepts every upload itself, even those that the honest server would refuse, and passes none on. */
  takeUploads(): void;
  /** Ends every lie, and lets the honest server take uploads again. */
  tellTheTruth(): void;
  /** All requests since the last `forget`. */
  received(): readonly ReceivedRequest[];
  uploads(): readonly ReceivedUpload[];
  forget(): void;
  close(): Promise<void>;
}

/** Hop-by-hop headers are not forwarded (RFC 9110 §7.6.1), and a changed answer has another length. */
const HOP_HEADERS = ['connection', 'keep-alive', 'transfer-encoding'];
const BODY_HEADERS = [...HOP_HEADERS, 'content-length', 'content-encoding', 'etag'];

const without = (headers: IncomingMessage['headers'], names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

async function bodyOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
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

/** `key base64,key base64` of the tus protocol. */
function readMetadata(header = ''): Record<string, string> {
  const pairs = header.split(',').map((pair) => pair.trim().split(' '));
  return Object.fromEntries(pairs.map(([key = '', value = '']) => [key, Buffer.from(value, 'base64').toString()]));
}

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

function assembleUpload(creation: Creation, requests: readonly ReceivedRequest[]): ReceivedUpload {
  const lengthBytes = Number(creation.headers['upload-length']);
  const bytes = Buffer.alloc(lengthBytes);
  creation.body.copy(bytes);
  for (const { method, url, headers, body } of requests) {
    if (method === 'PATCH' && url === creation.location) body.copy(bytes, Number(headers['upload-offset']));
  }
  return { metadata: readMetadata(creation.headers['upload-metadata']), lengthBytes, bytes };
}

/** Sends a request on to the honest server. */
function ask(targetPort: number, { method, headers }: IncomingMessage, path: string, body: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const passedOn = { ...without(headers, HOP_HEADERS), 'accept-encoding': 'identity' };
  const request = requestOf({ host: '127.0.0.1', port: targetPort, method, path, headers: passedOn }, resolve);
  request.on('error', reject);
  request.end(body);
  return promise;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

async function sendChanged(honest: IncomingMessage, lies: readonly Lie[], asked: Asked, response: ServerResponse) {
  const body = await bodyOf(honest);
  // The oldest lie is innermost: a newer lie changes the result of an older one.
  const said = lies.reduce<unknown>(
    (value, { change }) => change?.(value as never, asked),
    JSON.parse(body.toString()),
  );
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
    const answer = meant.findLast(({ instead }) => instead)?.instead?.(asked);
    if (answer) {
      keep(request, body);
      response.writeHead(answer.status, JSON_TYPE);
      response.end(JSON.stringify(answer.body));
      return;
    }
    const path = meant.findLast(({ path }) => path !== undefined)?.path ?? url;
    const honest = await ask(targetPort, request, path, body);
    keep(request, body, method === 'POST' && taker.isMeant(url) ? honest.headers.location : undefined);
    const changes = meant.filter(({ change }) => change);
    const isGood = honest.statusCode !== undefined && honest.statusCode < 300;
    if (changes.length > 0 && isGood) return sendChanged(honest, changes, asked, response);
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
