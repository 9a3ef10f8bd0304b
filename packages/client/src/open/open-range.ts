import { type Bytes, chunkStart, containerSize } from '@satchel/container/format';
import { chunkRange, createOpener, openStream } from '@satchel/container/open';
import { AppError, fromWire } from '@satchel/contract/errors';
import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { pause } from '../pause.ts';
import type { Opened } from './delivery-stream.ts';
import { COME_BACK } from './fetch-stored.ts';
import { checkStoredSize, type MediaEntry, totalOf } from './media-entry.ts';
import { type WatchedLine, watchedFetch } from './watched-fetch.ts';

/** How stored bytes come to this device, and how it frees them. */
export interface OpeningLine extends WatchedLine {
  /** Frees a chunk of ciphertext that was opened, before the collector finds it. */
  readonly release?: (chunk: Bytes) => void;
}

export interface OpenDeps extends OpeningLine {
  readonly signal: AbortSignal;
  /**
   * Pauses before the rest is asked for again; the last one is followed by an error. A download that was paused for long is
   * cut by the server and continues at once; a server that is restarted takes some seconds.
   */
  readonly retryDelaysMs?: readonly number[];
}

/** The server can't answer now. */
class Unavailable extends Error {
  readonly refusal: AppError;
  constructor(refusal: AppError) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
  }
}

/** The plaintext of a stored file from `start` up to but not including `end`, in units of about 768 KiB. */
export function openRange(entry: MediaEntry, start: number, end: number, deps: OpenDeps): Opened {
  return { units: unitsOf(entry, start, end, deps) };
}

/** After a broken connection, requests the rest, as often as answers bring bytes. */
async function* unitsOf(entry: MediaEntry, start: number, end: number, deps: OpenDeps): AsyncGenerator<Bytes[]> {
  const { signal, retryDelaysMs = RETRY_DELAYS_MS } = deps;
  // An empty file has no chunk that could be asked for.
  if (start >= end) return;
  for (let [at, tries] = [start, 0]; ; tries += 1) {
    try {
      for await (const unit of cutUnits(entry, at, end, deps)) {
        for (const part of unit) at += part.length;
        tries = 0;
        yield unit;
      }
      return;
    } catch (error) {
      const delayMs = retryDelaysMs[tries];
      if (error instanceof AppError || signal.aborted || at === end || delayMs === undefined) {
        throw failureOf(entry, error);
      }
      await pause(delayMs, signal);
    }
  }
}

function failureOf({ name }: MediaEntry, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Unavailable) return error.refusal;
  const message = error instanceof Error ? error.message : '';
  return new AppError('download.file_failed', { name, message }, { cause: error });
}

/** The units of one request, cut to exactly the wanted bytes. */
async function* cutUnits(entry: MediaEntry, start: number, end: number, deps: OpenDeps): AsyncGenerator<Bytes[]> {
  let skip = chunkRange(entry.decoded.header, start, end).skipBytes;
  let left = end - start;
  for await (const unit of await fetchUnits(entry, start, end, deps)) {
    const parts: Bytes[] = [];
    for (const chunk of unit) {
      const part = chunk.subarray(skip, Math.min(chunk.length, skip + left));
      skip = 0;
      left -= part.length;
      if (part.length > 0) parts.push(part);
    }
    yield parts;
  }
}

/** Asks for exactly the chunks that cover the range, and opens them. */
async function fetchUnits(
  { url, keys, decoded, name }: MediaEntry,
  start: number,
  end: number,
  { signal, release, ...line }: OpenDeps,
): Promise<AsyncGenerator<Bytes[]>> {
  const { fromChunk, toChunk } = chunkRange(decoded.header, start, end);
  const from = chunkStart(decoded, fromChunk);
  const isLast = toChunk === decoded.header.totalChunks;
  const to = isLast ? (containerSize(decoded) ?? 0) : chunkStart(decoded, toChunk);
  const wish: RequestInit = { headers: { Range: `bytes=${from}-${to - 1}` }, cache: 'no-store', signal };
  const response = await watchedFetch(line, url, wish);
  const range = response.headers.get('Content-Range') ?? '';
  const total = totalOf(response);
  if (response.status !== 206 || response.body === null || total === null) {
    const refusal = fromWire(await response.json().catch(() => null));
    const message = refusal?.message ?? `${response.status} ${response.statusText}`.trim();
    const failure = new AppError('download.file_failed', { name, message });
    throw COME_BACK.has(response.status) ? new Unavailable(failure) : failure;
  }
  checkStoredSize(decoded, total);
  if (!range.startsWith(`bytes ${from}-${to - 1}/`)) throw new AppError('open.corrupted');
  return openStream(await createOpener(keys, decoded, release), response.body, { fromChunk, toChunk });
}
