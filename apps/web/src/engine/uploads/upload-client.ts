import { pause } from '@satchel/client/pause';
import type { UploadEvent, UploadOrder } from '@satchel/client/send/order';
import { AppError, fromWire, toAppError } from '@satchel/contract/errors';
import { isServerThere } from '../../lib/api/server-there.ts';
import { followConnection } from '../../lib/base/connection.ts';
import { newWorker } from '../worker-addresses.ts';
import { cancelUpload } from './log/cancel-upload.ts';
import { createServerWatch } from './server-watch.ts';
import type { FromWorker, ToWorker } from './upload-messages.ts';
import { createWorkerPool } from './worker-pool.ts';

/** The page's side of an upload: starts its worker, hands it bearers, and tells it of pauses and of the network. */

export interface UploadHandle {
  /** Stops sending at once; what the server has stays there. */
  pause(): void;
  resume(): void;
  /** Tries again at once, where it waits for the server. */
  hurry(): void;
  /** Deletes the upload, here and on the server. Resolves once both are done. */
  cancel(): Promise<void>;
  /** Ends the worker and keeps the log, so that the same file can be resumed later. */
  release(): void;
}

export interface UploadRequest extends UploadOrder {
  readonly onEvent: (event: UploadEvent) => void;
}

export interface UploadClientDeps {
  readonly takeWorker: () => Worker;
  /** Takes back a worker whose upload is completed; every other worker is ended. */
  readonly giveBack: (worker: Worker) => void;
  /** A bearer with at least BEARER_RENEW_MS left; `renew` when the server has refused the last one. */
  readonly token: (renew: boolean) => Promise<string>;
  readonly discard: (uploadId: string) => Promise<void>;
  readonly isOnline: () => boolean;
  /** Calls back when the network comes or goes, until what it returns is called. */
  readonly followNetwork: (listener: () => void) => () => void;
  /** Whether the server answers. */
  readonly isThere: () => Promise<boolean>;
  /** The upload waits for a server that is away, or no longer does. */
  readonly onWaiting: ReturnType<typeof createServerWatch>;
}

/** How long a worker may take to give an upload up before it is ended. */
const END_WAIT_MS = 5000;

/** A refused upload socket is tried again after this. */
const REFUSED_MS = 600_000;
let socketRefusedAtMs = Number.NEGATIVE_INFINITY;

const eventOf = (message: Exclude<FromWorker, { type: 'opened' | 'cancelled' | 'ask-token' }>): UploadEvent =>
  message.type === 'error' ? { type: 'error', error: fromWire(message.error) ?? new AppError('unexpected') } : message;

/** Pauses before a worker is started again whose script could not be had; the last one for as long as it takes. */
const LOADING_DELAYS_MS = [1000, 3000, 5000, 10_000, 20_000, 40_000, 60_000];
/** A script that can't be had from a server that answers is tried so often. */
const LOADINGS_MAX = 3;

/**
 * Starts the upload of one file in its own worker. An upload that an earlier page began is resumed. Events end with
 * `completed` or `error`; after `error`, starting again resumes where it stopped.
 */
export function createUpload({ onEvent, ...order }: UploadRequest, deps: UploadClientDeps): UploadHandle {
  /** Null while its script can't be had, and at the end: afterwards it may be another upload's. */
  let worker: Worker | null = null;
  let uploadId: string | null = null;
  let state: 'running' | 'completed' | 'ended' = 'running';
  let isPaused = false;
  let isCancelled = false;
  const ended = Promise.withResolvers<void>();
  let loadings = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = (message: ToWorker) => worker?.postMessage(message);
  const unfollow = deps.followNetwork(() => tell({ type: 'line', isOnline: deps.isOnline() }));

  function letGo(): void {
    if (!worker) return;
    worker.onmessage = null;
    worker.onerror = null;
    if (state === 'completed') deps.giveBack(worker);
    else worker.terminate();
    worker = null;
  }

  function end(how: 'completed' | 'ended'): void {
    if (state !== 'running') return;
    state = how;
    clearTimeout(timer);
    unfollow();
    letGo();
    deps.onWaiting(handle, false);
    ended.resolve();
  }

  function hear(message: FromWorker): void {
    switch (message.type) {
      case 'ask-token':
        deps.token(message.renew).then(
          (token) => tell({ type: 'token', token }),
          (error) => tell({ type: 'no-token', error: toAppError(error).toWire() }),
        );
        break;
      case 'opened':
        uploadId = message.uploadId;
        break;
      case 'cancelled':
        end('ended');
        break;
      default:
        if (message.type === 'way') socketRefusedAtMs = Date.now();
        deps.onWaiting(handle, message.type === 'retry' && message.cause === 'connection');
        if (message.type === 'completed') end('completed');
        if (message.type === 'error') end('ended');
        // After a cancel, report only that the upload was completed after all.
        if (!isCancelled || message.type === 'completed') onEvent(eventOf(message));
    }
  }

  const fail = () => hear({ type: 'error', error: new AppError('unexpected').toWire() });

  async function loadAgain(): Promise<void> {
    letGo();
    loadings += 1;
    const mayBeHad = loadings <= LOADINGS_MAX || !(await deps.isThere());
    if (state !== 'running') return;
    if (!mayBeHad) return fail();
    const delayMs = LOADING_DELAYS_MS[loadings - 1] ?? LOADING_DELAYS_MS.at(-1)!;
    timer = setTimeout(begin, delayMs);
    hear({ type: 'retry', attempt: loadings, delayMs, cause: 'connection' });
  }

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    let hasSpoken = false;
    worker = deps.takeWorker();
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      hasSpoken = true;
      hear(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      // One that has spoken ran out of memory: the upload can be resumed from the log.
      if (hasSpoken) fail();
      else void loadAgain();
    };
    const mayUseSocket = Date.now() - socketRefusedAtMs > REFUSED_MS;
    tell({ type: 'start', order, online: deps.isOnline(), mayUseSocket });
    if (isPaused) tell({ type: 'paused' });
  }

  const handle: UploadHandle = {
    pause() {
      isPaused = true;
      tell({ type: 'paused' });
    },
    resume() {
      isPaused = false;
      tell({ type: 'resumed' });
    },
    hurry() {
      if (worker) tell({ type: 'hurried' });
      else if (timer !== undefined && state === 'running') begin();
    },
    release: () => end('ended'),
    async cancel() {
      isCancelled = true;
      // A worker that is ended at once may just have created an upload that is not in the log yet.
      tell({ type: 'cancelled' });
      if (worker !== null) await Promise.race([ended.promise, pause(END_WAIT_MS)]);
      end('ended');
      // A completed upload is a file of the folder by now.
      if (state !== 'completed' && uploadId !== null) await deps.discard(uploadId);
    },
  };

  begin();
  return handle;
}

const workers = createWorkerPool(() => newWorker('upload'));
const watch = createServerWatch(isServerThere);

/**
 * Starts an upload with the real worker: see `createUpload`.
 * @param token gets a bearer of the page's session
 */
export function startUpload(request: UploadRequest, token: UploadClientDeps['token']): UploadHandle {
  return createUpload(request, {
    takeWorker: workers.take,
    giveBack: workers.giveBack,
    token,
    discard: (uploadId) => cancelUpload(uploadId, () => token(false)),
    isOnline: () => navigator.onLine,
    followNetwork: followConnection,
    isThere: isServerThere,
    onWaiting: watch,
  });
}
