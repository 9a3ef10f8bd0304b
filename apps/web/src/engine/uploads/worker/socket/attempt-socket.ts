import { AppError, fromWire, toAppError } from '@satchel/contract/errors';
import { KIB, MIB } from '@satchel/contract/limits';
import { type SocketBegin, UPLOAD_SOCKET_PATH, UPLOAD_SOCKET_PROTOCOL } from '@satchel/contract/upload-socket';
import type { AttemptDeps, Outcome } from '../attempt.ts';
import { BearerUnavailable } from '../bearer.ts';
import { StartAfresh } from '../bytes/tag-ledger.ts';
import { type Failure, networkFailure } from '../failure.ts';
import { AttemptFailed, askOffset, type Begun, createOnServer } from '../tus-requests.ts';
import { WINDOW_BYTES, type Windows } from './windows.ts';

/** One attempt to bring an upload to its end over the upload socket (docs/upload-socket.md). */

export interface SocketAttemptDeps extends AttemptDeps {
  readonly windows: Windows;
  /** Origin of the site. */
  readonly origin: string;
}

export type SocketOutcome =
  | Outcome
  /** No socket could be opened: a proxy or a filter refuses it, or there is no server. */
  | { readonly kind: 'unreached' }
  /** The socket was open and broke. */
  | { readonly kind: 'cut'; readonly failure: Failure };

/** How long opening may take. */
const OPEN_MS = 10_000;
/** The same for the answer to the first message: the server waits up to ten seconds for an older request's commit. */
const READY_MS = 20_000;
/** Without a word of the server for this long, while bytes wait for it, the connection is lost. */
const SILENCE_MS = 120_000;
const MESSAGE_BYTES = 256 * KIB;
/** What the browser may hold of what was sent. */
const BUFFERED_MAX_BYTES = 4 * MIB;
/**
 * What the server has not acknowledged yet: three of its checkpoints. Beyond the buffer that it tells of, the browser holds
 * everything that the network has not taken, and a cut costs at most this much.
 */
const UNACKED_MAX_BYTES = 24 * MIB;
/** Windows that are made while one is sent: while the log is written for one, the others gather for its next write. */
const AHEAD = 4;
/** How often the progress of the last buffered bytes is looked at. */
const TELL_MS = 250;
/** The browser doesn't say when its buffer has room. */
const POLL_MS = { min: 2, max: 64 };

class Unreached extends Error {}
class Cut extends Error {}

type Message = { readonly ready?: number; readonly ack?: number; readonly done?: number; readonly error?: unknown };

interface Line {
  send(bytes: Uint8Array<ArrayBuffer> | string): void;
  bufferedBytes(): number;
  ackedBytes(): number;
  isOpen(): boolean;
  isReady(): boolean;
  isDone(): boolean;
  /**
   * Waits until `holds`, and looks again when the server has said something, or after `pollMs`.
   * @throws what has ended the line
   */
  until(holds: () => boolean, pollMs?: () => number): Promise<void>;
  close(): void;
}

/** A refusal of the server in the words of the catalogue. A sender that was too slow goes on where it was cut. */
function refusalOf(message: Message): Error {
  const error = fromWire(message) ?? new AppError('unexpected');
  if (error.status === 408) return new Cut();
  return new AttemptFailed({ kind: 'response', method: 'PATCH', status: error.status, error });
}

