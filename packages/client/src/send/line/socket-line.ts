import { AppError, fromWire } from '@satchel/contract/errors';
import { KIB, MIB } from '@satchel/contract/limits';
import { type SocketBegin, UPLOAD_SOCKET_PATH, UPLOAD_SOCKET_PROTOCOL } from '@satchel/contract/upload-socket';
import { AttemptFailed } from '../failure.ts';
import type { Bytes, Network, Socket } from '../ports.ts';
import { Cut, type Line, type LineDeps, Unreached, watchLine } from './line.ts';

/** How long opening may take. */
const OPEN_MS = 10_000;
/** The same for the answer to the first message: the server waits up to ten seconds for an older request's commit. */
const READY_MS = 20_000;
const MESSAGE_BYTES = 256 * KIB;
/** What the browser may hold of what was sent. */
const BUFFERED_MAX_BYTES = 4 * MIB;
/**
 * What the server has not acknowledged yet: three of its checkpoints. Beyond the buffer that it tells of, the browser holds
 * everything that the network has not taken, and a cut costs at most this much.
 */
const UNACKED_MAX_BYTES = 24 * MIB;
/** How often the buffer is looked at, since no event says that it has room: rarely on a slow line, where it takes long. */
const POLL_MS = { min: 2, max: 64 };
/** How often it is looked at while nothing but the server's word is awaited: the progress of its last bytes is shown. */
const WAIT_MS = 250;

interface Message {
  readonly ready?: number;
  readonly ack?: number;
  readonly done?: number;
  readonly error?: unknown;
}

/** Statuses of a server that takes no socket now, and may take requests. */
const REFUSALS = [409, 429, 503];

/** A refusal of the server in the words of the catalogue. A sender that was too slow continues where it was cut. */
function refusalOf(message: Message, isReady: boolean): Error {
  const error = fromWire(message) ?? new AppError('unexpected');
  if (!isReady && REFUSALS.includes(error.status)) return new Unreached();
  if (error.status === 408) return new Cut();
  return new AttemptFailed({ kind: 'response', method: 'PATCH', status: error.status, error });
}

function idOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

export interface SocketLineDeps extends LineDeps {
  readonly network: Network;
  readonly openSocket: (url: string, protocol: string) => Socket;
  readonly token: string;
}

/** The upload socket (docs/upload-socket.md). It takes bytes as they are made. */
export function openSocketLine(deps: SocketLineDeps, url: string, from: number): Line {
  const { network, signal, onProgress, onAcknowledged } = deps;
  const socket = deps.openSocket(network.origin.replace(/^http/, 'ws') + UPLOAD_SOCKET_PATH, UPLOAD_SOCKET_PROTOCOL);
  let [sent, acked, buffered] = [from, from, 0];
  let [isOpen, isReady, isDone] = [false, false, false];
  let end: { readonly why: unknown } | null = null;
  let wake = () => {};
  const stop = (why: unknown) => {
    end ??= { why };
    wake();
  };
  const pause = () => stop(signal.reason);
  const giveUp = () => isReady || stop(new Unreached());
  const watch = watchLine(network.isThere, () => sent > acked && stop(isReady ? new Cut() : new Unreached()));
  let limit = setTimeout(giveUp, OPEN_MS);

  function hear(message: Message): void {
    watch.touch();
    const offset = message.ack ?? message.done;
    if (message.error !== undefined) stop(refusalOf(message, isReady));
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

  function look(): void {
    const { bufferedAmount } = socket;
    if (bufferedAmount < buffered) watch.touch();
    buffered = bufferedAmount;
    onProgress(Math.max(acked, sent - buffered));
  }

  /**
   * Waits until `holds`, and looks again when the server has said something, or after `pollMs`.
   * @throws what has ended the line
   */
  async function until(holds: () => boolean, pollMs: () => number = () => WAIT_MS): Promise<void> {
    for (;;) {
      // The server closes the line after its last word, which counts.
      if (end !== null && !isDone) throw end.why;
      if (holds()) return;
      await rest(pollMs());
      if (sent > from) look();
    }
  }

  function post(data: Bytes | string): void {
    if (sent === acked) watch.touch();
    sent += typeof data === 'string' ? 0 : data.length;
    socket.send(data);
    buffered = socket.bufferedAmount;
  }

  signal.addEventListener('abort', pause, { once: true });
  socket.onopen = () => {
    clearTimeout(limit);
    limit = setTimeout(giveUp, READY_MS);
    isOpen = true;
    wake();
  };
  socket.onclose = () => stop(isReady ? new Cut() : new Unreached());
  socket.onmessage = ({ data }) => hear(JSON.parse(data));
  if (signal.aborted) pause();

  return {
    async opened() {
      await until(() => isOpen);
      const begin: SocketBegin = { id: idOf(url), offset: from, token: deps.token };
      post(JSON.stringify(begin));
      await until(() => isReady);
    },
    async send(bytes, onFree) {
      try {
        for (let start = 0; start < bytes.length; start += MESSAGE_BYTES) {
          const message = bytes.subarray(start, start + MESSAGE_BYTES);
          await until(() => socket.bufferedAmount <= BUFFERED_MAX_BYTES, backOff());
          await until(() => sent + message.length - acked <= UNACKED_MAX_BYTES);
          post(message);
          onProgress(Math.max(acked, sent - socket.bufferedAmount));
        }
      } finally {
        onFree();
      }
    },
    ended: () => until(() => isDone),
    close() {
      watch.stop();
      clearTimeout(limit);
      signal.removeEventListener('abort', pause);
      socket.onclose = null;
      socket.onmessage = null;
      socket.close();
    },
  };
}

/** Looks rarely on a slow line, where the buffer takes long to empty. */
function backOff(): () => number {
  let delayMs = POLL_MS.min;
  return () => {
    delayMs = Math.min(POLL_MS.max, delayMs * 2);
    return delayMs / 2;
  };
}
