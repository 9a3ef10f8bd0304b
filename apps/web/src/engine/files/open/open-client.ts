import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError, fromWire } from '@satchel/contract/errors';
import { displayName } from '@satchel/contract/naming';
import type { OpenedContent, OpenProgress, OpenReply, OpenRequest } from './open-protocol.ts';
import { newWorker } from './worker-addresses.ts';

/** Opens sealed files in workers: one file to a worker, no more workers than the machine has cores (CONTAINER §4). */

/** A file that can be looked at. What is not whole in memory has no blob; what can't be shown has no address. */
export interface OpenedFile {
  readonly name: string;
  /** A safe render type. */
  readonly type: string;
  readonly blob: Blob | null;
  /** For `src`: a blob's address, or `/media/{id}` for what plays from a stream. */
  readonly objectUrl: string | null;
  readonly sizeBytes: number;
}

export interface OpenFileRequest {
  readonly url: string;
  readonly entry: FileEntry;
  /** How the file is called in error messages; the stored name's readable part when absent. */
  readonly name?: string;
  readonly proof: FileProof;
  readonly onProgress?: (progress: OpenProgress) => void;
  readonly signal?: AbortSignal;
}

export interface OpenClientDeps {
  readonly createWorker: () => Worker;
  readonly maxWorkers: number;
}

interface Job {
  readonly request: OpenRequest;
  readonly onProgress: (progress: OpenProgress) => void;
  readonly resolve: (content: OpenedContent) => void;
  readonly reject: (error: unknown) => void;
  worker: Worker | null;
}

/** Idle workers that are kept; starting one costs some 30 ms. */
const IDLE_WORKERS = 2;

/** A pool of open workers. */
export function createOpenClient({ createWorker, maxWorkers }: OpenClientDeps) {
  const waiting: Job[] = [];
  const idle: Worker[] = [];
  let running = 0;

  function release(job: Job, reusable: boolean): void {
    const { worker } = job;
    if (worker === null) return;
    job.worker = null;
    running -= 1;
    worker.onmessage = null;
    worker.onerror = null;
    if (reusable && idle.length < IDLE_WORKERS) idle.push(worker);
    else worker.terminate();
    startNext();
  }

  function startNext(): void {
    if (running >= maxWorkers) return;
    const job = waiting.shift();
    if (job) start(job);
  }

  function start(job: Job): void {
    const worker = idle.pop() ?? createWorker();
    job.worker = worker;
    running += 1;
    worker.onmessage = ({ data }: MessageEvent<OpenReply>) => {
      if (data.type === 'progress') return job.onProgress(data.progress);
      release(job, true);
      if (data.type === 'opened') job.resolve(data.content);
      else job.reject(fromWire(data.error) ?? new AppError('open.failed'));
    };
    worker.onerror = (event) => {
      // It could not be loaded, or ran out of memory: it is no use any more, and what it was told of is in the console.
      event.preventDefault();
      release(job, false);
      job.reject(new AppError('open.failed'));
    };
    worker.postMessage(job.request);
  }

  /** Ends what `job` is at. A worker in the middle of a file is quicker ended than asked to stop. */
  function giveUp(job: Job, reason: unknown): void {
    const place = waiting.indexOf(job);
    if (place >= 0) waiting.splice(place, 1);
    release(job, false);
    job.reject(reason);
  }

  /**
   * Fetches, verifies and opens a whole file.
   * @throws AppError download.file_failed, open.*; the signal's reason when given up
   */
  async function openFile({ url, entry, name, proof, onProgress, signal }: OpenFileRequest): Promise<OpenedContent> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<OpenedContent>();
    const request: OpenRequest = { url, name: name ?? displayName(entry.name), proof };
    const job: Job = { request, onProgress: onProgress ?? (() => {}), resolve, reject, worker: null };
    const onAbort = () => giveUp(job, signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    waiting.push(job);
    startNext();
    return promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  return { openFile };
}

const client = createOpenClient({
  createWorker: () => newWorker('open'),
  maxWorkers: Math.max(1, globalThis.navigator?.hardwareConcurrency ?? 1),
});

/**
 * Opens a whole file.
 * @throws AppError download.file_failed, open.*; the signal's reason when given up
 */
export const openWhole = (request: OpenFileRequest): Promise<OpenedContent> => client.openFile(request);

/**
 * Opens a whole file and gives it an address in this page. Whoever asked revokes `objectUrl` when done with it.
 * @throws AppError download.file_failed, open.*; the signal's reason when given up
 */
export async function openFile(request: OpenFileRequest): Promise<OpenedFile> {
  const content = await openWhole(request);
  return { ...content, objectUrl: URL.createObjectURL(content.blob) };
}
