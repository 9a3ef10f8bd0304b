import { AppError } from '@satchel/contract/errors';
import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { LINK_TOKEN_HEADER, PATHS } from '@satchel/contract/paths';
import { pause } from '../../pause.ts';
import type { Bearer } from '../bearer.ts';
import { AttemptFailed, failureOfAnswer, networkFailure } from '../failure.ts';
import type { Bytes, HttpAnswer, HttpRequest, Network } from '../ports.ts';
import type { Line, LineDeps } from './line.ts';
import { watchLine } from './line.ts';

/** The requests of an upload (tus 1.0.0), each of which rejects with AttemptFailed, or with what the bearer or the signal throws. */

export interface RequestDeps {
  readonly network: Network;
  readonly bearer: Pick<Bearer, 'get'>;
}

/** An upload on the server. */
export interface Begun {
  readonly url: string;
  readonly offset: number;
  readonly length: number;
}

/** What a creation says of a file, apart from its length. */
interface Creation {
  readonly metadata: Record<string, string>;
  readonly linkToken: string | null;
}

const TUS = { 'Tus-Resumable': '1.0.0' };

/** One request, and its answer with any status. A line that swallows everything ends the request. */
async function ask({ network, bearer }: RequestDeps, request: HttpRequest): Promise<HttpAnswer> {
  const headers = { ...TUS, Authorization: `Bearer ${await bearer.get()}`, ...request.headers };
  const { signal, onProgress } = request;
  signal?.throwIfAborted();
  const lost = new AbortController();
  const watch = watchLine(network.isThere, () => lost.abort());
  try {
    return await network.request({
      ...request,
      headers,
      signal: signal ? AbortSignal.any([signal, lost.signal]) : lost.signal,
      onProgress(sentBytes) {
        watch.touch();
        onProgress?.(sentBytes);
      },
    });
  } catch {
    signal?.throwIfAborted();
    throw new AttemptFailed(networkFailure(request.method));
  } finally {
    watch.stop();
  }
}

const isOk = ({ status }: HttpAnswer) => status >= 200 && status < 300;
const numberIn = (answer: HttpAnswer, name: string) => Number.parseInt(answer.header(name) ?? '', 10);

async function askWell(deps: RequestDeps, request: HttpRequest): Promise<HttpAnswer> {
  const answer = await ask(deps, request);
  if (!isOk(answer)) throw new AttemptFailed(failureOfAnswer(request.method, answer));
  return answer;
}

/** tus, Upload-Metadata: "The key and value MUST be separated by a space. […] the value MUST be Base64 encoded." */
function metadataHeader(metadata: Record<string, string>): string {
  const encode = (text: string) =>
    btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
  return Object.entries(metadata)
    .map(([key, value]) => `${key} ${encode(value)}`)
    .join(',');
}

/**
 * Creates the upload. It takes no signal: the server would reserve quota for an upload that no log names.
 * @param whole all bytes, which are sent along (tus, Creation With Upload), with the signal that gives them up
 */
export async function createOnServer(
  deps: RequestDeps,
  { metadata, linkToken }: Creation,
  length: number,
  whole?: { readonly bytes: Bytes; readonly signal: AbortSignal; readonly onProgress: (sentBytes: number) => void },
): Promise<Begun> {
  const answer = await askWell(deps, {
    method: 'POST',
    url: deps.network.origin + PATHS.resumable,
    headers: {
      'Upload-Length': String(length),
      'Upload-Metadata': metadataHeader(metadata),
      ...(linkToken === null ? {} : { [LINK_TOKEN_HEADER]: linkToken }),
      ...(whole ? { 'Content-Type': 'application/offset+octet-stream' } : {}),
    },
    ...(whole ? { body: [whole.bytes], signal: whole.signal, onProgress: whole.onProgress } : {}),
  });
  const url = answer.header('Location');
  if (url === null) {
    const error = new AppError('upload.no_url');
    throw new AttemptFailed({ kind: 'response', method: 'POST', status: answer.status, error });
  }
  return { url: new URL(url, deps.network.origin).href, offset: whole ? numberIn(answer, 'Upload-Offset') : 0, length };
}

