import type { Opened, ZipPlace } from '@satchel/client/open/delivery-stream';
import type { Bytes } from '@satchel/container/format';
import { AppError, fromWire } from '@satchel/contract/errors';
import type { OpeningCredit, OpeningReady, OpeningReply, OpeningRequest } from './opening-protocol.ts';

/** The service worker's side of a page's opening worker. */

/** A worker that has not started by then is not waited for. */
const READY_MS = 3000;

/** One range of an offer, as the opening worker sends it. */
export interface OpeningRange {
  /** The next reply; null when the worker is gone. */
  next(): Promise<OpeningReply | null>;
  /** Says that a unit was taken. */
  credit(): void;
  stop(): void;
}

/** A line to the opening worker of the page that made an offer, until that worker is gone. */
export function createOpeningLink(port: MessagePort, locks: Pick<LockManager, 'request'>) {
  const ready = Promise.withResolvers<boolean>();
  const gone = new AbortController();
  const unfollow = new AbortController();
  port.onmessage = ({ data: { lock } }: MessageEvent<OpeningReady>) => {
    ready.resolve(true);
    // Granted once the worker has ended: its tab was closed or left, or it crashed.
    locks.request(lock, { mode: 'shared', signal: unfollow.signal }, () => gone.abort()).catch(() => {}); // unfollowed
  };
  const post = (request: OpeningRequest, moved: Transferable[] = []) => port.postMessage(request, moved);

  async function isReady(): Promise<boolean> {
    const timer = setTimeout(() => ready.resolve(false), READY_MS);
    const isIt = await ready.promise;
    clearTimeout(timer);
    return isIt && !gone.signal.aborted;
  }

  return {
    /** Asks for a range; null when the worker is gone, or never came. */
    async open(start: number, end: number | null): Promise<OpeningRange | null> {
      if (!(await isReady())) return null;
      const { port1, port2 } = new MessageChannel();
      const replies: OpeningReply[] = [];
      let wake = () => {};
      const woken = () => wake();
      port1.onmessage = ({ data }: MessageEvent<OpeningReply>) => {
        replies.push(data);
        wake();
      };
      gone.signal.addEventListener('abort', woken);
      post({ type: 'open', start, end }, [port2]);
      const tell = (word: OpeningCredit) => port1.postMessage(word);
      let isStopped = false;
      return {
        async next() {
          // What has arrived is taken even from a worker that is gone.
          while (replies.length === 0 && !gone.signal.aborted && !isStopped) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
          return isStopped ? null : (replies.shift() ?? null);
        },
        credit: () => tell('credit'),
        stop() {
          isStopped = true;
          wake();
          gone.signal.removeEventListener('abort', woken);
          tell('stop');
          port1.close();
        },
      };
    },
    /** The offer has ended. What is still being read of it continues without the worker. */
    close(): void {
      unfollow.abort();
      gone.abort();
      post({ type: 'close' });
      port.close();
    },
  };
}

export type OpeningLink = ReturnType<typeof createOpeningLink>;

export interface RemoteRange {
  readonly link: OpeningLink;
  readonly start: number;
  readonly end: number | null;
  readonly signal: AbortSignal;
  /** Opens the rest from a byte on in this thread, once the worker is gone. */
  readonly openHere: (fromByte: number) => Opened;
}

/** Opened bytes of a range from the opening worker, and from the byte on at which it is gone, opened here. */
export function openRemotely({ link, start, end, signal, openHere }: RemoteRange): Opened {
  let place: () => ZipPlace | undefined = () => undefined;
  let at = start;

  async function* fromWorker(range: OpeningRange): AsyncGenerator<readonly Bytes[], boolean> {
    const stop = () => range.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (let reply = await range.next(); reply !== null; reply = await range.next()) {
        if (reply.type === 'end') return true;
        const { place: now } = reply;
        place = () => now;
        if (reply.type === 'failed') throw fromWire(reply.error) ?? new AppError('open.failed');
        range.credit();
        for (const chunk of reply.chunks) at += chunk.length;
        yield reply.chunks;
      }
      return false;
    } finally {
      signal.removeEventListener('abort', stop);
      range.stop();
    }
  }

  async function* units(): AsyncGenerator<readonly Bytes[]> {
    const range = await link.open(start, end);
    const isWhole = range !== null && (yield* fromWorker(range));
    if (isWhole) return;
    signal.throwIfAborted();
    const here = openHere(at);
    if (here.place) place = here.place;
    yield* here.units;
  }

  return { units: units(), place: () => place() };
}
