import type { Bytes } from '@satchel/container/format';
import { AppError, fromWire } from '@satchel/contract/errors';
import { pause } from '../pause.ts';
import { type WatchedLine, watchedFetch } from './watched-fetch.ts';

/** Fetching the stored bytes of a whole file. */

export interface StoredFile {
  readonly url: string;
  /** The file's name in messages. */
  readonly name: string;
}

export interface FetchStoredDeps extends WatchedLine {
  readonly signal?: AbortSignal;
  /** Pauses before asking again when there was no answer, or one that says to come back; none when absent. */
  readonly retryDelaysMs?: readonly number[];
}

/** Turns a fetch failure into an error of the catalogue; an AppError stays as it is. */
export function fetchFailure(name: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : '';
  return new AppError('download.file_failed', { name, message }, { cause: error });
}

/** Statuses that pass: too many requests, or a server that is just starting again. */
export const COME_BACK: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Pauses before the request of a click is sent again: another node answers at once, or this one in a moment. They are shorter
 * than the tries of a download, since a person waits for the file or for the reason why there is none.
 */
export const OPENING_DELAYS_MS: readonly number[] = [0, 1000, 3000];

/** What a request may ask for beside the whole file. */
export type StoredRequest = Pick<RequestInit, 'cache' | 'headers'>;

/**
 * Sends a request that changes nothing, again where no answer came or one that says to come back later.
 * @throws what fetch throws; the signal's reason
 */
export async function answerOf(
  url: string,
  { signal, retryDelaysMs = [], ...line }: FetchStoredDeps,
  wish: StoredRequest,
): Promise<Response> {
  const init: RequestInit = { ...wish, credentials: 'same-origin', signal: signal ?? null };
  for (const delayMs of retryDelaysMs) {
    const response = await watchedFetch(line, url, init).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      return null;
    });
    if (response !== null && !COME_BACK.has(response.status)) return response;
    await response?.body?.cancel();
    await pause(delayMs, signal);
  }
  return watchedFetch(line, url, init);
}

export interface StoredAnswer extends Pick<Response, 'status' | 'headers'> {
  readonly body: ReadableStream<Bytes>;
}

/**
 * The stored bytes of a file.
 * @throws download.file_failed when the server refuses; what fetch throws
 */
export async function fetchStored(
  { url, name }: StoredFile,
  deps: FetchStoredDeps,
  wish: StoredRequest = {},
): Promise<StoredAnswer> {
  const response = await answerOf(url, deps, wish);
  const { ok, status, headers } = response;
  if (ok && response.body !== null) return { body: response.body as ReadableStream<Bytes>, status, headers };
  const refusal = fromWire(await response.json().catch(() => null));
  const message = refusal?.message ?? `${response.status} ${response.statusText}`.trim();
  throw new AppError('download.file_failed', { name, message });
}
