import { AppError } from '@satchel/contract/errors';
import type { AttemptDeps } from './attempt.ts';
import { type Failure, failureOfResponse, networkFailure } from './failure.ts';

/** The requests of an upload beside those that tus-js-client makes: creation, and the question where it stands. */

/** An attempt that failed, and why. */
export class AttemptFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.error.message, { cause: failure.error });
    this.name = 'AttemptFailed';
    this.failure = failure;
  }
}

/** A lost mobile connection reports no error: a request without an answer for this long is given up. */
const ANSWER_MS = 120_000;
const TUS = { 'Tus-Resumable': '1.0.0' };

interface Sent {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** @throws AttemptFailed; BearerUnavailable, AppError of the bearer */
async function request(
  { bearer }: Pick<AttemptDeps, 'bearer'>,
  method: 'POST' | 'HEAD',
  url: string,
  { headers, signal }: Sent,
): Promise<Response> {
  const authorization = { Authorization: `Bearer ${await bearer.get()}` };
  const timeout = AbortSignal.timeout(ANSWER_MS);
  signal?.throwIfAborted();
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers: { ...TUS, ...authorization, ...headers },
      credentials: 'same-origin',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch {
    signal?.throwIfAborted();
    throw new AttemptFailed(networkFailure(method));
  }
  if (!response.ok) throw new AttemptFailed(await failureOfResponse(method, response));
  return response;
}

/** tus, Upload-Metadata: "The key and value MUST be separated by a space. […] the value MUST be Base64 encoded." */
function metadataHeader(metadata: Record<string, string>): string {
  const encode = (text: string) =>
    btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
  return Object.entries(metadata)
    .map(([key, value]) => `${key} ${encode(value)}`)
    .join(',');
}

/** An upload on the server. */
export interface Begun {
  readonly url: string;
  readonly offset: number;
  readonly length: number;
}

/**
 * Creates the upload. A pause lets it finish: otherwise the server would reserve quota for an upload that no log names.
 * @throws AttemptFailed
 */
export async function createOnServer(deps: AttemptDeps): Promise<Begun> {
  const headers = { 'Upload-Length': String(deps.source.size), 'Upload-Metadata': metadataHeader(deps.metadata) };
  const response = await request(deps, 'POST', deps.endpoint, { headers });
  const url = response.headers.get('Location');
  if (url === null) {
    throw new AttemptFailed({
      kind: 'response',
      method: 'POST',
      status: response.status,
      error: new AppError('upload.no_url'),
    });
  }
  return { url, offset: 0, length: deps.source.size };
}

const numberIn = ({ headers }: Response, name: string) => Number.parseInt(headers.get(name) ?? '', 10);

/** Where an upload stands. @throws AttemptFailed */
export async function askOffset(deps: AttemptDeps, url: string): Promise<Begun> {
  const response = await request(deps, 'HEAD', url, { signal: deps.signal });
  const [offset, length] = [numberIn(response, 'Upload-Offset'), numberIn(response, 'Upload-Length')];
  return { url, offset, length };
}
