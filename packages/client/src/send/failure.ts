import { AppError, fromWire } from '@satchel/contract/errors';
import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { BearerUnavailable } from './bearer.ts';
import { StartAfresh } from './bytes/windows.ts';
import type { RetryCause } from './order.ts';
import type { HttpAnswer } from './ports.ts';

/** Why an attempt ended without the file being there, and what follows from it. */
export type Failure =
  /** What was sent doesn't fit the file. */
  | { readonly kind: 'afresh'; readonly error: AppError }
  /** A failure on this side, which no retry changes. */
  | { readonly kind: 'local'; readonly error: AppError }
  | { readonly kind: 'network'; readonly error: AppError }
  | { readonly kind: 'response'; readonly method: string; readonly status: number; readonly error: AppError };

/** An attempt that failed, and why. */
export class AttemptFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.error.message, { cause: failure.error });
    this.name = 'AttemptFailed';
    this.failure = failure;
  }
}

export type Verdict =
  | { readonly act: 'retry'; readonly delayMs: number; readonly cause: RetryCause }
  | { readonly act: 'renew' }
  | { readonly act: 'afresh' }
  | { readonly act: 'fail' };

export interface Circumstances {
  /** Tries used up since bytes were last acknowledged. */
  readonly tries: number;
  /** True when the bearer that was refused had just been renewed. */
  readonly isRenewed: boolean;
}

const isOk = (status: number) => status >= 200 && status < 300;

/** The text for a request that the server answered badly, or not at all. */
function requestError(method: string, status: number, statusText: string): AppError {
  if (method === 'POST' && isOk(status)) return new AppError('upload.no_url');
  if (status === 401) return new AppError('upload.unauthenticated');
  return new AppError(method === 'POST' ? 'upload.create_failed' : 'upload.chunk_failed', { status, statusText });
}

function wireError(body: string): AppError | null {
  try {
    return fromWire(JSON.parse(body));
  } catch {
    return null;
  }
}

/** Nothing came back. */
export const networkFailure = (method: string): Failure => ({
  kind: 'network',
  error: requestError(method, 0, 'Network error'),
});

/** The server said no, in its own words where it has some. */
export const failureOfAnswer = (method: string, { status, statusText, body }: HttpAnswer): Failure => ({
  kind: 'response',
  method,
  status,
  error: wireError(body) ?? requestError(method, status, statusText),
});

/** What was thrown during an attempt. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AttemptFailed) return error.failure;
  if (error instanceof BearerUnavailable) return networkFailure('PATCH');
  if (error instanceof StartAfresh) {
    return { kind: 'afresh', error: new AppError('upload.changed_file', {}, { cause: error }) };
  }
  return { kind: 'local', error: error instanceof AppError ? error : new AppError('unexpected', {}, { cause: error }) };
}

/** 409 also answers a revoked or a changed link, or a taken name, which no retry of the same bytes changes. */
const LASTING_CONFLICTS: readonly string[] = ['folder.revoked', 'key.link_changed', 'storage.exists'];
const isConflictOfOffsets = ({ code }: AppError) => !LASTING_CONFLICTS.includes(code);

function judgeResponse(failure: Failure & { kind: 'response' }, { isRenewed }: Circumstances): Verdict | null {
  const { status, method, error } = failure;
  if (status === 401) return { act: isRenewed ? 'fail' : 'renew' };
  const isGone = (status === 404 || status === 410) && method !== 'POST' && !error.code.startsWith('folder.');
  if (isGone) return { act: 'afresh' };
  if (status === 423 || status === 429 || (status === 409 && isConflictOfOffsets(error))) return null;
  return status >= 400 && status < 500 ? { act: 'fail' } : null;
}

/** Answers of a proxy before a server that is away, of a server that is starting, and to a client that is one of too many. */
const isAway = (status: number) => status === 429 || status === 502 || status === 503 || status === 504;
/** The pauses after the first ones, for as long as the server is away. */
const LONG_DELAYS_MS = [40_000, 60_000];

/**
 * What to do after a failure. A line or a server that is away mends: the upload waits for it as long as it takes, with growing
 * pauses. An answer that is bad otherwise (not 4xx, or 409 or 423) is tried again a few times. A bearer that ran out is
 * renewed, and an upload that the server no longer has begins afresh.
 */
export function judge(failure: Failure, circumstances: Circumstances): Verdict {
  if (failure.kind === 'afresh') return { act: 'afresh' };
  if (failure.kind === 'local') return { act: 'fail' };
  const isLine = failure.kind === 'network' || isAway(failure.status);
  const final = failure.kind === 'response' ? judgeResponse(failure, circumstances) : null;
  if (final) return final;
  const delays = isLine ? [...RETRY_DELAYS_MS, ...LONG_DELAYS_MS] : RETRY_DELAYS_MS;
  const delayMs = delays[circumstances.tries] ?? (isLine ? delays.at(-1) : undefined);
  if (delayMs === undefined) return { act: 'fail' };
  const askedMs = 1000 * Number(failure.error.params.retry_after_seconds ?? 0);
  return { act: 'retry', delayMs: Math.max(delayMs, askedMs || 0), cause: isLine ? 'connection' : 'server' };
}
