import type { Bytes } from '@satchel/container/format';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { settledType } from '@satchel/client/open/transport-stream';
import { renderType } from '@satchel/client/open/render-type';
import { type FetchStoredDeps, fetchFailure, fetchStored } from '@satchel/client/open/fetch-stored';
import type { OpenedContent, OpenProgress, OpenRequest } from './open-protocol.ts';
import { openProven, type ProvenFile } from './open-proven.ts';
import { wholeUnits } from './whole-units.ts';

/** Plaintext is handed over to the browser's blob store in pieces of this size, so that no file is whole in memory. */
const PART_BYTES = 8 * MIB;

export interface OpenFileDeps {
  readonly fetch: typeof fetch;
  readonly onProgress: (progress: OpenProgress) => void;
  /** Pauses before the file, or its rest, is requested again. When absent, each request is sent once. */
  readonly retryDelaysMs?: readonly number[];
}

/** Ending the worker cancels the opening. */
const NEVER = new AbortController().signal;

/**
 * Fetches a sealed file and opens it as its bytes come in (CONTAINER §1, §4).
 * @throws download.file_failed when it can't be fetched; open.foreign when it is another container than its label's; open.*
 * when it is not what was sealed. Nothing of it is handed out then
 */
export async function openFile(request: OpenRequest, deps: OpenFileDeps): Promise<OpenedContent> {
  const { fetch, onProgress, retryDelaysMs = [] } = deps;
  onProgress({ phase: 'downloading', percent: 0 });
  try {
    const line = { fetch, retryDelaysMs, signal: NEVER };
    const opened = await begin(request, line);
    const { label, decoded } = opened;
    const { header } = decoded;
    const totalBytes = header.originalSize ?? header.totalChunks * header.chunkSize;
    const type = renderType(label.name, settledType(label.name, label.type, totalBytes));
    const blob = await collect(wholeUnits({ ...request, ...opened }, line), type, (doneBytes) =>
      onProgress({ phase: 'decrypting', percent: Math.floor((100 * doneBytes) / totalBytes) }),
    );
    if (blob.size === 0) throw new AppError('open.empty');
    return { name: label.name, type, blob, sizeBytes: blob.size };
  } catch (error) {
    throw fetchFailure(request.name, error);
  }
}

/** Fetches and opens the head. A connection that breaks before its end is tried again, too. */
async function begin(request: OpenRequest, line: Required<FetchStoredDeps>): Promise<ProvenFile> {
  for (let tries = 0; ; tries += 1) {
    const { body } = await fetchStored(request, line);
    try {
      return await openProven(request.proof, body);
    } catch (error) {
      if (error instanceof AppError || tries >= line.retryDelaysMs.length) throw error;
    }
  }
}

async function collect(
  plaintext: AsyncIterable<readonly Bytes[]>,
  type: string,
  onBytes: (doneBytes: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  let buffered: Bytes[] = [];
  let bufferedBytes = 0;
  let doneBytes = 0;
  for await (const chunks of plaintext) {
    for (const chunk of chunks) {
      buffered.push(chunk);
      bufferedBytes += chunk.length;
      doneBytes += chunk.length;
    }
    if (bufferedBytes >= PART_BYTES) {
      parts.push(new Blob(buffered));
      buffered = [];
      bufferedBytes = 0;
    }
    onBytes(doneBytes);
  }
  return new Blob([...parts, ...buffered], { type });
}