/** Opens a socket and follows what the server says on it. */
function openLine({ origin, signal, onAcknowledged }: SocketAttemptDeps, from: number): Line {
  const socket = new WebSocket(origin.replace(/^http/, 'ws') + UPLOAD_SOCKET_PATH, UPLOAD_SOCKET_PROTOCOL);
  let [sent, acked] = [from, from];
  let [isReady, isDone] = [false, false];
  let end: { readonly why: unknown } | null = null;
  let wake = () => {};
  /** Since when bytes wait for a word of the server. */
  let silentSinceMs = performance.now();
  const stop = (why: unknown) => {
    end ??= { why };
    wake();
  };
  const pause = () => stop(signal.reason);
  const giveUp = () => isReady || stop(new Unreached());
  let limit = setTimeout(giveUp, OPEN_MS);

  function hear(message: Message): void {
    silentSinceMs = performance.now();
    const offset = message.ack ?? message.done;
    if (message.error !== undefined) stop(refusalOf(message));
    if (message.ready !== undefined) isReady = true;
    if (offset !== undefined) {
      acked = offset;
      onAcknowledged(offset);
    }
    if (message.done !== undefined) isDone = true;
    wake();
  }

  const rest = (delayMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  signal.addEventListener('abort', pause, { once: true });
  socket.onopen = () => {
    clearTimeout(limit);
    limit = setTimeout(giveUp, READY_MS);
    wake();
  };
  socket.onclose = () => stop(isReady ? new Cut() : new Unreached());
  socket.onmessage = ({ data }) => hear(JSON.parse(data));
  if (signal.aborted) pause();

  return {
    send(bytes) {
      if (sent === acked) silentSinceMs = performance.now();
      sent += typeof bytes === 'string' ? 0 : bytes.length;
      socket.send(bytes);
    },
    bufferedBytes: () => socket.bufferedAmount,
    ackedBytes: () => acked,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    isReady: () => isReady,
    isDone: () => isDone,
    async until(holds, pollMs = () => 1000) {
      for (;;) {
        // The server closes the line after its last word, which counts.
        if (end !== null && !isDone) throw end.why;
        if (holds()) return;
        if (sent > acked && performance.now() - silentSinceMs > SILENCE_MS) throw new Cut();
        await rest(pollMs());
      }
    },
    close() {
      clearTimeout(limit);
      signal.removeEventListener('abort', pause);
      socket.onclose = null;
      socket.onmessage = null;
      socket.close();
    },
  };
}

/** Polls rarely on a slow line, where the buffer takes long to empty. */
function backOff(): () => number {
  let delayMs = POLL_MS.min;
  return () => {
    delayMs = Math.min(POLL_MS.max, delayMs * 2);
    return delayMs / 2;
  };
}

/** Sends one window in messages, as far as the browser's buffer and the server keep up. */
async function sendWindow(line: Line, bytes: Uint8Array<ArrayBuffer>, at: number, onProgress: (bytes: number) => void) {
  for (let from = 0; from < bytes.length; from += MESSAGE_BYTES) {
    const end = at + Math.min(bytes.length, from + MESSAGE_BYTES);
    await line.until(() => line.bufferedBytes() <= BUFFERED_MAX_BYTES, backOff());
    await line.until(() => end - line.ackedBytes() <= UNACKED_MAX_BYTES);
    line.send(bytes.subarray(from, end - at));
    onProgress(Math.max(line.ackedBytes(), end - line.bufferedBytes()));
  }
}

/** Sends everything from an offset on. @throws Unreached, Cut, AttemptFailed, StartAfresh, AppError */
async function stream(deps: SocketAttemptDeps, url: string, offset: number): Promise<void> {
  const { windows, onProgress } = deps;
  const id = url.slice(url.lastIndexOf('/') + 1);
  const begin: SocketBegin = { id, offset, token: await deps.bearer.get() };
  const ahead: Promise<Uint8Array<ArrayBuffer>>[] = [];
  let planned = offset;
  const plan = () => {
    while (ahead.length < AHEAD && planned < windows.size) {
      const window = windows.make(planned);
      window.catch(() => undefined); // the turn that takes this window reports the failure
      ahead.push(window);
      planned = Math.min(windows.size, planned + WINDOW_BYTES);
    }
  };
  const line = openLine(deps, offset);
  try {
    plan();
    await line.until(line.isOpen);
    line.send(JSON.stringify(begin));
    await line.until(line.isReady);
    for (let at = offset; at < windows.size; ) {
      const bytes = (await ahead.shift()) ?? new Uint8Array(0);
      try {
        plan();
        await sendWindow(line, bytes, at, onProgress);
      } finally {
        windows.giveBack(bytes);
      }
      at += bytes.length;
    }
    const progress = setInterval(
      () => onProgress(Math.max(line.ackedBytes(), windows.size - line.bufferedBytes())),
      TELL_MS,
    );
    await line.until(line.isDone).finally(() => clearInterval(progress));
  } finally {
    line.close();
    for (const window of ahead) window.then(windows.giveBack, () => undefined);
  }
}

const cutFailure = () => networkFailure('PATCH');

function outcomeOf(error: unknown, signal: AbortSignal): SocketOutcome {
  if (signal.aborted) return { kind: 'paused' };
  if (error instanceof Unreached) return { kind: 'unreached' };
  if (error instanceof Cut) return { kind: 'cut', failure: cutFailure() };
  if (error instanceof AttemptFailed) return { kind: 'failed', failure: error.failure };
  if (error instanceof BearerUnavailable) return { kind: 'failed', failure: cutFailure() };
  if (error instanceof StartAfresh) {
    const changed = new AppError('upload.changed_file', {}, { cause: error });
    return { kind: 'failed', failure: { kind: 'afresh', error: changed } };
  }
  return { kind: 'failed', failure: { kind: 'local', error: toAppError(error) } };
}

/** Creates the upload or asks where it stands, as tus does. */
async function begin(deps: SocketAttemptDeps): Promise<Begun> {
  if (deps.url === null) {
    const created = await createOnServer(deps);
    await deps.onCreated(created.url);
    deps.signal.throwIfAborted();
    return created;
  }
  const begun = await askOffset(deps, deps.url);
  await deps.onHead(begun.offset, begun.length);
  return begun;
}

/**
 * Sends what the server lacks over a socket. Never rejects. A pause ends it; what the server has made durable until then
 * stays there.
 */
export async function attemptBySocket(deps: SocketAttemptDeps): Promise<SocketOutcome> {
  try {
    const { url, offset } = await begin(deps);
    if (offset === deps.windows.size) return { kind: 'sent' };
    await stream(deps, url, offset);
    return { kind: 'sent' };
  } catch (error) {
    return outcomeOf(error, deps.signal);
  }
}
