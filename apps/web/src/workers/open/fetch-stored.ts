import type { Bytes } from '@satchel/container/format';
import { AppError, fromWire } from '@satchel/contract/errors';

/** Fetching the stored bytes of a whole file. */

export interface StoredFile {
  readonly url: string;
  /** How the file is called in messages. */
  readonly name: string;
}

export interface FetchStoredDeps {
  readonly fetch: typeof fetch;
  readonly signal?: AbortSignal;
}

/** What became of fetching a file, in the catalogue's words; what is in them already stays as it is. */
export function fetchFailure(name: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : '';
  return new AppError('download.file_failed', { name, message }, { cause: error });
}

/**
 * The stored bytes of a file.
 * @throws download.file_failed when the server refuses; what fetch throws
 */
export async function fetchStored(
  { url, name }: StoredFile,
  { fetch, signal }: FetchStoredDeps,
): Promise<{ body: ReadableStream<Bytes> }> {
  const response = await fetch(url, { credentials: 'same-origin', signal: signal ?? null });
  if (response.ok && response.body !== null) return { body: response.body as ReadableStream<Bytes> };
  const refusal = fromWire(await response.json().catch(() => null));
  const message = refusal?.message ?? `${response.status} ${response.statusText}`.trim();
  throw new AppError('download.file_failed', { name, message });
}
