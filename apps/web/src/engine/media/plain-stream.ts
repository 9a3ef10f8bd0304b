import { type Bytes, chunkStart, containerSize } from '@satchel/container/format';
import { chunkRange, createOpener, openStream } from '@satchel/container/open';
import { AppError, fromWire } from '@satchel/contract/errors';
import { checkStoredSize, totalOf } from './media-entry.ts';
import type { Delivery, MediaEntry } from './media-protocol.ts';

export interface PlainStreamDeps {
  readonly fetch: typeof fetch;
  /** Called as the reader takes bytes, and once at the end. */
  readonly onDelivery: (delivery: Delivery) => void;
}

/**
 * The plaintext of a stored file from `start` up to but not including `end`. Nothing is fetched before the first pull,
 * and one unit is opened per pull, so that a slow reader holds up the server instead of filling memory. Any failure
 * errors the stream: a cut file must never look finished.
 */
export function plainStream(
  entry: MediaEntry,
  start: number,
  end: number,
  { fetch, onDelivery }: PlainStreamDeps,
): ReadableStream<Bytes> {
  const giveUp = new AbortController();
  let units: AsyncGenerator<Bytes[]> | null = null;
  let skip = 0;
  let delivered = 0;
  /** Bytes delivered at the time of the last request. */
  let begunAt = 0;
  const report = (state: Delivery['state'], error: AppError | null = null) =>
    onDelivery({ state, deliveredBytes: delivered, error: error?.toWire() ?? null });

  async function begin(): Promise<AsyncGenerator<Bytes[]>> {
    begunAt = delivered;
    skip = chunkRange(entry.decoded.header, start + delivered, end).skipBytes;
    return fetchUnits(entry, start + delivered, end, { fetch, signal: giveUp.signal });
  }

  /** After a broken connection, requests the rest: the server cuts a download that was paused for long. */
  async function nextUnit(): Promise<Bytes[] | undefined> {
    units ??= await begin();
    try {
      return (await units.next()).value;
    } catch (error) {
      const isLine = !(error instanceof AppError) && !giveUp.signal.aborted;
      if (!isLine || delivered === begunAt || delivered === end - start) throw error;
      units = await begin();
      return nextUnit();
    }
  }

  async function pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    const value = await nextUnit();
    for (const chunk of value ?? []) {
      const part = chunk.subarray(skip, Math.min(chunk.length, skip + end - start - delivered));
      skip = 0;
      delivered += part.length;
      if (part.length > 0) controller.enqueue(part);
    }
    if (value !== undefined) return report('active');
    if (delivered !== end - start) throw new AppError('open.size_mismatch');
    controller.close();
    report('done');
  }

  return new ReadableStream<Bytes>(
    {
      pull: async (controller) => {
        try {
          await pull(controller);
        } catch (error) {
          if (giveUp.signal.aborted) return;
          giveUp.abort();
          const { name } = entry;
          const message = error instanceof Error ? error.message : '';
          const failure = error instanceof AppError ? error : new AppError('download.file_failed', { name, message });
          report('failed', failure);
          controller.error(failure);
        }
      },
      cancel: () => {
        giveUp.abort();
        units?.return(undefined).catch(() => {}); // the fetch was given up, and says so
        // A reader that has every byte may cancel before the end.
        report(delivered === end - start ? 'done' : 'cancelled');
      },
    },
    { highWaterMark: 0 },
  );
}

/** Asks for exactly the chunks that cover the range, and opens them. */
async function fetchUnits(
  { url, keys, decoded, name }: MediaEntry,
  start: number,
  end: number,
  { fetch, signal }: { fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<AsyncGenerator<Bytes[]>> {
  const { fromChunk, toChunk } = chunkRange(decoded.header, start, end);
  const from = chunkStart(decoded, fromChunk);
  const isLast = toChunk === decoded.header.totalChunks;
  const to = isLast ? (containerSize(decoded) ?? 0) : chunkStart(decoded, toChunk);
  const response = await fetch(url, { headers: { Range: `bytes=${from}-${to - 1}` }, cache: 'no-store', signal });
  const range = response.headers.get('Content-Range') ?? '';
  const total = totalOf(response);
  if (response.status !== 206 || response.body === null || total === null) {
    const refusal = fromWire(await response.json().catch(() => null));
    const message = refusal?.message ?? `${response.status} ${response.statusText}`.trim();
    throw new AppError('download.file_failed', { name, message });
  }
  checkStoredSize(decoded, total);
  if (!range.startsWith(`bytes ${from}-${to - 1}/`)) throw new AppError('open.corrupted');
  return openStream(await createOpener(keys, decoded), response.body, { fromChunk, toChunk });
}
