import { pause } from '@satchel/client/pause';
import type { UploadEvent, UploadOrder } from '@satchel/client/send/order';
import { AppError, fromWire, toAppError } from '@satchel/contract/errors';
import { isServerThere } from '../../lib/api/server-there.ts';
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
  readonly onWaiting: (running: Hurried, isWaiting: boolean) => void;
}

/** An upload that can be told to try at once. */
type Hurried = Pick<UploadHandle, 'hurry'>;

/** How long a worker may take to pause before it is ended. */
const IDLE_WAIT_MS = 5000;

/** A refused upload socket is tried again after this. */
const REFUSED_MS = 600_000;
let socketRefusedAtMs = Number.NEGATIVE_INFINITY;

function followNetwork(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

const eventOf = (
  message: Exclude<FromWorker, { type: 'opened' | 'idle' | 'ask-token' | 'socket-refused' }>,
): UploadEvent =>
  message.type === 'error' ? { type: 'error', error: fromWire(message.error) ?? new AppError('unexpected') } : message;

/** One upload with its worker, and what is known of it. */
interface Running extends Hurried {
  /** Null while its script can't be had. */
  worker: Worker | null;
  readonly onEnd: () => void;
  uploadId: string | null;
  state: 'running' | 'completed' | 'ended';
  isPaused: boolean;
  cancelled: boolean;
  /** Resolves when the worker is paused or has ended. */
  idle: PromiseWithResolvers<void>;
}

/** Speaks to the worker as long as it is this upload's: afterwards it may be another one's. */
function tell(running: Running, message: ToWorker): void {
  if (running.state === 'running') running.worker?.postMessage(message);
}

function end(running: Running, how: 'completed' | 'ended'): void {
  if (running.state !== 'running') return;
  running.state = how;
  running.onEnd();
  running.idle.resolve();
}

async function answerToken(running: Running, token: Promise<string>): Promise<void> {
  try {
    tell(running, { type: 'token', token: await token });
  } catch (error) {
    tell(running, { type: 'no-token', error: toAppError(error).toWire() });
  }
}

function hear(running: Running, message: FromWorker, deps: UploadRequest & UploadClientDeps): void {
  const { onEvent, token, onWaiting } = deps;
  if (running.state !== 'running') return;
  switch (message.type) {
    case 'ask-token':
      void answerToken(running, token(message.renew));
      break;
    case 'opened':
      running.uploadId = message.uploadId;
      break;
    case 'idle':
      running.idle.resolve();
      break;
    case 'socket-refused':
      socketRefusedAtMs = Date.now();
      break;
    default:
      onWaiting(running, message.type === 'retry' && message.cause === 'connection');
      if (message.type === 'completed') end(running, 'completed');
      if (message.type === 'error') end(running, 'ended');
      // After a cancel, report only that the upload was completed after all.
      if (!running.cancelled || message.type === 'completed') onEvent(eventOf(message));
  }
}

/** Pauses before a worker is started again whose script could not be had; the last one for as long as it takes. */
const LOADING_DELAYS_MS = [1000, 3000, 5000, 10_000, 20_000, 40_000, 60_000];
/** A script that can't be had from a server that answers is tried so often. */
const LOADINGS_MAX = 3;

function start(request: UploadRequest, deps: UploadClientDeps): Running {
  const { onEvent: _, ...order } = request;
  const both = { ...request, ...deps };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let loadings = 0;
  const unfollow = deps.followNetwork(() => tell(running, { type: 'line', isOnline: deps.isOnline() }));
  const running: Running = {
    worker: null,
    uploadId: null,
    state: 'running',
    isPaused: false,
    cancelled: false,
    idle: Promise.withResolvers<void>(),
    hurry() {
      if (running.worker) tell(running, { type: 'hurried' });
      else if (timer !== undefined) begin();
    },
    onEnd() {
      clearTimeout(timer);
      unfollow();
      letGo(running.state === 'completed');
      deps.onWaiting(running, false);
    },
  };

  function letGo(isDone: boolean): void {
    const { worker } = running;
    running.worker = null;
    if (!worker) return;
    worker.onmessage = null;
    worker.onerror = null;
    if (isDone) deps.giveBack(worker);
    else worker.terminate();
  }

  const fail = () => hear(running, { type: 'error', error: new AppError('unexpected').toWire() }, both);

  async function loadAgain(): Promise<void> {
    letGo(false);
    loadings += 1;
    if (running.isPaused) running.idle.resolve();
    if (loadings > LOADINGS_MAX && (await deps.isThere())) return fail();
    if (running.state !== 'running') return;
    const delayMs = LOADING_DELAYS_MS[loadings - 1] ?? LOADING_DELAYS_MS.at(-1)!;
    timer = setTimeout(begin, delayMs);
    hear(running, { type: 'retry', attempt: loadings, delayMs, cause: 'connection' }, both);
  }

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    let hasSpoken = false;
    const worker = deps.takeWorker();
    running.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      hasSpoken = true;
      hear(running, data, both);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      // One that has spoken ran out of memory: the upload can be resumed from the log.
      if (hasSpoken) fail();
      else void loadAgain();
    };
    const mayUseSocket = Date.now() - socketRefusedAtMs > REFUSED_MS;
    tell(running, { type: 'start', order, online: deps.isOnline(), mayUseSocket });
    if (running.isPaused) tell(running, { type: 'paused' });
  }

  begin();
  return running;
}

/**
 * Starts the upload of one file in a worker of its own. An upload that an earlier page began is resumed. Events end with
 * `completed` or `error`; after `error`, starting again resumes where it stopped.
 */
export function createUpload(request: UploadRequest, deps: UploadClientDeps): UploadHandle {
  const running = start(request, deps);
  const hold = () => {
    running.isPaused = true;
    if (running.worker) tell(running, { type: 'paused' });
    else running.idle.resolve();
  };
  return {
    pause: hold,
    resume() {
      running.isPaused = false;
      running.idle = Promise.withResolvers<void>();
      tell(running, { type: 'resumed' });
    },
    hurry: running.hurry,
    release: () => end(running, 'ended'),
    async cancel() {
      // Wait for the pause: a worker that is ended at once may just have created an upload that is not in the log yet.
      running.cancelled = true;
      hold();
      if (running.state === 'running') await Promise.race([running.idle.promise, pause(IDLE_WAIT_MS)]);
      end(running, 'ended');
      // A completed upload is a file of the folder by now.
      if (running.state !== 'completed' && running.uploadId !== null) await deps.discard(running.uploadId);
    },
  };
}

const workers = createWorkerPool(() => newWorker('upload'));
/** Uploads that wait for a server that is away: they try as soon as it is back. */
const waiting = new Set<Hurried>();
const watch = createServerWatch(isServerThere, () => {
  for (const one of waiting) one.hurry();
});

function noteWaiting(running: Hurried, isWaiting: boolean): void {
  if (isWaiting) waiting.add(running);
  else waiting.delete(running);
  if (waiting.size > 0) watch.begin();
  else watch.end();
}

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
    followNetwork,
    isThere: isServerThere,
    onWaiting: noteWaiting,
  });
}
