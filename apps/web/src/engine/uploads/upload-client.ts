import { AppError, fromWire, toAppError } from '@satchel/contract/errors';
import { accessToken, loadSession } from './session.ts';
import { discardUpload } from './upload-discard.ts';
import type { FromWorker, ToWorker, UploadEvent, UploadOrder } from './upload-messages.ts';
import { newWorker } from './worker-addresses.ts';
import { createWorkerPool } from './worker-pool.ts';

/** The page's side of an upload: starts its worker, hands it bearers, and tells it of pauses and of the network. */

export interface UploadHandle {
  /** Stops sending at once; what the server has stays there. */
  pause(): void;
  resume(): void;
  /** Ends the upload for good, here and on the server. Resolves once nothing of it is left. */
  cancel(): Promise<void>;
  /** Ends the worker and keeps the log, so that the same file can be gone on with later. */
  release(): void;
}

export interface UploadRequest extends UploadOrder {
  readonly onEvent: (event: UploadEvent) => void;
}

export interface UploadClientDeps {
  readonly takeWorker: () => Worker;
  /** Takes a worker back whose upload is there; every other one is ended. */
  readonly giveBack: (worker: Worker) => void;
  /** A bearer with at least BEARER_RENEW_MS left; `renew` when the server has refused the last one. */
  readonly token: (renew: boolean) => Promise<string>;
  readonly discard: (uploadId: string) => Promise<void>;
  readonly isOnline: () => boolean;
  /** Calls back when the network comes or goes, until what it returns is called. */
  readonly followNetwork: (listener: () => void) => () => void;
}

/** How long a worker that is told to pause may take, before it is ended as it is. */
const IDLE_WAIT_MS = 5000;

const sleep = (delayMs: number) => new Promise<void>((resolve) => setTimeout(resolve, delayMs));

function followNetwork(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

const eventOf = (message: Exclude<FromWorker, { type: 'opened' | 'idle' | 'ask-token' }>): UploadEvent =>
  message.type === 'error' ? { type: 'error', error: fromWire(message.error) ?? new AppError('unexpected') } : message;

/** A worker with one upload, and what is known of it. */
interface Running {
  readonly worker: Worker;
  readonly giveBack: (worker: Worker) => void;
  /** Stops following the network. */
  readonly unfollow: () => void;
  uploadId: string | null;
  state: 'running' | 'completed' | 'ended';
  cancelled: boolean;
  /** Resolves when a pause has taken hold, or the worker is gone. */
  idle: PromiseWithResolvers<void>;
}

/** Speaks to the worker as long as it is this upload's: afterwards it may be another one's. */
function tell(running: Running, message: ToWorker): void {
  if (running.state === 'running') running.worker.postMessage(message);
}

function end(running: Running, how: 'completed' | 'ended'): void {
  if (running.state !== 'running') return;
  running.state = how;
  running.unfollow();
  running.worker.onmessage = null;
  running.worker.onerror = null;
  if (how === 'completed') running.giveBack(running.worker);
  else running.worker.terminate();
  running.idle.resolve();
}

async function answerToken(running: Running, token: Promise<string>): Promise<void> {
  try {
    tell(running, { type: 'token', token: await token });
  } catch (error) {
    tell(running, { type: 'no-token', error: toAppError(error).toWire() });
  }
}

function hear(running: Running, message: FromWorker, { onEvent, token }: UploadRequest & UploadClientDeps): void {
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
    default:
      if (message.type === 'completed') end(running, 'completed');
      if (message.type === 'error') end(running, 'ended');
      // Of a cancelled upload only one thing is news: that it was completed after all.
      if (!running.cancelled || message.type === 'completed') onEvent(eventOf(message));
  }
}

function startWorker(request: UploadRequest, deps: UploadClientDeps): Running {
  const { onEvent: _, ...order } = request;
  const worker = deps.takeWorker();
  const unfollow = deps.followNetwork(() => tell(running, { type: 'online', online: deps.isOnline() }));
  const idle = Promise.withResolvers<void>();
  const { giveBack } = deps;
  const running: Running = { worker, giveBack, unfollow, uploadId: null, state: 'running', cancelled: false, idle };
  const both = { ...request, ...deps };
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => hear(running, data, both);
  worker.onerror = (event) => {
    // It could not be loaded, or ran out of memory; the log is still there to go on with.
    event.preventDefault();
    hear(running, { type: 'error', error: new AppError('unexpected').toWire() }, both);
  };
  tell(running, { type: 'start', order, online: deps.isOnline() });
  return running;
}

/**
 * Starts the upload of one file in a worker that has no other meanwhile. A file that an earlier page began to upload is gone on with.
 * Events end with `completed` or `error`; after `error`, starting again goes on where it stopped.
 */
export function createUpload(request: UploadRequest, deps: UploadClientDeps): UploadHandle {
  const running = startWorker(request, deps);
  return {
    pause: () => tell(running, { type: 'pause' }),
    resume() {
      running.idle = Promise.withResolvers<void>();
      tell(running, { type: 'resume' });
    },
    release: () => end(running, 'ended'),
    async cancel() {
      // A worker that is cut off may just have had an upload made that nobody would know of.
      running.cancelled = true;
      tell(running, { type: 'pause' });
      if (running.state === 'running') await Promise.race([running.idle.promise, sleep(IDLE_WAIT_MS)]);
      end(running, 'ended');
      // What is completed is a file of the folder by now.
      if (running.state !== 'completed' && running.uploadId !== null) await deps.discard(running.uploadId);
    },
  };
}

async function currentToken(renew: boolean): Promise<string> {
  if (renew) await loadSession();
  return accessToken();
}

const workers = createWorkerPool(() => newWorker('upload'));

/** Starts an upload with the real worker and the page's session: see `createUpload`. */
export function startUpload(request: UploadRequest): UploadHandle {
  return createUpload(request, {
    takeWorker: workers.take,
    giveBack: workers.giveBack,
    token: currentToken,
    discard: (uploadId) => discardUpload(uploadId, accessToken),
    isOnline: () => navigator.onLine,
    followNetwork,
  });
}
