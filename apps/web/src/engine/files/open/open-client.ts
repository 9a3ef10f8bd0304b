import type { OpenedContent, OpenProgress, OpenRequest } from '@satchel/client/open/open-file';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError, fromWire } from '@satchel/contract/errors';
import { displayName } from '@satchel/contract/naming';
import { newWorker } from '../../worker-addresses.ts';
import type { OpenReply } from './open-protocol.ts';

/** Opens sealed files in workers: one file to a worker, no more workers than the machine has cores (docs/container.md §4). */

/** An opened file. Without a blob it is not whole in memory; without an address it can't be shown. */
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
  const queued: Job[] = [];
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
    const job = queued.shift();
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
      // The worker could not be loaded or ran out of memory: end it; the browser logs the reason.
      event.preventDefault();
      release(job, false);
      job.reject(new AppError('open.failed'));
    };
    worker.postMessage(job.request);
  }

  /** Ends `job`. Ending a worker in the middle of a file is quicker than asking it to stop. */
  function giveUp(job: Job, reason: unknown): void {
    const place = queued.indexOf(job);
    if (place >= 0) queued.splice(place, 1);
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
    queued.push(job);
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
 * Opens a whole file and gives it an address in this page. The caller revokes `objectUrl` when done with it.
 * @throws AppError download.file_failed, open.*; the signal's reason when given up
 */
export async function openFile(request: OpenFileRequest): Promise<OpenedFile> {
  const content = await openWhole(request);
  return { ...content, objectUrl: URL.createObjectURL(content.blob) };
}