/** Where an upload stands. */
export async function askOffset(deps: RequestDeps, url: string, signal: AbortSignal): Promise<Begun> {
  const answer = await askWell(deps, { method: 'HEAD', url, headers: {}, signal });
  return { url, offset: numberIn(answer, 'Upload-Offset'), length: numberIn(answer, 'Upload-Length') };
}

/** Windows of one request: the line is idle until the server has made a request's bytes durable. */
const WINDOWS_AT_ONCE = 4;

/** A request for every few windows: for networks that keep the upload socket out. */
export function openHttpLine(deps: LineDeps & RequestDeps, url: string, from: number): Line {
  const { signal, onProgress, onAcknowledged } = deps;
  let offset = from;
  let held: { readonly bytes: Bytes; readonly onFree: () => void }[] = [];

  function free(): void {
    for (const { onFree } of held) onFree();
    held = [];
  }

  async function flush(): Promise<void> {
    const body = held.map(({ bytes }) => bytes);
    const end = body.reduce((sum, { length }) => sum + length, offset);
    const answer = await askWell(deps, {
      method: 'PATCH',
      url,
      headers: { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
      body,
      signal,
      onProgress: (sentBytes) => onProgress(offset + sentBytes),
    });
    // The server may keep less than it was sent: the next attempt asks where it stands.
    if (numberIn(answer, 'Upload-Offset') !== end) throw new AttemptFailed(networkFailure('PATCH'));
    offset = end;
    free();
    onAcknowledged(offset);
  }

  return {
    opened: async () => undefined,
    async send(bytes, onFree) {
      held.push({ bytes, onFree });
      if (held.length === WINDOWS_AT_ONCE) await flush();
    },
    ended: async () => {
      if (held.length > 0) await flush();
    },
    close: free,
  };
}

/** Where an upload stands that an earlier process began. */
export type Standing =
  | { readonly state: 'open'; readonly offset: number }
  /** Completed, or deleted on the server: nothing to resume. */
  | { readonly state: 'over' }
  /** It could not be asked. */
  | { readonly state: 'unknown' };

// tus 1.0.0, "HEAD": "If the resource is not found, the Server SHOULD return either the `404 Not Found`, `410 Gone` or
// `403 Forbidden` status without the `Upload-Offset` header."
const GONE = [403, 404, 410];

/** Asks the server how far an upload is. Never throws. */
export async function standingOf(deps: RequestDeps, url: string): Promise<Standing> {
  try {
    const answer = await ask(deps, { method: 'HEAD', url, headers: {} });
    if (GONE.includes(answer.status)) return { state: 'over' };
    const [offset, length] = [numberIn(answer, 'Upload-Offset'), numberIn(answer, 'Upload-Length')];
    if (!isOk(answer) || !(offset <= length)) return { state: 'unknown' };
    return offset === length ? { state: 'over' } : { state: 'open', offset };
  } catch {
    return { state: 'unknown' };
  }
}

interface Termination extends RequestDeps {
  readonly url: string;
  /** A completed upload is a file of the folder, and the server would remove that, too: leave it alone. */
  readonly onlyIfOpen: boolean;
  /** How often to try, with the pauses of the upload's own tries between. */
  readonly tries: number;
}

/** Answers that don't tell the upload's state: no valid bearer, a lock or conflict, or too many requests. */
const UNSETTLED = [401, 409, 423, 429];

async function tryOnce(termination: Termination): Promise<boolean> {
  const { url, onlyIfOpen } = termination;
  try {
    if (onlyIfOpen) {
      const { state } = await standingOf(termination, url);
      if (state !== 'open') return state === 'over';
    }
    const { status } = await ask(termination, { method: 'DELETE', url, headers: {} });
    return status < 500 && !UNSETTLED.includes(status);
  } catch {
    return false;
  }
}

/**
 * Ends an upload on the server, which releases its reserved quota. Best effort: one that can't be ended now expires.
 * @returns whether the server confirmed that the upload is no longer open
 */
export async function terminateUpload(termination: Termination): Promise<boolean> {
  for (const delayMs of RETRY_DELAYS_MS.slice(0, termination.tries)) {
    await pause(delayMs);
    if (await tryOnce(termination)) return true;
  }
  return false;
}
