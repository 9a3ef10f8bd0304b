import { AppError } from '@satchel/contract/errors';
import { LINK_TOKEN_HEADER, PATHS } from '@satchel/contract/paths';
import type { Bearer } from '../bearer.ts';
import { AttemptFailed, failureOfAnswer, networkFailure } from '../failure.ts';
import type { Bytes, HttpAnswer, HttpRequest, Network } from '../ports.ts';
import { watchLine } from './line-watch.ts';

/** The requests of an upload (tus 1.0.0). Each rejects with AttemptFailed, or with what the bearer or the signal throws. */

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
export async function ask({ network, bearer }: RequestDeps, request: HttpRequest): Promise<HttpAnswer> {
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

const numberIn = (answer: HttpAnswer, name: string) => Number.parseInt(answer.header(name) ?? '', 10);

/** Where an upload stands. */
export async function askOffset(deps: RequestDeps, url: string, signal: AbortSignal): Promise<Begun> {
  const answer = await askWell(deps, { method: 'HEAD', url, headers: {}, signal });
  return { url, offset: numberIn(answer, 'Upload-Offset'), length: numberIn(answer, 'Upload-Length') };
}

/** Sends bytes from an offset on. Returns the offset after what the server has taken. */
export async function append(
  deps: RequestDeps,
  url: string,
  offset: number,
  body: readonly Bytes[],
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
): Promise<number> {
  const headers = { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' };
  const answer = await askWell(deps, { method: 'PATCH', url, headers, body, signal, onProgress });
  return numberIn(answer, 'Upload-Offset');
}
