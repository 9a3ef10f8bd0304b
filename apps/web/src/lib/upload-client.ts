import { AppError, fromWire, toAppError } from '@satchel/contract/errors';
import { accessToken, loadSession } from './session.ts';
import { discardUpload } from './upload-discard.ts';
import type { FromWorker, ToWorker, UploadEvent, UploadOrder } from './upload-messages.ts';

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
  readonly createWorker: () => Worker;
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

/**
 * Starts the upload of one file in a worker of its own. A file that an earlier page began to upload is gone on with.
 * Events end with `completed` or `error`; after `error`, starting again goes on where it stopped.
 */
export function createUpload(request: UploadRequest, deps: UploadClientDeps): UploadHandle {
  const { onEvent, ...order } = request;
  const { createWorker, token, discard, isOnline } = deps;
  const worker = createWorker();
  let uploadId: string | null = null;
  let state: 'running' | 'completed' | 'ended' = 'running';
  let cancelled = false;
  let idle = Promise.withResolvers<void>();
  const tell = (message: ToWorker) => worker.postMessage(message);
  const unfollow = deps.followNetwork(() => tell({ type: 'online', online: isOnline() }));

  function end(how: 'completed' | 'ended'): void {
    if (state === 'running') state = how;
    unfollow();
    worker.terminate();
    idle.resolve();
  }

  async function answerToken(renew: boolean): Promise<void> {
    try {
      tell({ type: 'token', token: await token(renew) });
    } catch (error) {
      tell({ type: 'no-token', error: toAppError(error).toWire() });
    }
  }

  function hear(message: FromWorker): void {
    if (state !== 'running') return;
    switch (message.type) {
      case 'ask-token':
        void answerToken(message.renew);
        break;
      case 'opened':
        uploadId = message.uploadId;
        break;
      case 'idle':
        idle.resolve();
        break;
      default:
        if (message.type === 'completed') end('completed');
        if (message.type === 'error') end('ended');
        // Of a cancelled upload only one thing is news: that it was completed after all.
        if (!cancelled || message.type === 'completed') onEvent(eventOf(message));
    }
  }

  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => hear(data);
  worker.onerror = (event) => {
    // It could not be loaded, or ran out of memory; the log is still there to go on with.
    event.preventDefault();
    hear({ type: 'error', error: new AppError('unexpected').toWire() });
  };
  tell({ type: 'start', order, online: isOnline() });

  return {
    pause: () => tell({ type: 'pause' }),
    resume() {
      idle = Promise.withResolvers<void>();
      tell({ type: 'resume' });
    },
    release: () => end('ended'),
    async cancel() {
      // A worker that is cut off may just have had an upload made that nobody would know of.
      cancelled = true;
      tell({ type: 'pause' });
      if (state === 'running') await Promise.race([idle.promise, sleep(IDLE_WAIT_MS)]);
      end('ended');
      // What is completed is a file of the folder by now.
      if (state !== 'completed' && uploadId !== null) await discard(uploadId);
    },
  };
}

async function currentToken(renew: boolean): Promise<string> {
  if (renew) await loadSession();
  return accessToken();
}

/** Starts an upload with the real worker and the page's session: see `createUpload`. */
export function startUpload(request: UploadRequest): UploadHandle {
  return createUpload(request, {
    createWorker: () => new Worker(new URL('../workers/upload-worker.ts', import.meta.url), { type: 'module' }),
    token: currentToken,
    discard: (uploadId) => discardUpload(uploadId, accessToken),
    isOnline: () => navigator.onLine,
    followNetwork,
  });
}
