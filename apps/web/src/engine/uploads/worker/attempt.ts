import { AppError } from '@satchel/contract/errors';
import { UPLOAD_CHUNK_BYTES } from '@satchel/contract/limits';
import { type HttpRequest, type HttpResponse, Upload, type UploadOptions } from 'tus-js-client';
import type { Bearer } from './bearer.ts';
import type { UploadSource } from './bytes/upload-source.ts';
import { type Failure, failureOf } from './failure.ts';

export type Outcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface AttemptDeps {
  readonly endpoint: string;
  /** Address of the upload to resume; null creates one. */
  readonly url: string | null;
  readonly metadata: Record<string, string>;
  readonly source: UploadSource;
  /** Whether the file goes with the creation, in one request. */
  readonly isSmall: boolean;
  readonly bearer: Bearer;
  readonly signal: AbortSignal;
  /** The server has made the upload. Nothing is sent to it before this resolves. */
  readonly onCreated: (url: string) => Promise<void>;
  /** The server says what it has; nothing is sent before this resolves. */
  readonly onHead: (offset: number, length: number) => Promise<void>;
  readonly onProgress: (bytes: number) => void;
  readonly onAcknowledged: (offset: number) => void;
}

/** A request without progress for this long is given up: a lost mobile connection reports no error. */
const STALL_MS = 120_000;

/** How long a small file may still be sent after a pause. */
const GRACE_MS = 2000;

function createWatchdog(onStall: () => void): { touch(): void; rest(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rest = () => clearTimeout(timer);
  return {
    rest,
    touch() {
      rest();
      timer = setTimeout(onStall, STALL_MS);
    },
  };
}

const headerOf = (response: HttpResponse, name: string) => Number.parseInt(response.getHeader(name) ?? '', 10);

/** Authorization on every request, and never after a pause: tus-js-client would still send what it was preparing. */
function authorize(bearer: Bearer, signal: AbortSignal): (request: HttpRequest) => Promise<void> {
  return async (request) => {
    signal.throwIfAborted();
    const token = await bearer.get();
    signal.throwIfAborted();
    request.setHeader('Authorization', `Bearer ${token}`);
  };
}

function sourceAfter(created: () => Promise<void>, source: UploadSource): UploadSource {
  return {
    ...source,
    async slice(start, end) {
      await created();
      return source.slice(start, end);
    },
  };
}

/** Requests of one attempt: retrying is decided outside, where pausing, the network and the log are known. */
function tusOptions(deps: AttemptDeps, watchdog: { touch(): void; rest(): void }): UploadOptions {
  const { url, signal, onHead, onProgress, onAcknowledged } = deps;
  const addBearer = authorize(deps.bearer, signal);
  return {
    // With an endpoint, tus-js-client would create a new upload of the same bytes after a failed HEAD. Without, it fails.
    ...(url === null ? { endpoint: deps.endpoint } : { uploadUrl: url }),
    chunkSize: UPLOAD_CHUNK_BYTES,
    retryDelays: null,
    // tus, Creation With Upload: "The Client MAY include either the entirety or a chunk of the upload data in the body of
    // the `POST` request."
    uploadDataDuringCreation: deps.isSmall,
    storeFingerprintForResuming: false,
    fingerprint: async () => '',
    metadata: deps.metadata,
    async onBeforeRequest(request) {
      await addBearer(request);
      watchdog.touch();
    },
    async onAfterResponse(request, response) {
      watchdog.rest();
      if (request.getMethod() !== 'HEAD' || response.getStatus() !== 200) return;
      await onHead(headerOf(response, 'Upload-Offset'), headerOf(response, 'Upload-Length'));
    },
    onProgress(bytes) {
      watchdog.touch();
      onProgress(bytes);
    },
    onChunkComplete: (_size, accepted) => onAcknowledged(accepted),
  };
}

/**
 * One attempt to bring an upload to its end: create it or ask where it stands, then send slice after slice. Never
 * rejects. A pause ends it; what the server has made durable until then stays there.
 */
export function attemptUpload(deps: AttemptDeps): Promise<Outcome> {
  const { signal, onCreated } = deps;
  const outcome = Promise.withResolvers<Outcome>();
  let created: Promise<void> = Promise.resolve();
  let grace: ReturnType<typeof setTimeout> | undefined;
  const source = sourceAfter(() => created, deps.source);
  const end = (result: Outcome) => {
    watchdog.rest();
    clearTimeout(grace);
    signal.removeEventListener('abort', pause);
    outcome.resolve(result);
  };
  const stop = (result: Outcome) => {
    void upload.abort();
    end(result);
  };
  const pause = () => {
    // Let a creation finish: otherwise the server would reserve quota for an upload that no log names. With the file in
    // it, the server removes what it has of it; one that is nearly there still ends as sent, not as cancelled.
    if (deps.url === null && upload.url === null) {
      if (deps.isSmall) grace = setTimeout(() => stop({ kind: 'paused' }), GRACE_MS);
      return;
    }
    stop({ kind: 'paused' });
  };
  const stalled = () => {
    const error = new AppError('upload.chunk_failed', { status: 0, statusText: 'No answer' });
    stop({ kind: 'failed', failure: { kind: 'network', error } });
  };
  const watchdog = createWatchdog(stalled);
  const upload = new Upload(new Blob(), {
    ...tusOptions(deps, watchdog),
    fileReader: { openFile: async () => source },
    onUploadUrlAvailable: () => {
      if (deps.url === null && upload.url !== null) created = onCreated(upload.url);
      // A failure is reported by the slice that waits for it.
      created.then(() => signal.aborted && pause()).catch(() => undefined);
    },
    onSuccess: () => end({ kind: 'sent' }),
    onError: (error) => end(signal.aborted ? { kind: 'paused' } : { kind: 'failed', failure: failureOf(error) }),
  });
  signal.addEventListener('abort', pause, { once: true });
  upload.start();
  return outcome.promise;
}
