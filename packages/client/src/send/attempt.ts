import type { Bearer } from './bearer.ts';
import { StartAfresh } from './bytes/windows.ts';
import { AttemptFailed, type Failure, failureOf, networkFailure } from './failure.ts';
import type { Job } from './job.ts';
import { Cut, type Line, Unreached } from './line/line.ts';
import { askOffset, type Begun, createOnServer, openHttpLine } from './line/requests.ts';
import { openSocketLine } from './line/socket-line.ts';
import type { Way } from './order.ts';
import type { Bytes, Network } from './ports.ts';

/** One attempt to bring an upload to its end: create it or ask where it stands, then send window after window. */

export type Outcome =
  | { readonly kind: 'sent' }
  /** The signal has ended it. */
  | { readonly kind: 'stopped' }
  /** No socket could be opened: a proxy or a filter refuses it, or there is no server. */
  | { readonly kind: 'unreached' }
  /** The socket was open and broke. */
  | { readonly kind: 'cut'; readonly failure: Failure }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface AttemptDeps {
  readonly job: Job;
  readonly way: Way;
  readonly network: Network;
  readonly bearer: Bearer;
  readonly signal: AbortSignal;
  /** Address of the upload to resume; null creates one. */
  readonly url: string | null;
  /** The server has made the upload. Nothing is sent to it before this resolves. */
  readonly onCreated: (url: string) => Promise<void>;
  /** What an earlier page sent is being compared with the file: hears how many bytes are found right. */
  readonly onChecking: (bytes: number) => void;
  /** Sending begins at this byte. */
  readonly onSending: (offset: number) => void;
  readonly onProgress: (bytes: number) => void;
  readonly onAcknowledged: (offset: number) => void;
}

/** How long a small file may still be sent after a pause. */
const GRACE_MS = 2000;
/** Windows that are made while one is sent: while the log is written for one, the others gather for its next write. */
const AHEAD = 4;

/** The signal, a little later: a request that is nearly there still ends as sent, not as stopped. */
function graceOf(signal: AbortSignal): AbortSignal & { readonly end: () => void } {
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    timer = setTimeout(() => late.abort(signal.reason), GRACE_MS);
  };
  signal.addEventListener('abort', wait, { once: true });
  return Object.assign(late.signal, {
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', wait);
    },
  });
}

/** Creates the upload with all its bytes. */
async function sendWhole(deps: AttemptDeps): Promise<void> {
  const { job, onProgress } = deps;
  const { windows } = job;
  const bytes = await windows.make(0);
  const signal = graceOf(deps.signal);
  try {
    deps.signal.throwIfAborted();
    const { url, offset } = await createOnServer(deps, job, windows.size, { bytes, signal, onProgress });
    if (offset === windows.size) return;
    await deps.onCreated(url);
    throw new AttemptFailed(networkFailure('POST'));
  } catch (error) {
    // No other file has this random name: an earlier request, whose answer was lost, has brought it. Nothing of that request
    // need be known here, as Chromium sends a request again by itself when its connection breaks.
    if (error instanceof AttemptFailed && error.failure.error.code === 'storage.exists') return;
    throw error;
  } finally {
    signal.end();
    windows.giveBack(bytes);
  }
}

/** Seals the chunks before `offset` again that this process has not made yet, and compares their tags with the log. */
async function check({ job, signal, onChecking }: AttemptDeps, offset: number): Promise<void> {
  const { ledger, geometry, windows } = job;
  const needed = geometry.chunksBefore(offset);
  if (ledger.verified() >= needed) return;
  if (ledger.logged() < needed) throw new StartAfresh('the log does not cover what the server has');
  let at = geometry.chunkStart(ledger.verified());
  onChecking(at);
  while (ledger.verified() < needed) {
    signal.throwIfAborted();
    const bytes = await windows.make(at, offset);
    at += bytes.length;
    windows.giveBack(bytes);
    onChecking(at);
  }
}

async function begin(deps: AttemptDeps): Promise<Begun> {
  const { job, signal } = deps;
  if (deps.url === null) {
    const created = await createOnServer(deps, job, job.windows.size);
    await deps.onCreated(created.url);
    signal.throwIfAborted();
    return created;
  }
  const begun = await askOffset(deps, deps.url, signal);
  const { offset, length } = begun;
  if (length !== job.windows.size || !(offset <= length)) throw new StartAfresh('the stored size differs');
  await check(deps, offset);
  return begun;
}

async function openLine(deps: AttemptDeps, { url, offset }: Begun): Promise<Line> {
  const { openSocket } = deps.network;
  if (deps.way === 'http' || openSocket === null) return openHttpLine(deps, url, offset);
  return openSocketLine({ ...deps, openSocket, token: await deps.bearer.get() }, url, offset);
}

/** Sends everything from an offset on. */
async function stream(deps: AttemptDeps, begun: Begun): Promise<void> {
  const { windows } = deps.job;
  const ahead: Promise<Bytes>[] = [];
  let planned = begun.offset;
  const plan = () => {
    while (ahead.length < AHEAD && planned < windows.size) {
      const window = windows.make(planned);
      window.catch(() => undefined); // the turn that takes this window reports the failure
      ahead.push(window);
      planned = windows.endOf(planned);
    }
  };
  const line = await openLine(deps, begun);
  try {
    plan();
    await line.opened();
    for (let at = begun.offset; at < windows.size; ) {
      const bytes = (await ahead.shift()) ?? new Uint8Array(0);
      plan();
      await line.send(bytes, () => windows.giveBack(bytes));
      at += bytes.length;
    }
    await line.ended();
  } finally {
    line.close();
    for (const window of ahead) window.then(windows.giveBack, () => undefined);
  }
}

function outcomeOf(error: unknown, signal: AbortSignal): Outcome {
  if (signal.aborted) return { kind: 'stopped' };
  if (error instanceof Unreached) return { kind: 'unreached' };
  if (error instanceof Cut) return { kind: 'cut', failure: networkFailure('PATCH') };
  return { kind: 'failed', failure: failureOf(error) };
}

/**
 * Sends what the server lacks. Never rejects. The signal ends it; what the server has made durable until then stays there.
 */
export async function attempt(deps: AttemptDeps): Promise<Outcome> {
  const { job, url, onSending } = deps;
  try {
    if (job.isSmall && url === null) {
      await sendWhole(deps);
      return { kind: 'sent' };
    }
    const begun = await begin(deps);
    onSending(begun.offset);
    if (begun.offset < job.windows.size) await stream(deps, begun);
    return { kind: 'sent' };
  } catch (error) {
    return outcomeOf(error, deps.signal);
  }
}
