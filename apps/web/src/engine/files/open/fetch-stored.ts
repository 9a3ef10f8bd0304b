import type { Bytes } from '@satchel/container/format';
import { AppError, fromWire } from '@satchel/contract/errors';

/** Fetching the stored bytes of a whole file. */

export interface StoredFile {
  readonly url: string;
  /** The file's name in messages. */
  readonly name: string;
}

export interface FetchStoredDeps {
  readonly fetch: typeof fetch;
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

const COME_BACK = new Set([429, 502, 503, 504]);

const pause = (delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, delayMs);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });

async function answerOf(url: string, { fetch, signal, retryDelaysMs = [] }: FetchStoredDeps): Promise<Response> {
  for (const delayMs of retryDelaysMs) {
    const response = await fetch(url, { credentials: 'same-origin', signal: signal ?? null }).catch(
      (error: unknown) => {
        if (signal?.aborted) throw error;
        return null;
      },
    );
    if (response !== null && !COME_BACK.has(response.status)) return response;
    await response?.body?.cancel();
    await pause(delayMs, signal);
  }
  return fetch(url, { credentials: 'same-origin', signal: signal ?? null });
}

/**
 * The stored bytes of a file.
 * @throws download.file_failed when the server refuses; what fetch throws
 */
export async function fetchStored(
  { url, name }: StoredFile,
  deps: FetchStoredDeps,
): Promise<{ body: ReadableStream<Bytes> }> {
  const response = await answerOf(url, deps);
  if (response.ok && response.body !== null) return { body: response.body as ReadableStream<Bytes> };
  const refusal = fromWire(await response.json().catch(() => null));
  const message = refusal?.message ?? `${response.status} ${response.statusText}`.trim();
  throw new AppError('download.file_failed', { name, message });
}
