import { AppError, fromWire, toAppError } from '@satchel/contract/errors';
import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import type { DetailedError, HttpResponse } from 'tus-js-client';
import type { RetryCause } from '../upload-messages.ts';
import { BearerUnavailable } from './bearer.ts';
import { StartAfresh } from './bytes/tag-ledger.ts';

/** Why an attempt ended without the file being there, and what follows from it (§8). */
export type Failure =
  /** What was sent doesn't fit the file. */
  | { readonly kind: 'afresh'; readonly error: AppError }
  /** A failure in this browser, which no retry changes. */
  | { readonly kind: 'local'; readonly error: AppError }
  | { readonly kind: 'network'; readonly error: AppError }
  | { readonly kind: 'response'; readonly method: string; readonly status: number; readonly error: AppError };

export type Verdict =
  | { readonly act: 'retry'; readonly delayMs: number; readonly cause: RetryCause }
  | { readonly act: 'wait-online' }
  | { readonly act: 'renew' }
  | { readonly act: 'afresh' }
  | { readonly act: 'fail' };

export interface Circumstances {
  /** Tries used up since bytes were last acknowledged. */
  readonly attempt: number;
  readonly online: boolean;
  /** True when the bearer that was refused had just been renewed. */
  readonly renewed: boolean;
}

const isOk = (status: number) => status >= 200 && status < 300;

/** §8's text for a request that the server answered badly, or not at all. */
function requestError(method: string, status: number, statusText: string): AppError {
  if (method === 'POST' && isOk(status)) return new AppError('upload.no_url');
  if (status === 401) return new AppError('upload.unauthenticated');
  return new AppError(method === 'POST' ? 'upload.create_failed' : 'upload.chunk_failed', { status, statusText });
}

function wireError(body: string): AppError | null {
  try {
    return fromWire(JSON.parse(body));
  } catch {
    return null;
  }
}

/** Nothing came back. */
export const networkFailure = (method: string): Failure => ({
  kind: 'network',
  error: requestError(method, 0, 'Network error'),
});

function responseFailure(method: string, status: number, body: string, statusText: string): Failure {
  return { kind: 'response', method, status, error: wireError(body) ?? requestError(method, status, statusText) };
}

export async function failureOfResponse(method: string, response: Response): Promise<Failure> {
  return responseFailure(method, response.status, await response.text().catch(() => ''), response.statusText);
}

function statusTextOf(response: HttpResponse): string {
  const request = response.getUnderlyingObject() as { statusText?: string } | null;
  return request?.statusText ?? '';
}

/** What tus-js-client calls an error, in the words of the catalogue. */
export function failureOf(error: unknown): Failure {
  const { originalRequest, originalResponse, causingError } = error as Partial<DetailedError>;
  if (!originalRequest) return { kind: 'local', error: toAppError(error) };
  const method = originalRequest.getMethod();
  if (causingError instanceof StartAfresh) {
    return { kind: 'afresh', error: new AppError('upload.changed_file', {}, { cause: causingError }) };
  }
  // XMLHttpRequest fails with an event, not an Error: what is an Error was thrown on this side.
  if (causingError instanceof Error && !(causingError instanceof BearerUnavailable)) {
    return { kind: 'local', error: toAppError(causingError) };
  }
  if (!originalResponse) return networkFailure(method);
  const status = originalResponse.getStatus();
  return responseFailure(method, status, originalResponse.getBody(), statusTextOf(originalResponse));
}

/** 409 also answers a revoked link or a taken name, which no retry changes. */
const isConflictOfOffsets = ({ code }: AppError) => code !== 'folder.revoked' && code !== 'storage.exists';

function judgeResponse(failure: Failure & { kind: 'response' }, { renewed }: Circumstances): Verdict | null {
  const { status, method, error } = failure;
  if (status === 401) return { act: renewed ? 'fail' : 'renew' };
  const isGone = (status === 404 || status === 410) && method !== 'POST' && !error.code.startsWith('folder.');
  if (isGone) return { act: 'afresh' };
  if (status === 423 || (status === 409 && isConflictOfOffsets(error))) return null;
  return status >= 400 && status < 500 ? { act: 'fail' } : null;
}

/**
 * What to do after a failure (§8: "retries on a non-4xx response, or on 409 or 423, while the browser is online").
 * Beyond that: a bearer that ran out is renewed, an upload that the server no longer has begins afresh, and being
 * offline uses up no tries.
 */
export function judge(failure: Failure, circumstances: Circumstances): Verdict {
  if (failure.kind === 'afresh') return { act: 'afresh' };
  if (failure.kind === 'local') return { act: 'fail' };
  const final = failure.kind === 'response' ? judgeResponse(failure, circumstances) : null;
  if (final) return final;
  if (!circumstances.online) return { act: 'wait-online' };
  const delayMs = RETRY_DELAYS_MS[circumstances.attempt];
  if (delayMs === undefined) return { act: 'fail' };
  return { act: 'retry', delayMs, cause: failure.kind === 'network' ? 'connection' : 'server' };
}
