import { containerSize, type DecodedHeader, decodeHeader } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import { checkHeader, type FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError, fromWire } from '@satchel/contract/errors';
import { HEADER_MAX_BYTES } from '@satchel/contract/limits';
import { displayName } from '@satchel/contract/naming';
import { answerOf, type FetchStoredDeps } from './fetch-stored.ts';
import { ownFileUrl } from './file-url.ts';
import { renderType } from './render-type.ts';
import { settledType } from './transport-stream.ts';
import type { WatchedLine } from './watched-fetch.ts';

/** Everything that opening a range of a sealed file takes. */
export interface MediaEntry {
  /** Absolute address of the sealed bytes, on this site. */
  readonly url: string;
  /** Not extractable: they can be posted and used, never read. */
  readonly keys: FolderKeys;
  /** Checked against the file's label. */
  readonly decoded: DecodedHeader;
  readonly name: string;
  /** A safe render type. */
  readonly type: string;
  /** Bytes of the plaintext. */
  readonly sizeBytes: number;
}

export interface MediaRequest {
  readonly url: string;
  readonly entry: FileEntry;
  /** How the file is called in error messages; the stored name's readable part when absent. */
  readonly name?: string;
  readonly proof: FileProof;
  readonly signal?: AbortSignal;
}

export interface MediaEntryDeps extends WatchedLine {
  /** Of this site. */
  readonly origin: string;
  /** Pauses before the header is requested again. When absent, it is requested once. */
  readonly retryDelaysMs?: readonly number[];
}

/** The most bytes that a header takes, its length included. */
const HEAD_BYTES = 4 + HEADER_MAX_BYTES;

/** The answer to a request for a file's head, with its bytes where it is a part of a file. */
async function answerWithHead(url: string, deps: FetchStoredDeps) {
  const { signal, retryDelaysMs = [] } = deps;
  const wish = { headers: { Range: `bytes=0-${HEAD_BYTES - 1}` }, cache: 'no-store' } as const;
  for (let tries = 0; ; tries += 1) {
    const response = await answerOf(url, deps, wish);
    if (response.status !== 206) return { response, head: new ArrayBuffer(0) };
    try {
      return { response, head: await response.arrayBuffer() };
    } catch (error) {
      // The line broke within a few kilobytes.
      if (signal?.aborted || tries >= retryDelaysMs.length) throw error;
    }
  }
}

/**
 * Reads the header of a stored file, and from it what streaming the file takes. The header is proven by the first chunk
 * that is opened with it.
 * @throws download.file_failed when it can't be fetched; open.foreign when it is another container than the label's; open.*
 *   when it is none
 */
export async function readMediaEntry(request: MediaRequest, deps: MediaEntryDeps): Promise<MediaEntry> {
  const { entry, proof, signal } = request;
  const name = request.name ?? displayName(entry.name);
  const failed = (message: string, cause?: unknown) =>
    new AppError('download.file_failed', { name, message }, { cause });
  const url = ownFileUrl(request.url, deps.origin);
  if (url === null) throw new AppError('storage.bad_path');
  const { response, head } = await answerWithHead(url, { ...deps, ...(signal && { signal }) }).catch(
    (error: unknown) => {
      throw signal?.aborted ? error : failed(error instanceof Error ? error.message : '', error);
    },
  );
  if (response.status !== 206) throw failed(await refusalText(response));
  const decoded = decodeHeader(new Uint8Array(head));
  if (decoded === null) throw new AppError('open.corrupted');
  const label = await checkHeader(proof, decoded);
  checkStoredSize(decoded, totalOf(response) ?? entry.metadata.size);
  const { keys, sizeBytes } = proof;
  const type = renderType(label.name, settledType(label.name, label.type, sizeBytes));
  return { url, keys, decoded, name: label.name, type, sizeBytes };
}

async function refusalText(response: Response): Promise<string> {
  if (response.ok) {
    await response.body?.cancel();
    // It does not send parts of files; a proxy in between may be to blame.
    return `HTTP ${response.status}`;
  }
  const body: unknown = await response.json().catch(() => null);
  return fromWire(body)?.message ?? `${response.status} ${response.statusText}`.trim();
}

/** The whole object's size by Content-Range (RFC 9110 §14.4), or null. */
export function totalOf(response: Response): number | null {
  const match = /^bytes \d+-\d+\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '');
  return match ? Number(match[1]) : null;
}

/**
 * Compares the stored bytes with what the header says.
 * @throws open.corrupted when bytes are missing or the header says no size, open.size_mismatch when there are too many
 */
export function checkStoredSize(decoded: DecodedHeader, storedBytes: number): void {
  const wantedBytes = containerSize(decoded);
  if (wantedBytes === null || storedBytes < wantedBytes) throw new AppError('open.corrupted');
  if (storedBytes > wantedBytes) throw new AppError('open.size_mismatch');
}
