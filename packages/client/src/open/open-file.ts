import type { Bytes } from '@satchel/container/format';
import type { FileProof } from '@satchel/container/proof';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { type FetchStoredDeps, fetchFailure, fetchStored } from './fetch-stored.ts';
import { openProven, type ProvenFile, wholeUnits } from './open-proven.ts';
import type { OpeningLine } from './open-range.ts';
import { renderType } from './render-type.ts';
import { settledType } from './transport-stream.ts';

/** Plaintext is handed over to the browser's blob store in pieces of this size, so that no file is whole in memory. */
const PART_BYTES = 8 * MIB;

export interface OpenRequest {
  readonly url: string;
  /** The file's name in messages. */
  readonly name: string;
  /** Which container it must be, and the key that opens it. The key is not extractable: it can be used, and not read. */
  readonly proof: FileProof;
}

export type OpenPhase = 'downloading' | 'decrypting';
export interface OpenProgress {
  readonly phase: OpenPhase;
  /** Whole percent of the plaintext that has been verified and opened. */
  readonly percent: number;
}

/** A file that has been verified from end to end. */
export interface OpenedContent {
  /** As the file's label says. */
  readonly name: string;
  /** A safe render type. */
  readonly type: string;
  readonly blob: Blob;
  readonly sizeBytes: number;
}

export interface OpenFileDeps extends OpeningLine {
  readonly onProgress: (progress: OpenProgress) => void;
  /** Pauses before the file, or its rest, is requested again. When absent, each request is sent once. */
  readonly retryDelaysMs?: readonly number[];
}

/** Ending the worker cancels the opening. */
const NEVER = new AbortController().signal;

/**
 * Fetches a sealed file and opens it as its bytes come in (docs/container.md §1, §4).
 * @throws download.file_failed when it can't be fetched; open.foreign when it is another container than its label's; open.*
 * when it is not what was sealed. Nothing of it is handed out then
 */
export async function openFile(request: OpenRequest, deps: OpenFileDeps): Promise<OpenedContent> {
  const { onProgress, retryDelaysMs = [] } = deps;
  onProgress({ phase: 'downloading', percent: 0 });
  try {
    const line = { ...deps, retryDelaysMs, signal: NEVER };
    const opened = await begin(request, line);
    const { label } = opened;
    const totalBytes = request.proof.sizeBytes;
    const type = renderType(label.name, settledType(label.name, label.type, totalBytes));
    const blob = await collect(wholeUnits({ ...request, ...opened }, line), type, (doneBytes) =>
      onProgress({ phase: 'decrypting', percent: Math.floor((100 * doneBytes) / Math.max(1, totalBytes)) }),
    );
    return { name: label.name, type, blob, sizeBytes: blob.size };
  } catch (error) {
    throw fetchFailure(request.name, error);
  }
}

/** Fetches and opens the head. A connection that breaks before its end is tried again, too. */
async function begin(request: OpenRequest, line: OpeningLine & Required<FetchStoredDeps>): Promise<ProvenFile> {
  for (let tries = 0; ; tries += 1) {
    const { body } = await fetchStored(request, line);
    try {
      return await openProven(request.proof, body, line.release);
    } catch (error) {
      if (error instanceof AppError || tries >= line.retryDelaysMs.length) throw error;
    }
  }
}

/** Gathers plaintext as one blob. */
export async function collect(
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
