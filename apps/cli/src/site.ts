import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { type Api, createApi } from '@satchel/client/api';
import { createKeyStore, type KeyStore } from '@satchel/client/keys/key-store';
import type { OpeningLine } from '@satchel/client/open/open-range';
import { type Bearer, createBearer } from '@satchel/client/send/bearer';
import type { HoldLock, HttpRequest, Network, Socket } from '@satchel/client/send/ports';
import type { Session } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { KIB } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';
import { createKeyRows } from './device/key-rows.ts';
import { createLocks } from './device/locks.ts';
import type { SignIn } from './device/sign-ins.ts';
import { hashName, openDirectory } from './device/state-folder.ts';
import { release } from './memory.ts';
import { VERSION } from './version.ts';

/** One site, as this device speaks to it. */
export interface Site {
  readonly origin: string;
  /** The signed-in person; null for a visitor. */
  readonly userId: string | null;
  readonly api: Api;
  /** Fetches a path of the site, for calls that packages/client makes itself. */
  readonly fetch: typeof globalThis.fetch;
  readonly line: OpeningLine;
  readonly network: Network;
  readonly bearer: Bearer;
  readonly keys: KeyStore;
  readonly hold: HoldLock;
  /** What this device keeps of the site. */
  readonly folder: string;
}

const CLIENT = { 'User-Agent': `satchel-cli/${VERSION}` };
const THERE_MS = 10_000;
/** The body is written in pieces, so that a slow line tells how far it is. */
const PIECE_BYTES = 256 * KIB;

const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

/** One request with a body that is not copied. Rejects when nothing comes back, or the signal is aborted. */
function sendRequest({ method, url, headers, body = [], signal, onProgress }: HttpRequest) {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Network['request']>>>();
  const target = new URL(url);
  const isTls = target.protocol === 'https:';
  const length = body.reduce((sum, part) => sum + part.length, 0);
  const request = (isTls ? https : http).request(target, {
    method,
    headers: { ...CLIENT, ...headers, 'Content-Length': length },
    agent: agents[isTls ? 'https:' : 'http:'],
    ...(signal && { signal }),
  });
  request.on('error', reject);
  request.on('response', async (answer) => {
    try {
      const text = Buffer.concat(await answer.toArray()).toString();
      const header = (name: string) => answer.headers[name.toLowerCase()]?.toString() ?? null;
      resolve({ status: answer.statusCode ?? 0, statusText: answer.statusMessage ?? '', body: text, header });
    } catch (error) {
      reject(error);
    }
  });
  const write = async () => {
    let sent = 0;
    for (const part of body) {
      for (let at = 0; at < part.length; at += PIECE_BYTES) {
        const piece = part.subarray(at, at + PIECE_BYTES);
        if (!request.write(piece)) await once(request, 'drain');
        sent += piece.length;
        onProgress?.(sent);
      }
    }
    request.end();
  };
  write().catch(reject);
  return promise;
}

/**
 * Speaks to a site.
 * @param root the folder of what this command keeps
 * @param signIn null for a visitor
 */
export async function openSite(root: string, origin: string, signIn: SignIn | null): Promise<Site> {
  const folder = await openDirectory(join(await openDirectory(root), 'sites', hashName(origin)));
  const hold = createLocks(folder);
  const at = (path: string) => new URL(path, origin);
  /** Storage routes get a bearer that lives for minutes, all other routes the token of the sign-in. A visitor sends neither. */
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const url = at(path);
    const headers = new Headers({ ...CLIENT, ...Object.fromEntries(new Headers(init.headers)) });
    if (signIn !== null) {
      const token = url.pathname.startsWith(`${PATHS.storage}/`) ? await bearer.get() : signIn.token;
      headers.set('Authorization', `Bearer ${token}`);
    }
    return fetch(url, { ...init, headers });
  }
  let serverTime: { readonly timeMs: number; readonly sinceMs: number } | null = null;
  const serverTimeMs = () => (serverTime ? serverTime.timeMs + performance.now() - serverTime.sinceMs : null);

  const api = createApi({
    fetch: async (path, init) => ({ response: await ask(path, init) }),
    noteServerTime: (server_time) => {
      serverTime = { timeMs: Date.parse(server_time), sinceMs: performance.now() };
    },
  });
  const bearer = createBearer(async () => {
    if (signIn === null) throw new AppError('auth.required');
    const { session } = await api.getJson<Session>(PATHS.session);
    if (session === null) throw new AppError('auth.required');
    return session.access_token;
  });
  const isThere = () =>
    fetch(at(PATHS.healthz), { headers: CLIENT, signal: AbortSignal.timeout(THERE_MS) }).then(
      ({ status }) => status < 500,
      () => false,
    );
  const keyRows = createKeyRows(folder, hold);
  return {
    origin,
    userId: signIn?.userId ?? null,
    api,
    fetch: (input, init) => ask(String(input), init),
    line: { fetch: (input, init) => ask(String(input), init), isThere, release },
    network: {
      origin,
      request: sendRequest,
      // Node has WebSockets from 22 on; before that, everything goes by requests.
      openSocket: 'WebSocket' in globalThis ? (url, protocol) => new WebSocket(url, protocol) as Socket : null,
      isThere,
    },
    bearer,
    keys: createKeyStore({ openRows: async () => keyRows, nowMs: Date.now, serverTimeMs }),
    hold,
    folder,
  };
}
