import { AppError } from '@satchel/contract/errors';
import { type FetchStoredDeps, fetchStored, type StoredFile } from './fetch-stored.ts';
import { type MediaEntry, type MediaEntryDeps, type MediaRequest, readMediaEntry } from './media-entry.ts';
import { type OpeningLine, openRange } from './open-range.ts';

/**
 * Reads the bytes of a file from one place up to but not including another; past its end there are none. What it hands out
 * is verified.
 * @throws AppError download.file_failed, open.*; the signal's reason when given up
 */
export type RangeReader = (fromByte: number, toByte: number, signal?: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>;

const NEVER = new AbortController().signal;

/** Reads ranges of a sealed file: each fetches the chunks that cover it, and no others. */
export function createRangeReader(request: MediaRequest, deps: MediaEntryDeps & OpeningLine): RangeReader {
  const { fetch, isThere, release } = deps;
  let entry: Promise<MediaEntry> | null = null;
  /** The header is read once; one that could not be read is asked for again. */
  async function header(signal: AbortSignal): Promise<MediaEntry> {
    entry ??= readMediaEntry({ ...request, signal }, deps).catch((error: unknown) => {
      entry = null;
      throw error;
    });
    try {
      return await entry;
    } catch (error) {
      if (error instanceof AppError || signal.aborted) throw error;
      return header(signal); // another reader, which had asked for it, was given up
    }
  }
  return async (fromByte, toByte, signal = NEVER) => {
    const file = await header(signal);
    signal.throwIfAborted();
    const end = Math.min(toByte, file.sizeBytes);
    const bytes = new Uint8Array(Math.max(0, end - fromByte));
    if (bytes.length === 0) return bytes;
    let filled = 0;
    for await (const unit of openRange(file, fromByte, end, { fetch, isThere, ...(release && { release }), signal })
      .units) {
      for (const part of unit) {
        bytes.set(part, filled);
        filled += part.length;
      }
    }
    if (filled !== bytes.length) throw new AppError('open.corrupted');
    return bytes;
  };
}

/**
 * Reads ranges of a plain file, as the server has it: nothing vouches for them.
 * @throws AppError download.file_failed; the signal's reason when given up
 */
export const plainReader =
  (file: StoredFile & { readonly sizeBytes: number }, deps: FetchStoredDeps): RangeReader =>
  async (fromByte, toByte, signal = NEVER) => {
    const end = Math.min(toByte, file.sizeBytes);
    if (end <= fromByte) return new Uint8Array();
    const wish = { headers: { Range: `bytes=${fromByte}-${end - 1}` }, cache: 'no-store' } as const;
    const { body, status } = await fetchStored(file, { ...deps, signal }, wish);
    // Where parts are not sent, the whole may be larger than memory; or the file was replaced by a smaller one.
    const bytes = status === 206 ? new Uint8Array(await new Response(body).arrayBuffer()) : null;
    if (bytes?.length === end - fromByte) return bytes;
    if (!bytes) await body.cancel();
    throw new AppError('download.file_failed', { name: file.name, message: `HTTP ${status}` });
  };

/** Reads ranges of a file that is in memory. */
export const blobReader =
  (blob: Blob): RangeReader =>
  async (fromByte, toByte, signal) => {
    signal?.throwIfAborted();
    return new Uint8Array(await blob.slice(fromByte, toByte).arrayBuffer());
  };
